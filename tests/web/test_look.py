"""The look's tokens can be read, its files are small, and what is built is what is served."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from flask import Flask

from web.pages import assets

_WEB = Path(assets.__file__).resolve().parents[1]
_STYLE = (_WEB / "frontend" / "page.css").read_text()
_DIAGRAM = (_WEB / "frontend" / "diagram.css").read_text()
_TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9A-F]{6}), (#[0-9A-F]{6})\);")

#: WCAG 2.2, 1.4.3: text. 1.4.11: edges and marks that carry meaning.
_TEXT, _EDGE = 4.5, 3.0
#: What stands on what: foreground, background, the least contrast.
_PAIRS = [
    *((text, ground, _TEXT) for text in ("ink", "muted", "amber", "plum", "green") for ground in ("paper", "card")),
    *((text, "pencil-tint", _TEXT) for text in ("ink", "muted", "pencil")),
    *((text, "vermilion-tint", _TEXT) for text in ("vermilion-text",)),
    ("on-ink", "ink", _TEXT),
    ("on-vermilion", "vermilion", _TEXT),
    ("on-vermilion", "vermilion-hover", _TEXT),
    *((f"{tone}", f"{tone}-tint", _TEXT) for tone in ("amber", "plum", "green")),
    *(("ink", f"{tone}-tint", _TEXT) for tone in ("amber", "plum", "green")),
    *((edge, ground, _EDGE) for edge in ("edge", "vermilion", "focus", "pencil") for ground in ("paper", "card")),
    ("edge", "pencil-tint", _EDGE),
]


def _tokens() -> dict[str, tuple[str, str]]:
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(_STYLE)}


def _luminance(colour: str) -> float:
    """WCAG 2.2, definition of relative luminance."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    """WCAG 2.2, definition of contrast ratio."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("text", "ground", "least"), _PAIRS)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_what_stands_on_a_ground_can_be_read(text: str, ground: str, least: float, theme: int) -> None:
    tokens = _tokens()

    assert _contrast(tokens[text][theme], tokens[ground][theme]) >= least


def test_every_colour_of_the_pages_is_a_token() -> None:
    rules = re.sub(r"--[a-z-]+:[^;]*;", "", _STYLE)

    assert re.findall(r"#[0-9A-Fa-f]{3,8}\b", rules) == ["#fff"], "only paper for print is no token"


def test_the_diagram_uses_the_light_tokens_in_both_looks() -> None:
    light = {each[0] for each in _tokens().values()}

    assert set(re.findall(r"#[0-9A-F]{6}\b", _DIAGRAM)) <= light


def test_vermilion_is_for_decisions_alone() -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", _STYLE, flags=re.DOTALL))
    users = {selector.strip() for selector, body in rules if re.search(r"(?<!-)\bvar\(--vermilion", body)}

    assert users == {
        ".seal",
        ".button-decide",
        ".button-decide:hover",
        '.timeline > li[data-kind="decision"]::before',
    }


def test_without_a_build_the_style_sheet_itself_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "_built", dict[str, str])
    application = Flask("web", static_folder=None)
    assets.add_assets(application)
    browser = application.test_client()
    with application.test_request_context():
        assert assets.asset("page.js") == ""
        answer = browser.get(assets.asset("page.css"), buffered=True)

    assert answer.status_code == 200
    assert answer.mimetype == "text/css"
    assert "--vermilion" in answer.get_data(as_text=True)
    assert browser.get("/static/vite.config.mjs").status_code == 404
    assert browser.get("/static/../pages/assets.py").status_code == 404


@pytest.fixture
def built() -> dict[str, Path]:
    """The built files by the names of their sources."""
    manifest = assets.STATIC_FOLDER / "manifest.json"
    if not manifest.is_file():
        pytest.skip("the pages' files are not built here; `make test` builds them")
    return {source: assets.STATIC_FOLDER / name for source, name in assets.read_manifest(manifest).items()}


#: Kilobytes that a browser fetches, packed.
_MOST_KILOBYTES = {"page.js": 25, "page.css": 18, "diagram.js": 80, "diagram.css": 10}


def test_what_a_browser_fetches_is_small(built: dict[str, Path]) -> None:
    sizes = {source: len(gzip.compress(built[source].read_bytes(), 9)) / 1024 for source in _MOST_KILOBYTES}

    assert all(sizes[source] <= most for source, most in _MOST_KILOBYTES.items()), sizes
    assert sizes["page.js"] + sizes["diagram.js"] <= 90, sizes


def test_built_files_are_kept_by_browsers_and_sent_packed(built: dict[str, Path]) -> None:
    application = Flask("web", static_folder=None)
    assets.add_assets(application)
    browser = application.test_client()
    name = built["page.js"].name
    packed = browser.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"}, buffered=True)
    plain = browser.get(f"/static/{name}", buffered=True)

    assert "immutable" in packed.headers["Cache-Control"]
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.get_data()) == plain.get_data() == built["page.js"].read_bytes()
    assert plain.mimetype == "text/javascript"


def test_nothing_is_fetched_from_elsewhere(built: dict[str, Path]) -> None:
    for source in ("page.css", "diagram.css"):
        assert not re.search(r"@import|url\((?!['\"]?data:)", built[source].read_text()), source


def test_scripts_and_styles_name_no_other_source(built: dict[str, Path]) -> None:
    entries = json.loads((assets.STATIC_FOLDER / "manifest.json").read_text())

    assert {Path(each).name for each in entries} == {"page.css", "page.js", "diagram.js", "mark.svg"}
