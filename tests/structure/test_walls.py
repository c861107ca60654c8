"""The house stands as drawn: no cycle, no arrow against the rooms, one place that commits."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "service_tasks", "web", "vermilion", "sandbox")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def _cycles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in arrows:
        if root in index:
            continue
        work = [(root, iter(sorted(arrows[root])))]
        index[root] = lowest[root] = len(index)
        stack.append(root)
        while work:
            module, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = lowest[target] = len(index)
                    stack.append(target)
                    work.append((target, iter(sorted(arrows[target]))))
                    break
                if target in stack:
                    lowest[module] = min(lowest[module], index[target])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[module])
                if lowest[module] == index[module]:
                    component: list[str] = []
                    while not component or component[-1] != module:
                        component.append(stack.pop())
                    if len(component) > 1:
                        found.append(sorted(component))
    return found


def test_no_two_modules_import_each_other_on_any_way(imports: grimp.ImportGraph) -> None:
    arrows = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}

    assert _cycles(arrows) == []


def test_the_search_for_cycles_finds_one() -> None:
    assert _cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_arrow_goes_against_the_rooms() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def _sources(*folders: str) -> list[Path]:
    return sorted(chain.from_iterable((ROOT / folder).rglob("*.py") for folder in folders))


def test_only_the_store_s_unit_of_work_commits() -> None:
    committing = re.compile(r"\.(commit|rollback)\(")

    elsewhere = [
        str(path.relative_to(ROOT))
        for path in _sources("engine", "service_tasks", "web", "vermilion")
        if committing.search(path.read_text()) and (ROOT / "engine" / "store") not in path.parents
    ]

    assert elsewhere == []


def test_no_import_hides_inside_a_function() -> None:
    hidden = re.compile(r"^[ \t]+(import|from) \w", re.MULTILINE)
    guarded = re.compile(r"^if TYPE_CHECKING:\n((?:    .*\n|\n)+)", re.MULTILINE)

    offenders = [
        str(path.relative_to(ROOT))
        for path in _sources(*PACKAGES)
        if hidden.search(re.sub(r'"""[\s\S]*?"""', "", guarded.sub("", path.read_text())))
    ]

    assert offenders == []


def test_every_module_says_in_its_first_line_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in _sources(*PACKAGES) if not path.read_text().startswith(('"""', 'r"""'))
    ]

    assert silent == []


def test_lock_files_name_no_address() -> None:
    locks = ("requirements.txt", "requirements-development.txt", "package-lock.json")

    assert [name for name in locks if re.search(r"https?://", (ROOT / name).read_text())] == []
