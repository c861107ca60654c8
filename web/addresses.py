"""What may stand in an address or a hidden field for an id; anything else is no address of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from werkzeug.routing import BaseConverter


class HexId(BaseConverter):
    """An id: 32 lowercase hex digits."""

    regex = "[0-9a-f]{32}"


class WorkflowTypeName(BaseConverter):
    """The key of a process."""

    regex = "[a-z][a-z0-9_-]{0,62}"


#: By their names in rules: ``<hex:task_id>``, ``<type:workflow_type>``.
CONVERTERS: Mapping[str, type[BaseConverter]] = {"hex": HexId, "type": WorkflowTypeName}
_ID = re.compile(HexId.regex)


#: An id that nothing has.
_NOTHING = "0" * 32


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return _ID.fullmatch(text) is not None


def id_of(text: str) -> str:
    """Return an id as it was sent; for anything else an id that nothing has."""
    return text if is_id(text) else _NOTHING
