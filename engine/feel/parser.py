"""From text to tree: a precedence parser for the grammar of DMN 1.5, 10.3.1.2.

Written by hand because a name's extent depends on the names in scope, which no grammar of a parser library expresses
without a second lexer. Operators from weak to strong: ``or``, ``and``, comparisons, ``+ -``, ``* /``, ``**``, minus,
``instance of``, then paths, filters and calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from engine.feel import temporal, tree
from engine.feel.cursor import Cursor
from engine.feel.errors import Fault, FeelSyntaxError
from engine.feel.names import KnownNames
from engine.feel.numbers import to_number
from engine.feel.types import ANY, Type

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_OR, _AND, _COMPARISON, _SUM, _PRODUCT, _POWER, _INSTANCE = range(1, 8)
_LEVELS = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys((*_COMPARISONS, "between", "in"), _COMPARISON),
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "**": _POWER,
    "instance": _INSTANCE,
}
_CONSTANTS = {"null": None, "true": True, "false": False}


def parse_expression(text: str, names: Iterable[str], function_names: KnownNames) -> tree.Node:
    """Return the tree of an expression. Raises FeelSyntaxError."""
    parser = _Parser(text, KnownNames(names), function_names)
    node = parser.expression()
    parser.finish()
    return node


def parse_unary_tests(text: str, names: Iterable[str], function_names: KnownNames) -> tree.Tests:
    """Return the tree of a decision table's cell. Raises FeelSyntaxError."""
    parser = _Parser(text, KnownNames(names), function_names)
    tests = parser.unary_tests()
    parser.finish()
    return tests


