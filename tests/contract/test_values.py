"""Keys, error messages, origins, and what a connection keeps open."""

from __future__ import annotations

import hashlib
import re

import pytest

from engine.contract import (
    BadParameters,
    Connection,
    Origin,
    OutcomeUnknown,
    RepeatRecognition,
    idempotency_key,
    sent_key,
    taint,
)
from engine.contract.ids import TenantId, WorkflowId

WORKFLOW = WorkflowId("0199" + "0" * 28)


def test_the_key_names_the_intent_and_nothing_else() -> None:
    key = idempotency_key(TenantId("main"), WORKFLOW, "Create", "1.3", 2)
    assert key == f"main:{WORKFLOW}:Create:1.3:v2"
    assert sent_key(key) == hashlib.sha256(key.encode()).hexdigest()[:32]
    assert re.fullmatch("[0-9a-f]{32}", sent_key(key))


def test_a_changed_intent_has_another_key() -> None:
    keys = {
        sent_key(idempotency_key(TenantId("main"), WORKFLOW, step, iteration, intent))
        for step in ("Create", "Cancel")
        for iteration in ("0", "1", "1.1")
        for intent in (1, 2, 11)
    }
    assert len(keys) == 2 * 3 * 3


@pytest.mark.parametrize(("step", "iteration"), [("Create:0", "1"), ("Create", "0:1")])
def test_a_colon_could_make_two_intents_one_and_is_refused(step: str, iteration: str) -> None:
    with pytest.raises(ValueError, match="colon"):
        idempotency_key(TenantId("main"), WORKFLOW, step, iteration, 1)


def test_an_error_without_a_message_says_its_docstring() -> None:
    assert str(OutcomeUnknown()).startswith("The request left, but no answer came back.")
    assert BadParameters("quantity is negative", detail="{}").message == "quantity is negative"


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        ([], Origin.RULE),
        ([Origin.SYSTEM, Origin.PERSON], Origin.RULE),
        ([Origin.SYSTEM, Origin.MODEL], Origin.MODEL),
    ],
)
def test_one_suggestion_makes_the_result_a_suggestion(origins: list[Origin], expected: Origin) -> None:
    assert taint(*origins) is expected


class Pool:
    """Counts how often it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        """Count."""
        self.closed += 1


def connection() -> Connection:
    return Connection(system="erp", base_url="http://erp", token="secret", recognition=RepeatRecognition.NATIVE_KEY)


def test_a_connection_keeps_one_pool_and_closes_it_when_it_is_dropped() -> None:
    erp = connection()
    pool = erp.kept_open.of(Pool, Pool)
    assert erp.kept_open.of(Pool, Pool) is pool
    assert connection().kept_open.of(Pool, Pool) is not pool
    assert pool.closed == 0
    del erp
    assert pool.closed == 1


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(connection())
    assert connection() == connection()
