"""Fresh tables to measure on - a SQLite file, PostgreSQL, MariaDB - and the bytes that they hold."""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy import URL, Engine, create_engine, make_url, text
from sqlalchemy.exc import OperationalError

KINDS = ("sqlite", "postgresql", "mariadb")
POSTGRESQL = os.environ.get("VERMILION_TEST_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")
MARIADB = os.environ.get("VERMILION_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1:3306/test")
_APART = ("blob", "audit")


class NotReachable(Exception):
    """There is no such database here."""


@dataclass(frozen=True, kw_only=True)
class Bytes:
    """What tables and indexes hold. ``rows`` leaves the blobs out and includes the audit trail."""

    rows: int
    blobs: int
    audit: int

    def since(self, before: Bytes, instances: int) -> Bytes:
        """Return the growth per instance."""
        return Bytes(
            rows=round((self.rows - before.rows) / instances),
            blobs=round((self.blobs - before.blobs) / instances),
            audit=round((self.audit - before.audit) / instances),
        )


class Tables(Protocol):
    """A place for tables that nobody else uses.

    Attributes
    ----------
    kind
        sqlite, postgresql or mariadb.
    url
        SQLAlchemy URL.
    """

    kind: str
    url: str

    def size(self) -> Bytes:
        """Return what the tables hold now. Nobody may be writing."""
        ...


class _SqliteFile:
    kind = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path
        self.url = f"sqlite:///{path}"

    def size(self) -> Bytes:
        """Return pages in use: what is left of the file after a checkpoint, without free pages."""
        with closing(sqlite3.connect(self._path)) as file, closing(sqlite3.connect(":memory:")) as copy:
            file.backup(copy)
            sizes = [_pages(copy)]
            for table in _APART:
                copy.execute(f"DROP TABLE {table}")
                sizes.append(_pages(copy))
        everything, without_blobs, without_audit = sizes
        return Bytes(rows=without_blobs, blobs=everything - without_blobs, audit=without_blobs - without_audit)


def _pages(connection: sqlite3.Connection) -> int:
    count, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return (count - free) * size


class _PostgresqlSchema:
    kind = "postgresql"

    def __init__(self, engine: Engine, url: str, schema: str) -> None:
        self._engine = engine
        self._schema = schema
        self.url = url

    def size(self) -> Bytes:
        """Return all relations of the schema after VACUUM, indexes and overflow tables included."""
        with self._engine.connect() as connection:
            names = connection.scalars(
                text("SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(:schema) AND relkind = 'r'"),
                {"schema": self._schema},
            ).all()
            sizes: dict[str, int] = {}
            for name in names:
                connection.execute(text(f'VACUUM "{self._schema}"."{name}"'))
                sizes[name] = connection.scalar(
                    text("SELECT pg_total_relation_size(to_regclass(:name))"), {"name": f'"{self._schema}"."{name}"'}
                )
        return _bytes(sizes)


class _MariadbDatabase:
    kind = "mariadb"

    def __init__(self, engine: Engine, url: str, database: str) -> None:
        self._engine = engine
        self._database = database
        self.url = url

    def size(self) -> Bytes:
        """Return the pages that InnoDB's statistics give to tables and indexes: a rough figure."""
        with self._engine.connect() as connection:
            names = connection.scalars(
                text("SELECT table_name FROM information_schema.tables WHERE table_schema = :database"),
                {"database": self._database},
            ).all()
            listed = ", ".join(f"`{self._database}`.`{name}`" for name in names)
            connection.execute(text(f"ANALYZE TABLE {listed}"))
            rows = connection.execute(
                text(
                    "SELECT table_name, data_length + index_length FROM information_schema.tables"
                    " WHERE table_schema = :database"
                ),
                {"database": self._database},
            ).all()
        return _bytes({name: int(size) for name, size in rows})


def _bytes(sizes: dict[str, int]) -> Bytes:
    blobs = sizes.get("blob", 0)
    return Bytes(rows=sum(sizes.values()) - blobs, blobs=blobs, audit=sizes.get("audit", 0))


@contextmanager
def fresh_tables(kind: str) -> Generator[Tables]:
    """Give an empty place for tables and remove it afterwards. Raises NotReachable."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="vermilion-bench-") as folder:
            yield _SqliteFile(Path(folder) / "vermilion.sqlite")
        return
    name = f"vermilion_bench_{os.getpid()}_{secrets.token_hex(3)}"
    url = make_url(POSTGRESQL if kind == "postgresql" else MARIADB)
    engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 3})
    create, drop = _PLACES[kind]
    try:
        try:
            _run(engine, create.format(name))
        except OperationalError as error:
            raise NotReachable(f"{kind} cannot be reached: {error.orig}") from error
        try:
            yield _server_tables(kind, engine, url, name)
        finally:
            _run(engine, drop.format(name))
    finally:
        engine.dispose()


#: How a place for tables is made and removed.
_PLACES = {
    "postgresql": ('CREATE SCHEMA "{}"', 'DROP SCHEMA "{}" CASCADE'),
    "mariadb": ("CREATE DATABASE `{}`", "DROP DATABASE `{}`"),
}


def _server_tables(kind: str, engine: Engine, url: URL, name: str) -> Tables:
    if kind == "postgresql":
        own = url.update_query_dict({"options": f"-c search_path={name}"})
        return _PostgresqlSchema(engine, own.render_as_string(hide_password=False), name)
    return _MariadbDatabase(engine, url.set(database=name).render_as_string(hide_password=False), name)


def _run(engine: Engine, statement: str) -> None:
    with engine.connect() as connection:
        connection.execute(text(statement))
