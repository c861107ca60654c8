"""The styles and scripts of the pages.

``deploy/bootstrap.py`` builds ``web/frontend`` into ``web/static``; each built file carries a digest of its content in
its name, so that browsers keep it for ever. Where nothing was built (no Node), the style sheet's own source is served:
every page still works and is laid out; only the enhancements, among them the drawn diagrams, are missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from flask import Flask, Response, abort, request, send_from_directory, url_for

_WEB = Path(__file__).resolve().parent.parent
STATIC_FOLDER = _WEB / "static"
_MANIFEST = STATIC_FOLDER / "manifest.json"
#: Served as they are, where nothing was built.
SOURCES = frozenset({"page.css", "mark.svg"})
_SOURCE_FOLDER = _WEB / "frontend"
_AGE_SECONDS = 365 * 24 * 3600


def read_manifest(file: Path) -> Mapping[str, str]:
    """Return the built files by the names of their sources, out of Vite's manifest; none where there is no manifest."""
    if not file.is_file():
        return {}
    entries: dict[str, dict[str, object]] = json.loads(file.read_text())
    built = {Path(source).name: str(entry["file"]) for source, entry in entries.items() if "file" in entry}
    for source, entry in entries.items():
        styles = entry.get("css")
        if isinstance(styles, list) and styles:
            built[f"{Path(source).stem}.css"] = str(styles[0])  # pyright: ignore[reportUnknownArgumentType]
    return built


@lru_cache(maxsize=1)
def _read_at(changed_at: int) -> Mapping[str, str]:
    """Return what the manifest says that was written at ``changed_at``, in nanoseconds."""
    return read_manifest(_MANIFEST) if changed_at else {}


def _built() -> Mapping[str, str]:
    """Return what is built now: a build beside a running server is noticed."""
    try:
        return _read_at(_MANIFEST.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}


def asset(name: str) -> str:
    """Return the address of a built file by the name of its source; empty when it is not there."""
    found = _built().get(name, name if name in SOURCES else "")
    return url_for("static", name=found) if found else ""


def _send(name: str) -> Response:
    if name in _built().values():
        packed = f"{name}.gz"
        if "gzip" in request.accept_encodings and (STATIC_FOLDER / packed).is_file():
            answer = send_from_directory(STATIC_FOLDER, packed, mimetype=_kind_of(name), max_age=_AGE_SECONDS)
            answer.headers["Content-Encoding"] = "gzip"
        else:
            answer = send_from_directory(STATIC_FOLDER, name, mimetype=_kind_of(name), max_age=_AGE_SECONDS)
        answer.cache_control.immutable = True
        answer.headers["Vary"] = "Accept-Encoding"
    elif name in SOURCES:
        answer = send_from_directory(_SOURCE_FOLDER, name, mimetype=_kind_of(name), max_age=0)
    else:
        abort(HTTPStatus.NOT_FOUND)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _kind_of(name: str) -> str:
    kinds = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
    return kinds.get(Path(name).suffix, "application/octet-stream")


def add_assets(application: Flask) -> None:
    """Serve the built files, and let templates name them."""
    application.add_url_rule("/static/<path:name>", "static", _send)
    application.add_template_global(asset)
