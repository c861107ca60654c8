"""Column types: ids as 16 bytes, instants as microseconds, texts of bounded length, JSON as bytes.

Small rows are the point: an id is half its hex form, an instant eight bytes, and both compare the same way in SQLite,
PostgreSQL and MariaDB.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from sqlalchemy import BigInteger, Dialect, LargeBinary, String
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeDecorator

from engine.store.failures import TextRefused

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class NaiveInstant(Exception):
    """An instant without a time zone was given to the store. Use the store's clock, or name the zone."""


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class TextTooLong(TextRefused):
    """A text is longer than its column. Shorten it before it is stored; SQLite alone would have kept it."""


class TextNotStorable(TextRefused):
    """A text holds a character that is no character: a zero byte, or half of a surrogate pair. Remove it."""


class Text(TypeDecorator[str]):
    """A text of at most ``length`` characters, compared and ordered by its bytes in every database.

    Without this, MariaDB's default would find ``a`` where ``A`` or ``a`` with a space behind it is stored.
    """

    impl = String
    cache_ok = True

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.length = length

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(String(self.length, collation="C"))
        if dialect.name in ("mysql", "mariadb"):
            collation = "utf8mb4_nopad_bin" if getattr(dialect, "is_mariadb", False) else "utf8mb4_0900_bin"
            return dialect.type_descriptor(mysql.VARCHAR(self.length, charset="utf8mb4", collation=collation))
        return dialect.type_descriptor(String(self.length))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        if len(value) > self.length:
            raise TextTooLong(f"{len(value)} characters where {self.length} fit: {value[:40]!r}...")
        if "\0" in value or not (value.isascii() or _is_unicode(value)):
            raise TextNotStorable(repr(value[:40]))
        return value


class Id(TypeDecorator[str]):
    """A UUIDv7 as 32 lowercase hex digits outside, 16 bytes inside."""

    impl = LargeBinary(16)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.BINARY(16))
        return dialect.type_descriptor(LargeBinary(16))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else bytes(value).hex()


class Digest(TypeDecorator[str]):
    """A SHA-256 as 64 lowercase hex digits outside, 32 bytes inside."""

    impl = LargeBinary(32)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.BINARY(32))
        return dialect.type_descriptor(LargeBinary(32))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else bytes(value).hex()


class Instant(TypeDecorator[datetime]):
    """An aware instant outside, microseconds since 1970-01-01 UTC inside. Refuses naive values."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise NaiveInstant(value.isoformat())
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + timedelta(microseconds=value)


class Json(TypeDecorator[Any]):
    """A small JSON document as UTF-8 bytes. Numbers that must be exact are strings in it."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.MEDIUMBLOB())
        return dialect.type_descriptor(LargeBinary())

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else orjson.dumps(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else orjson.loads(value)


class Bytes(TypeDecorator[bytes]):
    """Up to 16 MB of bytes."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.MEDIUMBLOB())
        return dialect.type_descriptor(LargeBinary())

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else bytes(value)


class Duration(TypeDecorator[timedelta]):
    """A length of time outside, microseconds inside; only ever a parameter that is added to the clock."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        return None if value is None else value // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        return None if value is None else timedelta(microseconds=value)
