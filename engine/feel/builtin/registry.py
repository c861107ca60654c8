"""How a built-in function is declared: its name, its parameters with their kinds, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import DecimalException

from engine.feel.errors import Fault
from engine.feel.run import Run
from engine.feel.values import Function, Value, kind

Body = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: ``kinds`` it takes (``any`` for all but null, ``anything`` for null too)."""

    name: str
    kinds: tuple[str, ...]
    is_optional: bool
    is_variadic: bool

    def admit(self, value: Value) -> Value:
        """Return the value as the function takes it, with the conversions of 10.3.2.9.4. Raises Fault."""
        if "anything" in self.kinds:
            return value
        found = kind(value)
        if found in self.kinds or ("any" in self.kinds and value is not None):
            return value
        if value is None and self.is_optional:
            return None
        if "list" in self.kinds and value is not None:
            return [value]
        if isinstance(value, list) and len(value) == 1 and kind(value[0]) in self.kinds:
            return value[0]
        if type(value) is date and "date and time" in self.kinds:
            return datetime.combine(value, time())
        raise Fault(f"the argument {self.name!r} is {found}, not {' or '.join(self.kinds)}")


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function, declared like ``string: string, start position: number, length?: number``."""

    parameters: tuple[Parameter, ...]
    body: Body

    def arguments(self, values: Sequence[Value], by_name: Mapping[str, Value] | None) -> list[Value] | None:
        """Return the values by parameter, or None when their number or names do not fit."""
        if by_name is not None:
            return self._named(by_name)
        if self.parameters and self.parameters[-1].is_variadic:
            fixed = len(self.parameters) - 1
            return [*values[:fixed], list(values[fixed:])] if len(values) > fixed else None
        required = sum(not parameter.is_optional for parameter in self.parameters)
        return list(values) if required <= len(values) <= len(self.parameters) else None

    def _named(self, by_name: Mapping[str, Value]) -> list[Value] | None:
        names = [parameter.name for parameter in self.parameters]
        if not by_name.keys() <= set(names):
            return None
        if any(not parameter.is_optional and parameter.name not in by_name for parameter in self.parameters):
            return None
        return [by_name.get(name) for name in names]

    def takes_one_item(self, arguments: list[Value]) -> bool:
        """Return whether the items given one by one are just one: then it is the list, or null instead of it."""
        return self.parameters[0].is_variadic and isinstance(arguments[0], list) and len(arguments[0]) == 1

    def call(self, run: Run, arguments: list[Value]) -> Value:
        """Return the function's value. Raises Fault when an argument does not fit or there is no value."""
        given = [
            argument if parameter.is_variadic else parameter.admit(argument)
            for parameter, argument in zip(self.parameters, arguments, strict=False)
        ]
        try:
            return self.body(run, *given)
        except (DecimalException, OverflowError):
            raise Fault("the result is outside the values that FEEL has") from None


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the language with all its signatures; the first one that fits is called."""

    name: str
    signatures: list[Signature] = field(default_factory=list[Signature])

    def call(self, run: Run, values: Sequence[Value], by_name: Mapping[str, Value] | None = None) -> Value:
        """Return the function's value. Raises Fault when no signature fits or there is no value."""
        fault = Fault("the number or the names of the arguments do not fit")
        for signature in self.signatures:
            arguments = signature.arguments(values, by_name)
            if arguments is None or (signature is not self.signatures[0] and signature.takes_one_item(arguments)):
                continue
            try:
                return signature.call(run, arguments)
            except Fault as own:
                fault = own
        raise fault

    def as_value(self) -> Function:
        """Return the function as a value of the language."""
        parameters = tuple(parameter.name for parameter in self.signatures[0].parameters)
        return Function(name=self.name, parameters=parameters, call=self.call)


#: Every built-in function by its name.
BUILTINS: dict[str, Builtin] = {}


def builtin(name: str, *declarations: str) -> Callable[[Body], Body]:
    """Declare a function under a name, with one or more signatures that share its body."""

    def register(body: Body) -> Body:
        own = BUILTINS.setdefault(name, Builtin(name))
        own.signatures.extend(Signature(_parameters(declaration), body) for declaration in declarations)
        return body

    return register


def _parameters(declaration: str) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    for part in filter(None, declaration.split(",")):
        name, _, kinds = part.partition(":")
        name = name.strip()
        parameters.append(
            Parameter(
                name.rstrip("?*"),
                tuple(one.strip() for one in kinds.split("|")),
                is_optional=name.endswith("?"),
                is_variadic=name.endswith("*"),
            )
        )
    return tuple(parameters)
