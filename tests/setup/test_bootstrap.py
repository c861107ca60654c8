"""Set-up on a fresh machine: what is missing is said in a plain sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What set-up needs of a fresh clone."""
    for name in ("pyproject.toml", "Makefile", "requirements.txt", "requirements-development.txt", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    return tmp_path


def _bootstrap(clone: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return subprocess.run(
        [sys.executable, str(clone / "deploy" / "bootstrap.py"), *options],
        cwd=clone,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_package_index_it_says_to_check_the_network(clone: Path) -> None:
    done = _bootstrap(clone, PIP_NO_INDEX="1")

    assert done.returncode == 1
    assert "check the network connection" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_old_node_is_named_with_what_is_needed(clone: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, prints in (("node", "v18.19.0"), ("npm", "9.2.0")):
        (tools / name).write_text(f"#!/bin/sh\necho {prints}\n")
        (tools / name).chmod(0o755)
    done = _bootstrap(clone, "--development", PATH=str(tools))

    assert done.returncode == 1
    assert "need Node 20 or newer" in done.stdout
    assert "v18.19.0" in done.stdout


def test_a_python_that_is_too_old_is_named_with_how_to_name_another(clone: Path) -> None:
    old = clone / "python-old"
    old.write_text('#!/bin/sh\ncase "$1" in -c) exit 1;; --version) echo "Python 3.9.2";; esac\n')
    old.chmod(0o755)
    done = subprocess.run(["make", "run", f"PYTHON={old}"], cwd=clone, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stdout
    assert "Python 3.9.2" in done.stdout
    assert "make run PYTHON=" in done.stdout


def _build_pages(clone: Path, path: str) -> subprocess.CompletedProcess[str]:
    command = "import sys; sys.path.insert(0, 'deploy'); import bootstrap; bootstrap.build_pages_if_possible()"
    return subprocess.run(
        [sys.executable, "-c", command],
        cwd=clone,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_node_the_product_is_set_up_all_the_same(clone: Path, tmp_path: Path) -> None:
    done = _build_pages(clone, path=str(tmp_path / "nothing"))

    assert done.returncode == 0
    assert "`node` or `npm` is not here" in done.stdout
    assert "every page works, in a plainer style and without drawn diagrams" in done.stdout


def test_pages_are_built_once_and_again_when_a_source_changed(clone: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("Node is not here")
    shutil.copytree(ROOT / "web" / "frontend", clone / "web" / "frontend")
    (clone / "node_modules").symlink_to(ROOT / "node_modules")
    first = _build_pages(clone, os.environ["PATH"])
    second = _build_pages(clone, os.environ["PATH"])
    with (clone / "web" / "frontend" / "page.css").open("a") as style:
        style.write(".more-than-before { color: var(--ink); }\n")
    third = _build_pages(clone, os.environ["PATH"])

    assert "Building" in first.stdout, first.stdout
    assert second.stdout == ""
    assert "Building" in third.stdout
    styles = [each.read_text() for each in (clone / "web" / "static").glob("page-*.css")]
    assert len(styles) == 1
    assert ".more-than-before" in styles[0]
