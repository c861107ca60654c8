"""Makes a fresh clone ready: a virtual environment with exactly the locked packages, the Node tools, the pages' files.

Runs on the standard library alone, because nothing else is there yet. Does nothing when nothing changed. To run the
product, Node is optional: without it the pages work with their plain style sheet and without drawn diagrams.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
FRONTEND = ROOT / "web" / "frontend"
STATIC = ROOT / "web" / "static"
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 20


class SetupFailed(Exception):
    """Set-up cannot go on; the message says what to do."""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _digest(*paths: Path) -> str:
    """Return the SHA-256 over the contents of files, in hex."""
    summary = hashlib.sha256()
    for path in paths:
        summary.update(path.read_bytes())
    return summary.hexdigest()


def _is_up_to_date(stamp: Path, digest: str) -> bool:
    return stamp.is_file() and stamp.read_text() == digest


def _run(command: list[str], *, failure: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last_lines = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise SetupFailed(f"{failure}\n\nThe last lines it printed:\n{last_lines}")


def check_python() -> None:
    """Refuse a Python that is too old."""
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        raise SetupFailed(
            f"Vermilion needs Python 3.11 or newer; `{sys.executable}` is {found}.\n"
            "Install a newer one and name it: make run PYTHON=python3.12"
        )


def install_python_packages(lock: Path) -> None:
    """Create the environment if it is missing and install the locked packages, checked by their hashes."""
    stamp = ENVIRONMENT / ".installed"
    digest = _digest(lock, ROOT / "pyproject.toml") + lock.name
    if PYTHON.is_file() and _is_up_to_date(stamp, digest):
        return
    if not PYTHON.is_file():
        _say("Creating the Python environment in .venv …")
        _run(
            [sys.executable, "-m", "venv", str(ENVIRONMENT)],
            failure="The Python environment could not be created. On Debian or Ubuntu: apt install python3-venv",
        )
    _say(f"Installing the packages of {lock.name} (a minute on first use) …")
    network = (
        "The Python packages could not be installed. They are downloaded from the Python package index: "
        "check the network connection or proxy, then run the same command again."
    )
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--require-hashes", "--requirement", str(lock)], failure=network)
    _run([*pip, "--no-deps", "--no-build-isolation", "--editable", "."], failure=network)
    stamp.write_text(digest)


def check_node() -> str:
    """Return the path of npm. Refuse a Node that is missing or too old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise SetupFailed(
            "Vermilion's checks and drawn diagrams need Node 20 or newer with npm, and `node` or `npm` is not here. "
            "Install it."
        )
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise SetupFailed(
            f"Vermilion's checks and drawn diagrams need Node 20 or newer; `{node}` is {version}. Install a newer one."
        )
    return npm


def install_node_packages(npm: str) -> None:
    """Install the locked Node tools that build the pages' files and that the checks need."""
    lock, stamp = ROOT / "package-lock.json", ROOT / "node_modules" / ".installed"
    digest = _digest(lock)
    if _is_up_to_date(stamp, digest):
        return
    _say("Installing the Node tools of package-lock.json …")
    _run(
        [npm, "ci", "--ignore-scripts", "--no-fund", "--no-audit"],
        failure="The Node tools could not be installed: check the network connection or proxy, then run the same "
        "command again.",
    )
    stamp.write_text(digest)


def build_pages() -> None:
    """Build styles and scripts of the pages; nothing but the installed Node tools is needed."""
    stamp = STATIC / ".built"
    sources = sorted(each for each in FRONTEND.rglob("*") if each.is_file())
    digest = _digest(ROOT / "package-lock.json", *sources)
    if _is_up_to_date(stamp, digest):
        return
    _say("Building the pages' styles and scripts …")
    vite = ROOT / "node_modules" / "vite" / "bin" / "vite.js"
    _run(
        [shutil.which("node") or "node", str(vite), "build", "--config", str(FRONTEND / "vite.config.mjs")],
        failure="The pages' styles and scripts could not be built. Delete the folder node_modules, and run the same "
        "command again.",
    )
    stamp.write_text(digest)


def build_pages_if_possible() -> None:
    """Build what pages gain from scripts, or say in a sentence what is missing without."""
    try:
        install_node_packages(check_node())
        build_pages()
    except SetupFailed as failure:
        reason = str(failure).splitlines()[0]
        _say(f"{reason}\nGoing on without: every page works, in a plainer style and without drawn diagrams.")


def main() -> int:
    """Set everything up; 0 when ready, 1 with a sentence when not."""
    parser = argparse.ArgumentParser(description="Make a fresh clone of Vermilion ready.")
    parser.add_argument("--development", action="store_true", help="also install what `make test` needs")
    options = parser.parse_args()
    try:
        check_python()
        if options.development:
            npm = check_node()
            install_python_packages(ROOT / "requirements-development.txt")
            install_node_packages(npm)
            build_pages()
        else:
            development_lock = ROOT / "requirements-development.txt"
            stamp = ENVIRONMENT / ".installed"
            if stamp.is_file() and stamp.read_text().endswith(development_lock.name):
                install_python_packages(development_lock)
            else:
                install_python_packages(ROOT / "requirements.txt")
            build_pages_if_possible()
    except SetupFailed as failure:
        _say(f"\nSet-up stopped. {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
