"""The adapters' other side: a running stand-in company, and the part of a worker that repeats a write safely."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar, cast

from engine.contract import (
    Call,
    Connection,
    Found,
    Lookup,
    Operation,
    OperationError,
    RepeatRecognition,
    Values,
    idempotency_key,
    sent_key,
)
from engine.contract.ids import TenantId
from sandbox import Company
from service_tasks.erp.values import RequisitionDraft
from tests.service_tasks.calls import WORKFLOW, call

Result = TypeVar("Result", bound=Values)

DRAFT = RequisitionDraft(
    material_id="MAT-001",
    quantity=Decimal(400),
    unit="pc",
    supplier_id="S-101",
    price=Decimal("2.30"),
    currency="EUR",
    amount=Decimal("920.00"),
    company_amount=Decimal("920.00"),
    cost_centre="CC-100",
    need_date=date(2026, 12, 8),
    reference="MR-2026-0001 v1",
    draft_digest="d" * 64,
)


class Systems:
    """The product's connections to a company's systems."""

    def __init__(
        self,
        company: Company,
        *,
        recognition: RepeatRecognition = RepeatRecognition.NATIVE_KEY,
        search_is_complete: bool = False,
        seconds: float = 5,
    ) -> None:
        self.company = company
        self._seconds = seconds
        self._connections = {
            name: Connection(
                system=name,
                base_url=reach.url,
                token=reach.service,
                recognition=recognition,
                search_is_complete=search_is_complete,
            )
            for name, reach in company.reach.items()
        }

    def close(self) -> None:
        """Close the sockets that are kept open."""
        for each in self._connections.values():
            each.kept_open.close()

    def call(self, system: str, *, intent: int = 1) -> Call:
        """Return a call of the step ``Create`` to a system."""
        key = idempotency_key(TenantId("main"), WORKFLOW, "Create", "0", intent)
        made = call(self._connections[system], seconds=self._seconds)
        return replace(made, idempotency_key=key, sent_key=sent_key(key))

    def run(self, operation: Operation, values: Values, kind: type[Result], *, intent: int = 1) -> Result:
        """Call an operation once, with values that travelled as JSON, as a worker passes them."""
        system = operation.name.partition(".")[0]
        given = operation.input_model.model_validate_json(values.model_dump_json())
        result = operation.function(self.call(system, intent=intent), given)
        assert isinstance(result, kind)
        assert isinstance(result, operation.output_model)
        assert operation.output_model.model_validate_json(result.model_dump_json()) == result
        return result

    def write(
        self, operation: Operation, find: Operation, values: Values, kind: type[Result], *, attempts: int = 5
    ) -> Result | None:
        """Write as a worker does: look up before every repeat; None when only a person can tell (P6)."""
        lookup = Lookup(sent_key=self.call("erp").sent_key, arguments=values.model_dump_json())
        is_in_doubt = False
        for attempt in range(attempts):
            if attempt:
                found = self._find(find, lookup)
                if found.document is not None:
                    assert isinstance(found.document, kind)
                    return found.document
                if is_in_doubt and not found.is_certain:
                    return None
            try:
                return self.run(operation, values, kind)
            except OperationError as error:
                if not error.is_retryable:
                    raise
                is_in_doubt = is_in_doubt or error.is_outcome_unknown
        raise AssertionError(f"{operation.name} failed {attempts} times")

    def _find(self, find: Operation, lookup: Lookup) -> Found[Values]:
        result = find.function(self.call("erp"), lookup)
        assert isinstance(result, Found)
        return cast(Found[Values], result)

    def documents(self) -> list[str]:
        """Return the numbers of the requisitions that were made over HTTP, from the ERP's own ledger."""
        rows = self.company.erp.database.rows(
            "select number from requisitions where created_by = 'service' order by id"
        )
        return [row["number"] for row in rows]


def later(days: int) -> date:
    """Return the company's day so many days from its first, for a company that starts on 1 December 2026."""
    return date(2026, 12, 1) + timedelta(days=days)
