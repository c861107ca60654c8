"""The ERP's answers about requisitions, and how a document is found again."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

from engine.contract import Connection, NotPermitted, RepeatRecognition
from engine.contract.operation import Values
from service_tasks.erp.values import Cancellation, Requisition, RequisitionStatus
from service_tasks.http import SystemClient, path
from service_tasks.pages import read_all


class RequisitionAnswer(Values, extra="ignore"):
    """A requisition as the ERP shows it."""

    number: str
    status: RequisitionStatus
    key: str | None
    reference: str
    material_id: str
    supplier_id: str
    quantity: Decimal
    unit: str
    amount: Decimal
    currency: str
    reason: str | None

    def requisition(self) -> Requisition:
        """Return it as the operations' result."""
        return Requisition(**self.model_dump())


class RequisitionsAnswer(Values, extra="ignore"):
    """One page of found requisitions."""

    items: tuple[RequisitionAnswer, ...]
    next: str | None


class CancellationAnswer(Values, extra="ignore"):
    """A requisition's cancellation."""

    number: str
    status: Literal["cancelled"]
    reason: str
    cancelled_at: datetime

    def cancellation(self) -> Cancellation:
        """Return it as the operations' result."""
        return Cancellation(**self.model_dump())


class CancellationsAnswer(Values, extra="ignore"):
    """Whether a requisition is cancelled: None when it is not."""

    cancellation: CancellationAnswer | None


def requisition_path(number: str, *more: str) -> str:
    """Return the address of a requisition, or of something of it."""
    return path("v1", "requisitions", number, *more)


def find_by_key(client: SystemClient, sent_key: str) -> Requisition | None:
    """Return the document that was sent under this key, None when there is none."""
    return _only(client, {"key": sent_key})


def search(client: SystemClient, *, reference: str, material_id: str | None = None) -> Requisition | None:
    """Return the document with this reference, None when none is shown.

    The reference names the business key and the intent, so that it stands for one draft alone. Quantity and amount
    are not searched for: an ERP may have changed them, and the document would be missed and made a second time.
    """
    narrower = {} if material_id is None else {"material_id": material_id}
    return _only(client, {"reference": reference, **narrower})


def _only(client: SystemClient, params: dict[str, str]) -> Requisition | None:
    """Return the found document; of several, the oldest that still stands, else the oldest."""
    address = path("v1", "requisitions")
    _, found = read_all(
        lambda page: client.get(address, RequisitionsAnswer, params={**params, **page}), lambda answer: answer
    )
    standing = [each for each in found if each.status not in ("cancelled", "refused")]
    chosen = next(iter([*standing, *found]), None)
    return None if chosen is None else chosen.requisition()


def proves_absence(connection: Connection | None) -> bool:
    """Tell whether "not found" by this connection's way of recognising means "not there" (DECISIONS, Failure).

    Raises
    ------
    NotPermitted
        When the system is not configured.
    """
    if connection is None:
        raise NotPermitted("This installation has no connection to the ERP. Configure one.")
    return connection.recognition is not RepeatRecognition.SEARCH_ONLY or connection.search_is_complete


def has_keys(connection: Connection | None) -> bool:
    """Tell whether the connection's system keeps keys."""
    return connection is not None and connection.recognition is RepeatRecognition.NATIVE_KEY
