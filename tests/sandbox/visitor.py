"""Programs that talk to the company from outside: one that asks, one that takes events."""

from __future__ import annotations

import queue
import ssl
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

import httpx

from sandbox import Company
from sandbox.http_server import Answer, HttpServer, Request, json_answer

#: How long a test waits for something that must come, in seconds.
PATIENCE = 10.0

#: Everything here is plain HTTP; without this each client would load all certificates of the machine.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

DRAFT: dict[str, str] = {
    "material_id": "MAT-001",
    "quantity": "400",
    "unit": "pc",
    "supplier_id": "S-101",
    "price": "2.30",
    "currency": "EUR",
    "amount": "920.00",
    "company_amount": "920.00",
    "cost_centre": "CC-100",
    "need_date": "2026-12-08",
    "reference": "MR-1 v1",
    "draft_digest": "d1",
}


def draft(material_id: str, quantity: str, price: str, **changes: str) -> dict[str, str]:
    """Return a draft for a material of a supplier that sells in EUR."""
    amount = f"{Decimal(quantity) * Decimal(price):.2f}"
    figures = {"quantity": quantity, "price": price, "amount": amount, "company_amount": amount, "supplier_id": "S-102"}
    return {**DRAFT, **figures, "material_id": material_id, "reference": f"{material_id} v1", **changes}


def ask(
    company: Company,
    method: str,
    path: str,
    *,
    system: str = "erp",
    who: str = "service",
    json: object = None,
    key: str | None = None,
) -> httpx.Response:
    """Ask a system of the company."""
    reach = company.reach[system]
    headers = {"authorization": f"Bearer {getattr(reach, who)}"}
    if key is not None:
        headers["idempotency-key"] = key
    with httpx.Client(trust_env=False, verify=_NO_TLS) as client:
        return client.request(method, reach.url + path, json=json, headers=headers)


def look(company: Company, system: str) -> httpx.Response:
    """Open a system's page, as a person does: without a token."""
    with httpx.Client(trust_env=False, verify=_NO_TLS) as client:
        return client.get(company.reach[system].url)


def requisitions(company: Company) -> list[dict[str, Any]]:
    """Return the requisitions in the ERP's ledger, without those from before the first day."""
    ledger = ask(company, "GET", "/ledger", who="admin").json()
    return [each for each in ledger["requisitions"] if each["created_by"] != "buyer"]


class Receiver:
    """Takes events at ``url``; answers with the statuses given in ``answers`` first, then with 204."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.events: queue.Queue[Request] = queue.Queue()
        self._server = HttpServer("127.0.0.1", 0, self._take)
        self.url = f"http://127.0.0.1:{self._server.port}/events"

    def _take(self, request: Request) -> Answer:
        status = self.answers.pop(0) if self.answers else 204
        self.events.put(request)
        return json_answer({}, status=status)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()
