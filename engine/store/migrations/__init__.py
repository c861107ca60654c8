"""The schema's versions, in ``versions``; Alembic brings a database from one to the next.

Several processes may upgrade one database at the same time: the first holds a lock (SQLite: the writer's; PostgreSQL:
an advisory lock of the transaction; MySQL and MariaDB: a named lock), the others find the work done.
"""

from __future__ import annotations

import threading

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, inspect, text

from engine.store.failures import SchemaOutdated, StoreBusy

#: Any constant: the name of "somebody migrates Vermilion's tables" among PostgreSQL's advisory locks.
_ADVISORY_LOCK = 7236019501
_WAIT_SECONDS = 60
#: Alembic keeps the migration that is running in its own modules, so one thread of a process migrates at a time.
_ALEMBIC = threading.Lock()


def head() -> str:
    """Return the schema version of this program."""
    revision = ScriptDirectory.from_config(_configuration()).get_current_head()
    assert revision is not None  # noqa: S101 - the package ships its revisions
    return revision


def upgrade(engine: Engine) -> None:
    """Bring a database to ``head()``; takes no lock and changes nothing when it is there.

    Raises SchemaOutdated when it is of a later version, StoreBusy when somebody else has been migrating for a minute.
    """
    if _versions(engine) == [head()]:
        return
    with _ALEMBIC, engine.connect() as connection:
        _lock(connection)
        try:
            configuration = _configuration()
            configuration.attributes["connection"] = connection
            command.upgrade(configuration, "head")
            connection.commit()
        except CommandError as error:
            raise SchemaOutdated(f"a later version is installed: {error}") from error
        finally:
            _unlock(connection)


def check(engine: Engine) -> None:
    """Raise SchemaOutdated unless a database is at ``head()``."""
    found = _versions(engine)
    if not found:
        raise SchemaOutdated("there are no tables")
    if found != [head()]:
        raise SchemaOutdated(f"the database has {', '.join(found)}, this program needs {head()}")


def _versions(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        try:
            if not inspect(connection).has_table("alembic_version"):
                return []
            return list(connection.execute(text("SELECT version_num FROM alembic_version")).scalars())
        finally:
            connection.rollback()


def _configuration() -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", "engine.store:migrations")
    return configuration


def _lock(connection: Connection) -> None:
    """Let nobody else migrate until the transaction (MySQL: ``_unlock``) ends."""
    kind = connection.dialect.name
    if kind == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif kind == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_WAIT_SECONDS}s'")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
    else:
        got = connection.execute(text("SELECT GET_LOCK(CONCAT('migrate:', DATABASE()), :s)"), {"s": _WAIT_SECONDS})
        if got.scalar() != 1:
            raise StoreBusy("somebody else is migrating")


def _unlock(connection: Connection) -> None:
    connection.rollback()
    if connection.dialect.name in ("mysql", "mariadb"):
        connection.execute(text("SELECT RELEASE_LOCK(CONCAT('migrate:', DATABASE()))"))
        connection.rollback()
