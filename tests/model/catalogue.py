"""A small catalogue of operations for the tests of the model room."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract.call import Call
from engine.contract.operation import Effect, Values, operation
from engine.contract.origin import Origin
from engine.contract.reconcile import Found, Lookup
from engine.contract.registry import OperationRegistry


class Nothing(Values):
    """No input."""


class Order(Values):
    """What is ordered."""

    material: str
    quantity: Decimal = Field(gt=0)
    urgency: Literal["low", "high"] = "low"
    needed_on: date | None = None
    lines: int = 1


class Document(Values):
    """What stands in the ERP."""

    number: str


class Risk(Values):
    """A risk."""

    level: str


@operation("erp.read", version=1, effect=Effect.READ, system="erp")
def read(call: Call, nothing: Nothing) -> Document:
    """Read something."""
    return Document(number="")


@operation("erp.find", version=1, effect=Effect.READ, system="erp")
def find(call: Call, lookup: Lookup) -> Found[Document]:
    """Find by key."""
    return Found[Document]()


@operation("erp.cancel", version=1, effect=Effect.WRITE, system="erp", reconcile="erp.find")
def cancel(call: Call, document: Document) -> Document:
    """Cancel a document."""
    return document


@operation("erp.create", version=1, effect=Effect.WRITE, system="erp", reconcile="erp.find", compensate="erp.cancel")
def create(call: Call, order: Order) -> Document:
    """Create a document."""
    return Document(number="")


@operation("erp.create", version=2, effect=Effect.WRITE, system="erp", reconcile="erp.find", compensate="erp.cancel")
def create_2(call: Call, order: Order) -> Document:
    """Create a document, newer."""
    return Document(number="")


@operation("ai.analyse", version=1, effect=Effect.READ, system="ai", origin=Origin.MODEL)
def analyse(call: Call, nothing: Nothing) -> Risk:
    """Suggest a risk."""
    return Risk(level="low")


@operation("rules.accept", version=1, effect=Effect.PURE, accepts_suggestions=frozenset({"level"}))
def accept(call: Call, risk: Risk) -> Risk:
    """Accept a suggested risk by rule."""
    return risk


@operation("rules.describe", version=1, effect=Effect.PURE)
def describe(call: Call, risk: Risk) -> Risk:
    """Compute with a risk, without judging it."""
    return risk


CATALOGUE = OperationRegistry([read, find, cancel, create, create_2, analyse, accept, describe])


def service(element_id: str, name: str, *, result: str = "", status: str = "", more: str = "", **inputs: str) -> str:
    """Return a service task that calls an operation."""
    given = "".join(f'<vermilion:input name="{key}">{value}</vermilion:input>' for key, value in inputs.items())
    target = f' result="{result}"' if result else ""
    entered = f'<vermilion:status name="{status}"/>' if status else ""
    return (
        f'<serviceTask id="{element_id}"><extensionElements>{entered}<vermilion:operation name="{name}"{target}{more}>'
        f"{given}</vermilion:operation></extensionElements></serviceTask>"
    )
