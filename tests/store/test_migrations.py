"""The versions of the schema make the tables of the program, once, whoever else tries at the same time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from engine.store import SchemaOutdated, Store, timers
from engine.store.migrations import head
from engine.store.tables import metadata
from tests.databases import KINDS, Databases


def test_migrated_tables_are_the_programs_tables(store: Store) -> None:
    with store.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found: Any = compare_metadata(context, metadata)
        connection.rollback()

    assert found == []
    store.check_schema()


def test_migrated_tables_are_made_by_the_same_sql(sqlite_store: Store) -> None:
    """What a comparison does not see: tables without row ids, partial indexes, the order of columns."""
    fresh = create_engine("sqlite://")
    metadata.create_all(fresh)
    ours = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'alembic%' AND name NOT LIKE 'sqlite_auto%'"

    with fresh.connect() as expected, sqlite_store.database.engine.connect() as migrated:
        wanted = {row.name: " ".join(row.sql.split()) for row in expected.execute(text(ours))}
        made = {row.name: " ".join(row.sql.split()) for row in migrated.execute(text(ours))}

    assert made == wanted
    fresh.dispose()


def test_migrating_twice_changes_nothing(store: Store) -> None:
    store.migrate()
    store.migrate()

    store.check_schema()


def test_migrating_an_up_to_date_database_waits_for_nobody(store_url: str) -> None:
    store, other = Store(store_url, lock_timeout=timedelta(seconds=1)), Store(store_url)

    with other.writing("long"):
        store.migrate()

    store.close()
    other.close()


def test_missing_tables_are_told_with_the_command(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'empty.sqlite'}")

    with pytest.raises(SchemaOutdated, match="vermilion serve"):
        store.check_schema()
    with pytest.raises(SchemaOutdated, match="vermilion serve"), store.writing("start") as session:
        session.run(timers.DELETE, {"timer_id": "0" * 32})
    store.close()


@pytest.mark.parametrize("found", ["0000", "9999"], ids=["earlier", "later"])
def test_another_version_is_told(sqlite_store: Store, found: str) -> None:
    with sqlite_store.database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :found"), {"found": found})

    with pytest.raises(SchemaOutdated, match=f"{found}.*{head()}"):
        sqlite_store.check_schema()


def test_a_database_of_a_later_version_is_left_alone(sqlite_store: Store) -> None:
    with sqlite_store.database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaOutdated, match="later version"):
        sqlite_store.migrate()


def test_processes_that_migrate_at_the_same_time_do_it_once(databases: Databases, tmp_path: Path) -> None:
    """Both go through all three kinds of database, so that starting them is paid for once."""
    program = "import sys\nfrom engine.store import Store\nfor url in sys.argv[1:]:\n    Store(url).migrate()\n"
    with ExitStack() as places:
        urls = [places.enter_context(databases.untouched(kind, tmp_path)) for kind in KINDS if databases.is_there(kind)]
        processes = [subprocess.Popen([sys.executable, "-c", program, *urls], stderr=subprocess.PIPE) for _ in range(2)]
        errors = [process.communicate(timeout=60)[1] for process in processes]

        assert errors == [b"", b""]
        for url in urls:
            store = Store(url)
            store.check_schema()
            store.close()
