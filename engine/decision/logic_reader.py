"""Reading boxed expressions and their types (DMN 1.5, clauses 7.3 and 10.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.decision.documents import Element
from engine.decision.item_types import ANY, ItemType, feel_type
from engine.decision.logic import (
    ConditionalLogic,
    ContextLogic,
    Entry,
    FunctionLogic,
    InvocationLogic,
    IterationLogic,
    ListLogic,
    LiteralLogic,
    Logic,
    RelationLogic,
)
from engine.decision.table_reader import read_table
from engine.feel import Expression, FeelSyntaxError, Type, UnaryTests, compile_expression, compile_unary_tests

#: The elements that hold a boxed expression.
BOXED = (
    "literalExpression",
    "decisionTable",
    "context",
    "list",
    "relation",
    "invocation",
    "functionDefinition",
    "conditional",
    "for",
    "some",
    "every",
    "filter",
)


class LogicReader:
    """Reads the expressions of one file; ``members`` are the names of all components of its types."""

    def __init__(self, types: Mapping[str, Element]) -> None:
        self._definitions = types
        self._types: dict[str, ItemType] = {}
        self._pending: list[str] = []
        self.members = frozenset(
            component.name for definition in types.values() for component in _components_within(definition)
        )

    # Types

    def type_of(self, element: Element, reference: str) -> ItemType:
        """Return the type that a reference names, ``Any`` for none. Raises DecisionRefused for an unknown one."""
        name = " ".join(reference.split()).removeprefix("feel:")
        if not name:
            return ANY
        if name in self._definitions:
            return self._defined(name)
        found = feel_type(name) or feel_type(name.rpartition(":")[2])
        if found is not None:
            return found
        if name.rpartition(":")[2] in self._definitions:
            return self._defined(name.rpartition(":")[2])
        raise element.refused(f"there is no type {reference!r}", "Define it in the file, or choose a type of FEEL.")

    def _defined(self, name: str) -> ItemType:
        if name not in self._types:
            if name in self._pending:
                raise self._definitions[name].refused(f"the type {name!r} contains itself", "Break the circle.")
            self._pending.append(name)
            self._types[name] = self._item_definition(self._definitions[name])
            self._pending.pop()
        return self._types[name]

    def _item_definition(self, element: Element) -> ItemType:
        is_collection = element.get("isCollection") == "true"
        allowed = tuple(
            self.unary_tests(element, text, frozenset())
            for text in (element.text_of("allowedValues"), element.text_of("typeConstraint"))
            if text
        )
        components = {child.name: self._item_definition(child) for child in element.children("itemComponent")}
        if components:
            return ItemType(components=components, allowed=allowed, is_collection=is_collection)
        if element.child("functionItem") is not None:
            return ItemType(base=Type("function"))
        base = self.type_of(element, element.text_of("typeRef") or "")
        if base.is_collection and is_collection:
            raise element.refused("a collection of collections", "Give the inner collection a name as a component.")
        return ItemType(
            base=base.base,
            components=base.components,
            allowed=(*base.allowed, *allowed),
            is_collection=base.is_collection or is_collection,
        )

    # Texts

    def expression(self, element: Element, text: str | None, names: frozenset[str]) -> Expression:
        """Return a compiled expression. Raises DecisionRefused where there is none or it has a syntax error."""
        if not text:
            raise element.refused("an expression is empty", "Write it, or null.")
        try:
            return compile_expression(text, names, members=self.members)
        except FeelSyntaxError as error:
            raise element.refused(f"{text[:80]!r} is not FEEL: {error}", "Correct the expression.") from None

    def unary_tests(self, element: Element, text: str | None, names: frozenset[str]) -> UnaryTests:
        """Return compiled tests. Raises DecisionRefused where they have a syntax error."""
        try:
            return compile_unary_tests(text or "-", names, members=self.members)
        except FeelSyntaxError as error:
            raise element.refused(f"{(text or '')[:80]!r} is no test: {error}", "Correct the cell.") from None

    # Boxed expressions

    def within(self, element: Element, names: frozenset[str]) -> Logic:
        """Return the boxed expression right inside an element. Raises DecisionRefused where there is none."""
        boxed = element.child(*BOXED)
        if boxed is None:
            raise element.refused("it has no expression", "Add a decision table or an expression.")
        return self.logic(boxed, names)

    def logic(self, element: Element, names: frozenset[str]) -> Logic:
        """Return what a boxed expression does. Raises DecisionRefused for what cannot be run as drawn."""
        language = element.get("expressionLanguage")
        if language and "feel" not in language.lower():
            raise element.refused(f"the expression language {language!r} is not run", "Write the expression in FEEL.")
        readers: Mapping[str, Callable[[Element, frozenset[str]], Logic]] = {
            "literalExpression": self._literal,
            "decisionTable": lambda table, known: read_table(table, known, self),
            "context": self._context,
            "list": lambda boxed, known: ListLogic(tuple(self.logic(item, known) for item in boxed.children(*BOXED))),
            "relation": self._relation,
            "invocation": self._invocation,
            "functionDefinition": self.function,
            "conditional": self._conditional,
            "filter": self._filter,
        }
        return readers.get(element.tag, self._iteration)(element, names)

    def _literal(self, element: Element, names: frozenset[str]) -> Logic:
        return LiteralLogic(self.expression(element, element.text_of("text"), names))

    def _context(self, element: Element, names: frozenset[str]) -> Logic:
        entries: list[Entry] = []
        for entry in element.children("contextEntry"):
            variable = entry.child("variable")
            name = variable.name if variable is not None else None
            wanted = self.type_of(entry, variable.get("typeRef")) if variable is not None else ANY
            own = names | {name} if name and entry.child("functionDefinition") is not None else names
            entries.append(Entry(name, wanted, self.within(entry, own)))
            names = names | {name} if name else names
        return ContextLogic(tuple(entries))

    def _relation(self, element: Element, names: frozenset[str]) -> Logic:
        columns = tuple(column.name for column in element.children("column"))
        rows = tuple(tuple(self.logic(cell, names) for cell in row.children(*BOXED)) for row in element.children("row"))
        if any(len(row) != len(columns) for row in rows):
            raise element.refused("a row has not one expression per column", "Complete the row.")
        return RelationLogic(columns, rows)

    def _invocation(self, element: Element, names: frozenset[str]) -> Logic:
        bindings: list[tuple[str, Logic]] = []
        for binding in element.children("binding"):
            parameter = binding.child("parameter")
            if parameter is None or not parameter.name:
                raise binding.refused("a binding has no parameter", "Name the parameter.")
            bindings.append((parameter.name, self.within(binding, names)))
        return InvocationLogic(self.within(element, names), tuple(bindings))

    def function(self, element: Element, names: frozenset[str], name: str = "function") -> FunctionLogic:
        """Return a function definition. Raises DecisionRefused for one in another language than FEEL."""
        kind = element.get("kind", "FEEL")
        if kind.upper() != "FEEL":
            raise element.refused(f"functions of kind {kind!r} are not run", "Write the function in FEEL.")
        parameters = tuple(
            (parameter.name, self.type_of(parameter, parameter.get("typeRef")))
            for parameter in element.children("formalParameter")
        )
        inside = names | {parameter for parameter, _ in parameters}
        return FunctionLogic(
            name, parameters, self.within(element, inside), self.type_of(element, element.get("typeRef"))
        )

    def _part(self, element: Element, tag: str, names: frozenset[str]) -> Logic:
        part = element.child(tag)
        if part is None:
            raise element.refused(f"it has no part {tag!r}", "Complete the expression.")
        return self.within(part, names)

    def _conditional(self, element: Element, names: frozenset[str]) -> Logic:
        return ConditionalLogic(*(self._part(element, tag, names) for tag in ("if", "then", "else")))

    def _filter(self, element: Element, names: frozenset[str]) -> Logic:
        return IterationLogic(
            "filter",
            "item",
            self._part(element, "in", names),
            self._part(element, "match", names | {"item"} | self.members),
        )

    def _iteration(self, element: Element, names: frozenset[str]) -> Logic:
        variable = " ".join(element.get("iteratorVariable").split())
        if not variable:
            raise element.refused("the iteration has no variable", "Name its variable.")
        body = "return" if element.tag == "for" else "satisfies"
        inside = names | {variable, "partial"}
        return IterationLogic(
            element.tag, variable, self._part(element, "in", names), self._part(element, body, inside)
        )


def _components_within(element: Element) -> list[Element]:
    own = list(element.children("itemComponent"))
    return [*own, *(inner for component in own for inner in _components_within(component))]
