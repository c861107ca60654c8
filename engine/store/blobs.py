"""Large values, by their content: full results, decisions, model requests, documents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

import zstandard
from sqlalchemy import select

from engine.store.statements import InsertIfAbsent, Query, same
from engine.store.tables import blob

_PLAIN = b"\x00"
_COMPRESSED = b"\x01"
#: Below this many bytes compression gains nothing.
_SMALL = 120
#: No stored value is larger than this; a larger frame is not ours.
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobRow:
    """A stored value; read it with ``unpacked``."""

    digest: str
    purpose: str
    content: bytes
    created_at: datetime


def digest_of(value: bytes) -> str:
    """Return the name of a value: the SHA-256 of its bytes, in hex."""
    return hashlib.sha256(value).hexdigest()


def packed(value: bytes) -> bytes:
    """Return what is stored of a value: compressed where that makes it smaller."""
    if len(value) >= _SMALL:
        frame = _COMPRESSED + zstandard.ZstdCompressor(level=3).compress(value)
        if len(frame) <= len(value):
            return frame
    return _PLAIN + value


def unpacked(content: bytes) -> bytes:
    """Return the value of stored content. Raises ValueError when it is not one that ``packed`` made."""
    if content[:1] == _PLAIN:
        return content[1:]
    if content[:1] == _COMPRESSED:
        try:
            return zstandard.ZstdDecompressor().decompress(content[1:], max_output_size=_LARGEST)
        except zstandard.ZstdError as error:
            raise ValueError("a stored value cannot be read") from error
    raise ValueError("a stored value has an unknown form")


INSERT_IF_ABSENT = InsertIfAbsent("blob.insert_if_absent", "Keep a value once per instance.", blob)
BY_DIGEST = Query(
    "blob.by_digest",
    "A value by its digest. Parameters: tenant_id, workflow_id, digest.",
    select(blob.c.digest, blob.c.purpose, blob.c.content, blob.c.created_at).where(
        *same(blob, "tenant_id", "workflow_id", "digest")
    ),
    BlobRow,
)
