"""The sandbox company's administrator: reads its ledger, throws its switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from vermilion.company_process import CompanyReach

_SYSTEM_OF = {"read_stock": "wms", "read_demand": "mes"}


class Desk:
    """Speaks to the three systems with the administrator's tokens. Made anew in each process."""

    def __init__(self, reach: CompanyReach) -> None:
        self._reach = reach
        self._client = httpx.Client(timeout=20.0, trust_env=False)

    def ledger(self) -> Mapping[str, Any]:
        """Return the ERP's own ledger."""
        return self._ask("GET", "erp", "/ledger", None).json()

    def switch(self, system: str, path: str, body: Mapping[str, object]) -> None:
        """Throw a switch."""
        self._ask("POST", system, path, body)

    def fault(self, operation: str, name: str, count: int, seconds: float = 2.0) -> None:
        """Arm a fault."""
        body = {"operation": operation, "name": name, "count": count, "seconds": seconds}
        self.switch(_SYSTEM_OF.get(operation, "erp"), "/faults", body)

    def repair(self) -> None:
        """Forget all faults."""
        for system in self._reach.urls:
            self._ask("DELETE", system, "/faults", None)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, method: str, system: str, path: str, body: Mapping[str, object] | None) -> httpx.Response:
        headers = {"authorization": f"Bearer {self._reach.admin_tokens[system]}"}
        answer = self._client.request(method, self._reach.urls[system] + path, json=body, headers=headers)
        answer.raise_for_status()
        return answer
