"""FEEL expressions of a drawing, compiled once per definition and evaluated over the variables of a token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from engine import feel
from engine.contract.origin import Origin, taint
from engine.feel import FeelError, compile_expression
from engine.interpreter.failures import ExpressionFailed, NotRunnable, SuggestionNotAccepted, UnstorableValue
from engine.interpreter.tokens import Token
from engine.interpreter.values import Value
from engine.interpreter.variables import Variables, storable
from engine.model.graph import Expression


class Formula:
    """One expression.

    Attributes
    ----------
    text
        As drawn, without a leading ``=``.
    reads
        Names of the variables that it may read.
    """

    def __init__(self, expression: Expression) -> None:
        self.text = expression.text
        self.element_id = expression.element_id
        try:
            self._compiled = compile_expression(expression.text)
        except FeelError as wrong:
            raise NotRunnable(
                f"The expression {expression.text!r} cannot be used: {wrong}", element_id=expression.element_id
            ) from None
        self.reads = variables_of(self._compiled.paths | self._compiled.possible_paths)

    def value(self, token: Token, variables: Variables | None = None) -> Value:
        """Return what the expression gives, over the token's variables or others.

        Raises ExpressionFailed when it exceeds a limit of FEEL.
        """
        seen = cast("Mapping[str, feel.Value]", token.data if variables is None else variables)
        try:
            return cast(Value, self._compiled.evaluate(seen, now=token.scope.instance.given.now))
        except FeelError as wrong:
            raise ExpressionFailed(
                f"The expression {self.text!r} failed: {wrong}", element_id=self.element_id
            ) from None

    def kept(self, token: Token) -> Value:
        """Return what the expression gives, as a value that may leave the interpreter.

        Raises ExpressionFailed for what is none, such as a range or a function of FEEL.
        """
        try:
            return storable(self.value(token))[0]
        except UnstorableValue as wrong:
            raise ExpressionFailed(
                f"The expression {self.text!r} gave no value that can be kept: {wrong.message}",
                element_id=self.element_id,
            ) from None

    def require_accepted(self, variables: Variables) -> None:
        """Raise SuggestionNotAccepted when the expression reads a suggestion that nobody has accepted."""
        require_accepted(variables, self.reads, self.element_id)

    @staticmethod
    def shown(value: Value) -> str:
        """Return a value as a message may show it."""
        return "null" if value is None else f"{str(value)[:80]!r}"


def variables_of(paths: Iterable[str]) -> frozenset[str]:
    """Return the variables that dotted paths start at."""
    return frozenset(path.split(".", 1)[0] for path in paths)


def require_accepted(variables: Variables, names: Iterable[str], element_id: str) -> None:
    """Raise SuggestionNotAccepted when one of the named variables is a suggestion that nobody has accepted (P10)."""
    for name in sorted(names):
        if Origin.MODEL in variables.origin((name,)):
            raise SuggestionNotAccepted(
                f"The variable {name!r} is a suggestion that no rule and no person has accepted.",
                element_id=element_id,
            )


def origin_of(variables: Variables, names: Iterable[str]) -> Origin:
    """Return the origin of what is computed from the named variables."""
    return taint(*variables.origin(names))
