"""Calls as a worker would make them, for the tests of operations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.contract import Call, Connection, Correlation, ModelCall, RepeatRecognition, idempotency_key, sent_key
from engine.contract.ids import BusinessKey, EventId, ExecutionId, StepKey, TenantId, TraceId, WorkflowId

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
WORKFLOW = WorkflowId("0198c0de" + "0" * 24)
KEY = idempotency_key(TenantId("main"), WORKFLOW, "Create", "0", 1)


class Notebook:
    """A recorder that keeps what it is told."""

    def __init__(self) -> None:
        self.model_calls: list[ModelCall] = []
        self.sent = 0

    def request_sent(self) -> None:
        """Count it."""
        self.sent += 1

    def model_called(self, model_call: ModelCall) -> None:
        """Keep it."""
        self.model_calls.append(model_call)


def connection(url: str, *, refusals: frozenset[int] = frozenset()) -> Connection:
    """Return a connection to a test's server."""
    return Connection(
        system="erp", base_url=url, token="s3cret", recognition=RepeatRecognition.NATIVE_KEY, refusals=refusals
    )


def call(
    to: Connection | None = None,
    *,
    seconds: float = 5,
    is_last_attempt: bool = False,
    notebook: Notebook | None = None,
    business_key: str | None = "MR-2026-0001",
) -> Call:
    """Return a call with ``seconds`` left."""
    return Call(
        correlation=Correlation(
            tenant_id=TenantId("main"),
            workflow_id=WORKFLOW,
            business_key=None if business_key is None else BusinessKey(business_key),
            step_key=StepKey("Create"),
            execution_id=ExecutionId("0198c0df" + "1" * 24),
            trace_id=TraceId("4bf92f3577b34da6a3ce929d0e0e4736"),
            event_id=EventId("evt-7"),
            approval_id="0198c0e0" + "2" * 24,
        ),
        idempotency_key=KEY,
        sent_key=sent_key(KEY),
        attempt=2,
        now=NOW,
        deadline=NOW + timedelta(seconds=seconds),
        connection=to,
        is_last_attempt=is_last_attempt,
        recorder=notebook or Notebook(),
    )
