"""Rows for tests, complete and unremarkable; a test names what matters to it."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Any

TENANT = "main"
_numbers = itertools.count(1)


def new_id() -> str:
    """Return an id that sorts after the ones before it, as those of the product do."""
    return f"0190{next(_numbers):028x}"


def job(now: datetime, **changes: Any) -> dict[str, Any]:
    """Return a ready job."""
    row = {
        "job_id": new_id(),
        "tenant_id": TENANT,
        "workflow_id": new_id(),
        "step_key": "create_requisition",
        "iteration": "0",
        "kind": "operation",
        "operation": "erp.create_requisition@1",
        "system": "erp",
        "idempotency_key": f"main:{next(_numbers)}:create_requisition:0:v1",
        "priority": 5,
        "not_before": now,
        "status": "ready",
        "attempt": 0,
        "failure_count": 0,
        "lost_count": 0,
        "is_unknown": False,
        "arguments": b"{}",
        "context": {"trace_id": new_id()},
        "created_at": now,
    }
    return row | changes


def instance(now: datetime, **changes: Any) -> dict[str, Any]:
    """Return an instance that waits."""
    row = {
        "tenant_id": TENANT,
        "workflow_id": new_id(),
        "workflow_type": "procurement",
        "definition_id": new_id(),
        "execution_state": "waiting",
        "version": 1,
        "retry_count": 0,
        "started_by": new_id(),
        "trace_id": new_id(),
        "created_at": now,
        "updated_at": now,
        "state_format": 1,
        "state": b"state",
    }
    return row | changes


def task(now: datetime, **changes: Any) -> dict[str, Any]:
    """Return an open task."""
    row = {
        "tenant_id": TENANT,
        "task_id": new_id(),
        "workflow_id": new_id(),
        "step_key": "approve",
        "iteration": "0",
        "role": "purchasing_manager",
        "priority": 5,
        "opened_at": now,
        "bound_digest": "0" * 64,
        "shown": b"{}",
    }
    return row | changes
