"""One structured line per request, with the caller's trace; nothing of its content (P11)."""

from __future__ import annotations

import time
from typing import Any

import structlog
from flask import Flask, Response, g, request

from web.tracing import trace_of_request

_log: Any = structlog.get_logger("web.access")


def register(application: Flask) -> None:
    """Log every request after it was answered."""

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        _log.info(
            "request_answered",
            method=request.method,
            route=request.url_rule.rule if request.url_rule else None,
            status=response.status_code,
            milliseconds=round((time.perf_counter() - g.began) * 1000, 1) if "began" in g else None,
            trace_id=trace_of_request(),
            **{name: value for name, value in (request.view_args or {}).items() if name.endswith("_id")},
        )
        return response

    application.before_request(begin)
    application.after_request(end)
