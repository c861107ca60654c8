"""Item definitions: what a type reference of a DMN file stands for (DMN 1.5, 7.3.2 and 10.3.2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time

from engine.feel import Run, Type, UnaryTests, Value, conforms, kind, simple_type
from engine.feel.errors import Fault
from engine.feel.types import SIMPLE


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemType:
    """A type of a DMN file.

    ``base`` is a type of FEEL where there are no components; ``allowed`` are the tests that a value, of a collection
    each item, has to satisfy; ``is_function`` lets any function pass.
    """

    base: Type = field(default_factory=lambda: Type("Any"))
    components: Mapping[str, ItemType] = field(default_factory=dict[str, "ItemType"])
    allowed: tuple[UnaryTests, ...] = ()
    is_collection: bool = False

    def admit(self, value: Value, run: Run) -> Value:
        """Return a value as this type has it. Raises Fault when it does not conform (10.3.2.9.4)."""
        if value is None:
            return None
        if self.is_collection:
            items = value if isinstance(value, list) else [value]
            single = replace(self, is_collection=False)
            return [single.admit(item, run) for item in items]
        if isinstance(value, list) and len(value) == 1 and (self.components or self.base.name not in ("Any", "list")):
            value = value[0]
        value = self._components(value, run) if self.components else self._simple(value)
        for tests in self.allowed:
            with run.within({}, tests.slot_count):
                if tests.matches_in(run, value) is not True:
                    raise Fault(f"{kind(value)} is none of the allowed values {tests.text}")
        return value

    def _simple(self, value: Value) -> Value:
        if self.base.name == "date and time" and type(value) is date:
            return datetime.combine(value, time())
        if conforms(value, self.base) is False:
            raise Fault(f"{kind(value)} is not {self.base.name}")
        return value

    def _components(self, value: Value, run: Run) -> Value:
        if not isinstance(value, dict):
            raise Fault(f"{kind(value)} is not a context")
        context = value
        return {
            key: self.components[key].admit(entry, run) if key in self.components else entry
            for key, entry in context.items()
        }


ANY = ItemType()


def feel_type(reference: str) -> ItemType | None:
    """Return the type for a name of FEEL, None for any other."""
    found = simple_type(reference)
    return ItemType(base=found) if found.name in SIMPLE else None