class _Parser(Cursor):
    #: Whether the end of a range is being read, where ``[`` may close it.
    in_range_end = False

    #: How often the name of a ``for``'s results so far was read.
    partial_reads = 0

    def finish(self) -> None:
        if self.token.kind != "end":
            raise self.unexpected("expected an operator or the end")

    # Operators

    def expression(self, level: int = _OR) -> tree.Node:
        with self.deeper():
            return self.operators(self.operand(), level)

    def operators(self, left: tree.Node, level: int) -> tree.Node:
        """Extend an operand by the operators that bind at least as strong as ``level``."""
        with ExitStack() as nesting:
            while self.token.kind in ("symbol", "name"):
                own = _LEVELS.get(self.token.text, 0)
                if own < level or not own:
                    break
                nesting.enter_context(self.deeper())
                left = self.operator(left, own)
        return left

    def operator(self, left: tree.Node, level: int) -> tree.Node:
        token = self.token
        self.index += 1
        if level <= _AND:
            operands = [left, self.expression(level + 1)]
            while self.take(token.text):
                operands.append(self.expression(level + 1))
            return tree.Logic(token.position, token.text, tuple(operands))
        if token.text == "between":
            low = self.expression(_SUM)
            self.expect("and")
            return tree.Between(token.position, left, low, self.expression(_SUM))
        if token.text == "in":
            return tree.Membership(token.position, left, self.membership())
        if token.text == "instance":
            self.expect("of")
            return tree.InstanceOf(token.position, left, self.type())
        right = self.expression(level + 1)
        if level == _COMPARISON:
            return tree.Comparison(token.position, token.text, left, right)
        return tree.Arithmetic(token.position, token.text, left, right)

    def membership(self) -> tuple[tree.Node, ...]:
        """What stands behind ``in``: one test, or several in parentheses (grammar rule 49c)."""
        opening = self.token
        if not self.take("("):
            return (self.test(_SUM),)
        outer, self.in_range_end = self.in_range_end, False
        tests = [self.test(_OR)]
        is_operand = not isinstance(tests[0], tree.OperatorTest)
        if is_operand and self.take(".."):
            tests[0] = self.range_from(opening.position, tests[0], start_included=False, outer=outer)
        else:
            while self.take(","):
                tests.append(self.test(_OR))
            self.expect(")")
            self.in_range_end = outer
        if is_operand and len(tests) == 1:
            return (self.operators(self.postfix(tests[0]), _SUM),)
        return tuple(tests)

    def test(self, level: int) -> tree.Node:
        token = self.token
        if self.take(*_COMPARISONS):
            return tree.OperatorTest(token.position, token.text, self.expression(_SUM))
        return self.expression(level)

    def unary_tests(self) -> tree.Tests:
        position = self.token.position
        if self.at("-") and self.tokens[self.index + 1].kind == "end":
            self.index += 1
            return tree.Tests(position, (), is_negated=False)
        negated = self.at("not") and self.tokens[self.index + 1].text == "("
        if negated:
            self.index += 2
        tests = [self.test(_OR)]
        while self.take(","):
            tests.append(self.test(_OR))
        if negated:
            self.expect(")")
        return tree.Tests(position, tuple(tests), is_negated=negated)

    # Operands

    def operand(self) -> tree.Node:
        token = self.token
        if self.take("-"):
            with self.deeper():
                return tree.Negation(token.position, self.operand())
        return self.postfix(self.primary())

    def postfix(self, base: tree.Node) -> tree.Node:
        """Extend an operand by the paths, filters and calls that follow it."""
        with ExitStack() as nesting:
            while self.at(".", "[", "("):
                nesting.enter_context(self.deeper())
                position = self.token.position
                if self.at("[") and self.in_range_end and not self.starts_an_operand(self.index + 1):
                    break
                if self.take("."):
                    base = tree.Path(position, base, self.member_name())
                elif self.at("["):
                    base = tree.Filter(position, base, self.bracketed("[", "]"))
                else:
                    base = self.call(base)
        return base

    def bracketed(self, opening: str, closing: str) -> tree.Node:
        self.expect(opening)
        outer, self.in_range_end = self.in_range_end, False
        inner = self.expression()
        self.in_range_end = outer
        self.expect(closing)
        return inner

    def starts_an_operand(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind == "name":
            return token.text not in _LEVELS and token.text not in ("then", "else", "return", "satisfies")
        return token.kind in ("number", "string") or token.text in ("(", "[", "{", "-", "@", "?", "<", "<=", ">", ">=")

    def call(self, function: tree.Node) -> tree.Node:
        position = self.expect("(").position
        outer, self.in_range_end = self.in_range_end, False
        positional: list[tree.Node] = []
        named: list[tuple[str, tree.Node]] = []
        while not self.at(")"):
            label = self.argument_name()
            if label is None:
                positional.append(self.expression())
            else:
                named.append((label, self.expression()))
            if not self.take(","):
                break
        if positional and named:
            raise FeelSyntaxError(self.text, position, "a call has its arguments either by position or by name")
        self.expect(")")
        self.in_range_end = outer
        return tree.Call(position, function, tuple(positional), tuple(named))

    def argument_name(self) -> str | None:
        index = self.index
        while self.tokens[index].kind == "name":
            index += 1
        if index == self.index or self.tokens[index].text != ":":
            return None
        label = " ".join(token.text for token in self.tokens[self.index : index])
        self.index = index + 1
        return label

    def primary(self) -> tree.Node:
        token = self.token
        if token.kind == "number":
            return self.number()
        if token.kind == "string":
            self.index += 1
            return tree.Literal(token.position, token.text)
        if token.kind == "symbol" and self.names.longest(self.tokens, self.index) is None:
            return self.symbol()
        return self.word()

    def number(self) -> tree.Node:
        token = self.token
        self.index += 1
        try:
            return tree.Literal(token.position, to_number(token.text))
        except Fault as fault:
            return tree.Literal(token.position, None, str(fault))

    def word(self) -> tree.Node:
        token = self.token
        known = self.names.longest(self.tokens, self.index)
        is_plain = known is None or known[1] == self.index + 1
        if is_plain and token.text in _CONSTANTS and token.kind == "name":
            self.index += 1
            return tree.Literal(token.position, _CONSTANTS[token.text])
        if is_plain:
            form = {"if": self.conditional, "for": self.iteration, "some": self.quantified, "every": self.quantified}
            if token.text in form:
                return form[token.text]()
            if token.text == "function" and self.tokens[self.index + 1].text == "(":
                return self.function()
        name = self.name()
        self.partial_reads += name == "partial"
        return tree.Name(token.position, name)

    def symbol(self) -> tree.Node:
        token = self.token
        if token.text == "(":
            return self.parenthesis()
        if token.text in ("[", "]"):
            return self.list_or_range()
        if token.text == "{":
            return self.context()
        if token.text == "?":
            self.index += 1
            return tree.Name(token.position, "?")
        if token.text == "@" and self.tokens[self.index + 1].kind == "string":
            self.index += 2
            try:
                return tree.Literal(token.position, temporal.parse_at_literal(self.tokens[self.index - 1].text))
            except Fault as fault:
                return tree.Literal(token.position, None, str(fault))
        raise self.unexpected("expected a value")

    # Brackets

    def parenthesis(self) -> tree.Node:
        position = self.expect("(").position
        outer, self.in_range_end = self.in_range_end, False
        sign = self.token.text if self.token.kind == "symbol" else ""
        if sign in _COMPARISONS and sign != "!=":
            self.index += 1
            inner = self.comparison_range(position, sign, self.expression(_SUM))
        else:
            inner = self.expression()
            if self.take(".."):
                return self.range_from(position, inner, start_included=False, outer=outer)
        self.expect(")")
        self.in_range_end = outer
        return inner

    def comparison_range(self, position: int, sign: str, end: tree.Node) -> tree.Node:
        if sign == "=":
            return tree.RangeLiteral(position, end, end, start_included=True, end_included=True, is_comparison=True)
        if sign.startswith(">"):
            return tree.RangeLiteral(
                position, end, None, start_included=sign == ">=", end_included=False, is_comparison=True
            )
        return tree.RangeLiteral(
            position, None, end, start_included=False, end_included=sign == "<=", is_comparison=True
        )

    def list_or_range(self) -> tree.Node:
        opening = self.expect("[", "]")
        outer, self.in_range_end = self.in_range_end, False
        if opening.text == "]":
            start = self.expression()
            self.expect("..")
            return self.range_from(opening.position, start, start_included=False, outer=outer)
        items: list[tree.Node] = []
        while not self.at("]"):
            items.append(self.expression())
            if len(items) == 1 and self.take(".."):
                return self.range_from(opening.position, items[0], start_included=True, outer=outer)
            if not self.take(","):
                break
        self.expect("]")
        self.in_range_end = outer
        return tree.ListLiteral(opening.position, tuple(items))

    def range_from(self, position: int, start: tree.Node, *, start_included: bool, outer: bool) -> tree.Node:
        self.in_range_end = True
        end = self.expression()
        self.in_range_end = outer
        closing = self.expect("]", ")", "[")
        return tree.RangeLiteral(position, start, end, start_included=start_included, end_included=closing.text == "]")

    def context(self) -> tree.Node:
        position = self.expect("{").position
        outer, self.in_range_end = self.in_range_end, False
        entries: list[tuple[str, tree.Node]] = []
        while not self.at("}"):
            key_at = self.token
            if key_at.kind == "string":
                self.index += 1
                key = key_at.text
            else:
                key = self.new_name(":", ",", "}")
            if any(key == earlier for earlier, _ in entries):
                raise FeelSyntaxError(self.text, key_at.position, f"the context has two entries {key!r}")
            self.expect(":")
            entries.append((key, self.expression()))
            if not self.take(","):
                break
        self.expect("}")
        self.in_range_end = outer
        return tree.ContextLiteral(position, tuple(entries))

    # Forms that begin with a word

    def conditional(self) -> tree.Node:
        position = self.expect("if").position
        condition = self.expression()
        self.expect("then")
        consequence = self.expression()
        self.expect("else")
        return tree.If(position, condition, consequence, self.expression())

    def iteration(self) -> tree.Node:
        position = self.expect("for").position
        iterators = self.iterators()
        self.expect("return")
        before = self.partial_reads
        body = self.expression()
        return tree.For(position, iterators, body, self.partial_reads > before)

    def quantified(self) -> tree.Node:
        word = self.expect("some", "every")
        iterators = self.iterators()
        self.expect("satisfies")
        return tree.Quantified(word.position, word.text == "every", iterators, self.expression())

    def iterators(self) -> tuple[tree.Iterator, ...]:
        iterators: list[tree.Iterator] = []
        while True:
            position = self.token.position
            name = self.new_name("in")
            self.expect("in")
            source = self.expression()
            end = self.expression() if self.take("..") else None
            iterators.append(tree.Iterator(position, name, source, end))
            if not self.take(","):
                return tuple(iterators)

    def function(self) -> tree.Node:
        position = self.expect("function").position
        self.expect("(")
        outer, self.in_range_end = self.in_range_end, False
        parameters: list[tuple[str, Type]] = []
        while not self.at(")"):
            name = self.new_name(",", ":", ")")
            parameters.append((name, self.type() if self.take(":") else ANY))
            if not self.take(","):
                break
        self.expect(")")
        if self.at("external"):
            raise FeelSyntaxError(self.text, self.token.position, "external functions are not run")
        self.in_range_end = outer
        return tree.FunctionLiteral(position, tuple(parameters), self.expression())
