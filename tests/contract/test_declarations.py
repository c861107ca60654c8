"""An operation whose declaration contradicts itself is refused where it is written, with what to change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from engine.contract import (
    Call,
    DeclarationError,
    Effect,
    Found,
    Lookup,
    Operation,
    OperationRegistry,
    Origin,
    UnknownOperation,
    Values,
    operation,
)


class Draft(Values):
    """An input."""

    quantity: int


class Document(Values):
    """An output."""

    number: str


class OtherDocument(Values):
    """Another output."""

    number: str


def create(call: Call, draft: Draft) -> Document:
    """Create a document.

    More about it.
    """
    return Document(number=f"{call.sent_key}-{draft.quantity}")


def find(call: Call, lookup: Lookup) -> Found[Document]:
    """Find a document by its key."""
    return Found(document=Document(number=lookup.sent_key + str(call.attempt)))


def find_other(call: Call, lookup: Lookup) -> Found[OtherDocument]:
    """Find a document of another kind."""
    return Found(document=OtherDocument(number=lookup.sent_key + str(call.attempt)))


def no_parameters() -> Document:
    """Take nothing."""
    return Document(number="1")


def no_models(call: Call, quantity: int) -> Document:
    """Take a number."""
    return Document(number=str(quantity + call.attempt))


def no_annotations(call, draft):  # pyright: ignore
    return Document(number="1")


def declared(function: Callable[..., BaseModel], name: str = "erp.create", **options: Any) -> Operation:
    settings: dict[str, Any] = {"version": 1, "effect": Effect.PURE, **options}
    return operation(settings.pop("name", name), **settings)(function)


CONTRADICTIONS: list[tuple[str, Callable[..., BaseModel], dict[str, Any], str]] = [
    ("no parameters", no_parameters, {}, "0 parameters"),
    ("no models", no_models, {}, "pydantic models"),
    ("no annotations", no_annotations, {}, "pydantic models"),
    ("a name in capitals", create, {"name": "ERP.Create"}, "write its name like"),
    ("version nought", create, {"version": 0}, "versions count from 1"),
    ("no time", create, {"timeout": timedelta(0)}, "time-out"),
    ("a write that cannot be looked up", create, {"effect": Effect.WRITE, "system": "erp"}, "`reconcile`"),
    (
        "a read with a reconcile",
        create,
        {"effect": Effect.READ, "system": "erp", "reconcile": "erp.find"},
        "only a write",
    ),
    ("a rule with a compensation", create, {"compensate": "erp.undo"}, "only a write"),
    ("a read of nothing", create, {"effect": Effect.READ}, "`system`"),
    ("a suggestion into no input", create, {"accepts_suggestions": frozenset({"risk"})}, "names risk"),
]


@pytest.mark.parametrize(
    ("function", "options", "said"), [row[1:] for row in CONTRADICTIONS], ids=[r[0] for r in CONTRADICTIONS]
)
def test_a_contradiction_is_refused_with_the_operation_named(
    function: Callable[..., BaseModel], options: dict[str, Any], said: str
) -> None:
    name = options.get("name", "erp.create")
    with pytest.raises(DeclarationError, match=said) as refusal:
        declared(function, **options)
    assert name in str(refusal.value)


def test_models_that_only_exist_inside_a_function_are_refused() -> None:
    class Local(Values):
        """Not to be seen from outside."""

    def inner(call: Call, local: Local) -> Local:
        return local

    with pytest.raises(DeclarationError, match="Not found: Local"):
        declared(inner)


@pytest.mark.parametrize(
    ("effect", "origin", "expected"),
    [
        (Effect.PURE, None, Origin.RULE),
        (Effect.READ, None, Origin.SYSTEM),
        (Effect.WRITE, None, Origin.SYSTEM),
        (Effect.READ, Origin.MODEL, Origin.MODEL),
    ],
)
def test_results_of_rules_are_rules_and_of_systems_facts(
    effect: Effect, origin: Origin | None, expected: Origin
) -> None:
    reconcile = "erp.find" if effect is Effect.WRITE else None
    assert declared(create, effect=effect, origin=origin, system="erp", reconcile=reconcile).origin is expected


def test_the_title_is_the_first_line_of_the_docstring() -> None:
    assert declared(create).title == "Create a document."
    assert declared(create, version=3).reference == "erp.create@3"


def test_inputs_are_strict_frozen_and_without_extras() -> None:
    with pytest.raises(ValidationError):
        Draft.model_validate({"quantity": "3"})
    with pytest.raises(ValidationError):
        Draft.model_validate({"quantity": 3, "approved": True})
    with pytest.raises(ValidationError):
        Draft(quantity=3).quantity = 4  # pyright: ignore


def write(**options: Any) -> Operation:
    return declared(create, effect=Effect.WRITE, system="erp", **{"reconcile": "erp.find", **options})


def found(function: Callable[..., BaseModel] = find, **options: Any) -> Operation:
    return declared(function, "erp.find", **{"effect": Effect.READ, "system": "erp", **options})


UNFIT: list[tuple[str, list[Operation], str]] = [
    ("twice", [found(), found()], "declared twice"),
    ("no such reconcile", [write()], "names erp.find, which is not declared"),
    ("no such compensation", [found(), write(compensate="erp.undo")], "names erp.undo"),
    ("a compensation that reads", [found(), write(compensate="erp.find")], "must be a write"),
    ("a reconcile that writes", [write(reconcile="erp.create")], "must only read"),
    ("a reconcile of another shape", [write(), found(create)], r"Lookup\) -> Found\[Document\]"),
    ("a reconcile of another document", [write(), found(find_other)], "must find a Document"),
]


@pytest.mark.parametrize(("operations", "said"), [row[1:] for row in UNFIT], ids=[row[0] for row in UNFIT])
def test_a_catalogue_that_does_not_fit_together_is_refused(operations: list[Operation], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        OperationRegistry(operations)


def test_a_name_alone_means_the_newest_version() -> None:
    registry = OperationRegistry(
        [declared(create, version=2), declared(create, version=10), declared(create, version=1)]
    )
    assert registry.find("erp.create").version == 10
    assert registry.find("erp.create@1").version == 1
    assert [each.version for each in registry] == [2, 10, 1]


@pytest.mark.parametrize("reference", ["erp.create@3", "erp.drop", ""])
def test_an_unknown_operation_is_named(reference: str) -> None:
    with pytest.raises(UnknownOperation, match="catalogue") as refusal:
        OperationRegistry([declared(create)]).find(reference)
    assert refusal.value.reference == reference
