"""Structured logs: one JSON line per event on the error stream, with the correlation ids the event carries."""

from __future__ import annotations

import logging
import sys

import structlog


def log_to_stderr(*, is_verbose: bool) -> None:
    """Log from now on: everything from INFO when ``is_verbose``, else what needs attention."""
    level = logging.INFO if is_verbose else logging.ERROR
    logging.basicConfig(level=level, stream=sys.stderr, format="%(message)s")
    # HTTP clients log addresses with ids in them; our own access log says the same without.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
