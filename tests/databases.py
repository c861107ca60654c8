"""Real databases for tests: SQLite files, PostgreSQL and MariaDB, each with tables of its own per worker process.

The tables are made once per worker; a test gets them empty. A database that cannot be reached skips its tests, unless
``VERMILION_REQUIRE_ALL=1`` is set: then it fails them.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import psycopg
import pymysql
import pytest
from sqlalchemy import URL, Table, delete, make_url
from sqlalchemy.dialects import mysql

from engine.store import Store, StoreUnavailable
from engine.store.tables import metadata

POSTGRESQL = os.environ.get("VERMILION_TEST_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")
MARIADB = os.environ.get("VERMILION_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1:3306/test")
KINDS = ("sqlite", "postgresql", "mariadb")
#: Unique per test process, so that workers and parallel runs do not meet.
_NAME = f"vermilion_test_{os.getpid()}_{secrets.token_hex(3)}"


class Tables(Protocol):
    """A place with Vermilion's tables that tests of one kind of database share."""

    def emptied(self, folder: Path) -> str:
        """Return the URL of the tables, without a row in them."""
        ...

    def drop(self) -> None:
        """Remove everything."""
        ...


class _SqliteTables:
    def __init__(self, folder: Path) -> None:
        self._template = folder / "template.sqlite"
        store = Store(f"sqlite:///{self._template}")
        store.migrate()
        store.close()

    def emptied(self, folder: Path) -> str:
        path = folder / "vermilion.sqlite"
        shutil.copyfile(self._template, path)
        return f"sqlite:///{path}"

    def drop(self) -> None:
        self._template.unlink()


class _ServerTables:
    """A schema (PostgreSQL) or database (MariaDB) of its own on the server of the URL."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        create, self._drop = _PLACES[kind]
        create(_NAME)
        self._url = _url_of(kind, _NAME)
        store = Store(_text(self._url))
        store.migrate()
        store.close()

    def emptied(self, folder: Path) -> str:
        del folder
        if self._kind == "postgresql":
            _postgresql(f"SET search_path = {_NAME}", *(str(delete(table)) for table in metadata.tables.values()))
        else:
            _mariadb(f"USE {_NAME}", *(_emptying(table) for table in metadata.tables.values()))
        return _text(self._url)

    def drop(self) -> None:
        self._drop(_NAME)


def _url_of(kind: str, name: str) -> URL:
    if kind == "postgresql":
        return make_url(POSTGRESQL).update_query_dict({"options": f"-c search_path={name}"})
    return make_url(MARIADB).set(database=name)


def _postgresql(*statements: str) -> None:
    url = make_url(POSTGRESQL).set(drivername="postgresql")
    with psycopg.connect(_text(url), connect_timeout=3, autocommit=True) as connection:
        connection.execute("; ".join(statements).encode())


def _mariadb(*statements: str) -> None:
    url = make_url(MARIADB)
    with (
        closing(
            pymysql.connect(
                host=url.host,
                port=url.port or 3306,
                user=url.username,
                password=url.password or "",
                connect_timeout=3,
            )
        ) as connection,
        connection.cursor() as cursor,
    ):
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


#: How a place for tables is made and removed.
_PLACES: dict[str, tuple[Callable[[str], None], Callable[[str], None]]] = {
    "postgresql": (
        lambda name: _postgresql(f"CREATE SCHEMA {name}"),
        lambda name: _postgresql(f"DROP SCHEMA {name} CASCADE"),
    ),
    "mariadb": (
        lambda name: _mariadb(f"CREATE DATABASE {name}"),
        lambda name: _mariadb(f"DROP DATABASE {name}"),
    ),
}


def _emptying(table: Table) -> str:
    return str(delete(table).compile(dialect=mysql.dialect()))


def _text(url: URL) -> str:
    return url.render_as_string(hide_password=False)


class Databases:
    """Makes the tables of each kind at their first use and drops them at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, Tables] = {}
        self._missing: dict[str, str] = {}

    def url(self, kind: str, folder: Path) -> str:
        """Return the URL of empty tables; skips or fails the test where there is no such database."""
        if not self.is_there(kind):
            if os.environ.get("VERMILION_REQUIRE_ALL") == "1":
                pytest.fail(f"{kind} is required and cannot be reached: {self._missing[kind]}")
            pytest.skip(f"{kind} CANNOT BE REACHED: {self._missing[kind]}")
        return self._tables[kind].emptied(folder)

    def _make(self, kind: str) -> None:
        makers: dict[str, Callable[[], Tables]] = {
            "sqlite": lambda: _SqliteTables(self._folder),
            "postgresql": lambda: _ServerTables("postgresql"),
            "mariadb": lambda: _ServerTables("mariadb"),
        }
        try:
            self._tables[kind] = makers[kind]()
        except (psycopg.OperationalError, pymysql.OperationalError, StoreUnavailable) as error:
            self._missing[kind] = str(error).strip()

    def is_there(self, kind: str) -> bool:
        """Whether there is such a database."""
        if kind not in self._tables and kind not in self._missing:
            self._make(kind)
        return kind in self._tables

    @contextmanager
    def untouched(self, kind: str, folder: Path) -> Generator[str]:
        """Give the URL of a place without any tables, for one test."""
        self.url(kind, folder)
        name = f"{_NAME}_untouched"
        if kind == "sqlite":
            yield f"sqlite:///{folder / 'untouched.sqlite'}"
            return
        create, drop = _PLACES[kind]
        create(name)
        try:
            yield _text(_url_of(kind, name))
        finally:
            drop(name)

    def drop(self) -> None:
        """Remove all tables that were made."""
        for tables in self._tables.values():
            tables.drop()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Every kind of database, made when first asked for."""
    made = Databases(tmp_path_factory.mktemp("databases"))
    yield made
    made.drop()


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    """The URL of empty tables; the test runs once per kind of database."""
    return databases.url(request.param, tmp_path)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store over empty tables; the test runs once per kind of database."""
    opened = Store(store_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_url(databases: Databases, tmp_path: Path) -> str:
    """The URL of empty tables in a SQLite file, for tests where the database makes no difference."""
    return databases.url("sqlite", tmp_path)


@pytest.fixture
def sqlite_store(sqlite_url: str) -> Iterator[Store]:
    """A store over a SQLite file, for tests where the database makes no difference."""
    opened = Store(sqlite_url)
    yield opened
    opened.close()
