"""The caller's trace, if it sent one (W3C Trace Context)."""

from __future__ import annotations

import re

from flask import request

from engine.contract.ids import TraceId

_TRACE_PARENT = re.compile(r"^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$")


def trace_of_request() -> TraceId | None:
    """Return the trace id of the ``traceparent`` header; None when there is none or it is not well formed."""
    found = _TRACE_PARENT.match(request.headers.get("traceparent", ""))
    return TraceId(found.group(1)) if found and found.group(1) != "0" * 32 else None
