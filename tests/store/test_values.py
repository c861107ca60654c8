"""What is stored comes back as it was, the same in every database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from engine.store import DuplicateRow, Store, StoreError, blobs, definitions, inbox, instances, jobs
from engine.store.columns import NaiveInstant, TextNotStorable, TextTooLong
from tests.store.rows import TENANT, instance, job, new_id

AN_INSTANT = datetime(2026, 3, 29, 1, 59, 59, 123456, tzinfo=UTC)


def stored(store: Store, **changes: Any) -> instances.InstanceRow:
    row = instance(AN_INSTANT, **changes)
    with store.writing("start") as session:
        session.run(instances.INSERT, row)
    with store.reading() as session:
        found = session.one(instances.BY_ID, {"tenant_id": TENANT, "workflow_id": row["workflow_id"]})
    assert found is not None
    return found


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"business_key": "MR-7 短缺 ⚠️ 'quoted' \"%s %(x)s ? :x \\ "}, id="any text"),
        pytest.param({"business_key": ""}, id="empty text"),
        pytest.param({"state": bytes(range(256)) * 100}, id="any bytes"),
        pytest.param({"state": b""}, id="no bytes"),
        pytest.param({"deadline_at": AN_INSTANT + timedelta(days=36500)}, id="a far instant"),
        pytest.param({"deadline_at": datetime(1969, 12, 31, tzinfo=UTC)}, id="an instant before 1970"),
        pytest.param({"deadline_at": AN_INSTANT.astimezone(timezone(timedelta(hours=8)))}, id="another zone"),
        pytest.param({"parent_workflow_id": "f" * 32}, id="an id"),
    ],
)
def test_values_come_back_as_they_were(store: Store, changes: Mapping[str, Any]) -> None:
    found = stored(store, **changes)

    assert {name: getattr(found, name) for name in changes} == changes
    assert found.created_at == AN_INSTANT


def test_a_large_value_fits(store: Store) -> None:
    state = bytes(1_000_000) + b"end"

    assert stored(store, state=state).state == state


@pytest.mark.parametrize("other", ["mr-7", "MR-7 ", "ＭＲ-7"], ids=["case", "space", "width"])
def test_texts_are_the_same_only_if_their_bytes_are(store: Store, other: str) -> None:
    """MariaDB's default collation would hold all of these for one key."""
    with store.writing("start") as session:
        session.run(instances.INSERT, instance(AN_INSTANT, held_key="MR-7"))
        session.run(instances.INSERT, instance(AN_INSTANT, held_key=other))

    with store.reading() as session:
        key = {"tenant_id": TENANT, "workflow_type": "procurement", "held_key": other}
        found = session.one(instances.BY_HELD_KEY, key)
    assert found is not None
    assert found.held_key == other


def test_a_text_that_is_too_long_is_refused_everywhere(store: Store) -> None:
    with pytest.raises(TextTooLong, match="190"), store.writing("start") as session:
        session.run(instances.INSERT, instance(AN_INSTANT, business_key="x" * 191))


@pytest.mark.parametrize("character", ["\0", "\ud800"], ids=["zero byte", "half a pair"])
def test_a_text_that_not_every_database_can_hold_is_refused_by_all(store: Store, character: str) -> None:
    with pytest.raises(TextNotStorable), store.writing("start") as session:
        session.run(instances.INSERT, instance(AN_INSTANT, business_key=f"MR-{character}"))


def test_a_missing_value_is_refused_everywhere(store: Store) -> None:
    """INSERT IGNORE would have put an empty text there."""
    event = {**received(), "event_type": None}

    with pytest.raises(StoreError), store.writing("inbox") as session:
        session.run(inbox.INSERT_IF_ABSENT, event)


def test_an_instant_without_a_zone_is_refused(sqlite_store: Store) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - that is the point

    with pytest.raises(NaiveInstant), sqlite_store.writing("start") as session:
        session.run(jobs.INSERT, job(naive))


def received(**changes: Any) -> dict[str, Any]:
    event = {
        "tenant_id": TENANT,
        "source": "mes",
        "event_id": "e-1",
        "event_type": "material.shortage",
        "body_digest": "ab" * 32,
        "received_at": AN_INSTANT,
        "answer": {"fate": "started", "instances": [{"business_key": "短缺"}], "none": None},
    }
    return event | changes


def test_an_event_is_received_once_and_answered_the_same(store: Store) -> None:
    with store.writing("inbox") as session:
        assert session.run(inbox.INSERT_IF_ABSENT, received()) == 1
    with store.writing("inbox") as session:
        assert session.run(inbox.INSERT_IF_ABSENT, received(answer={"fate": "other"})) == 0
        # The unit goes on: on MySQL the refusal was an error of the server.
        assert session.run(inbox.INSERT_IF_ABSENT, received(event_id="e-2")) == 1
        assert session.run(inbox.INSERT_IF_ABSENT, received(source="wms")) == 1

    with store.reading() as session:
        found = session.one(inbox.BY_ID, {"tenant_id": TENANT, "source": "mes", "event_id": "e-1"})
    assert found is not None
    assert (found.answer, found.body_digest) == (received()["answer"], "ab" * 32)


def test_a_duplicate_key_is_called_so(store: Store) -> None:
    with store.writing("start") as session:
        session.run(instances.INSERT, instance(AN_INSTANT, held_key="MR-1"))

    with pytest.raises(DuplicateRow), store.writing("start") as session:
        session.run(instances.INSERT, instance(AN_INSTANT, held_key="MR-1"))


def test_no_row_holds_nothing(store: Store) -> None:
    """Several rows without a held key are no duplicates."""
    with store.writing("start") as session:
        assert session.run(instances.INSERT, [instance(AN_INSTANT, held_key=None) for _ in range(3)]) == 3
        assert session.run(instances.INSERT, []) == 0


def test_the_same_tenant_condition_keeps_others_out(store: Store) -> None:
    row = instance(AN_INSTANT)
    with store.writing("start") as session:
        session.run(instances.INSERT, row)

    with store.reading() as session:
        assert session.one(instances.BY_ID, {"tenant_id": "other", "workflow_id": row["workflow_id"]}) is None


def test_files_of_a_version_come_back_by_path(store: Store) -> None:
    definition_id = new_id()
    files = {"process.bpmn": b"<x/>", "forms/approve.form": b"{}"}
    with store.writing("deploy") as session:
        session.run(
            definitions.INSERT_FILES,
            [
                {"tenant_id": TENANT, "definition_id": definition_id, "path": path, "content": content}
                for path, content in files.items()
            ],
        )

    with store.reading() as session:
        found = session.all(definitions.FILES, {"tenant_id": TENANT, "definition_id": definition_id})
    assert {file.path: file.content for file in found} == files


@pytest.mark.parametrize("value", [b"", b"small", b"large " * 1000, bytes(range(256)) * 2], ids=len)
def test_a_blob_is_read_as_it_was_packed(value: bytes) -> None:
    content = blobs.packed(value)

    assert blobs.unpacked(content) == value
    assert len(content) <= len(value) + 1


@pytest.mark.parametrize("content", [b"", b"\x07x", b"\x01not a frame"], ids=["empty", "unknown form", "broken"])
def test_a_broken_blob_is_told(content: bytes) -> None:
    with pytest.raises(ValueError, match="stored value"):
        blobs.unpacked(content)
