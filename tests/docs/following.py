"""Follows a document word by word: writes the files it shows, runs its commands, and compares what they print.

A line that holds nothing but a path in backticks and a colon names the file that the next fenced block holds. A block
marked ``console`` holds commands after ``$``, each with what it prints: ``…`` stands for anything, a line of it alone
for any lines. Ids (32 hex digits), digests (12) and times differ each time; an id that a command printed may be used in
a later one. A command that ends in ``&`` stays running, and one that only shows is repeated until it shows what it
should, because work goes on beside it.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"(?:^`(?P<path>[\w./-]+)`:\n\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"\b[0-9a-f]{32}\b")
_VARYING = re.compile(
    r"(?P<id>\b[0-9a-f]{32}\b)|(?P<digest>\([0-9a-f]{12}\))|(?P<at>\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+Z)?)"
    r"|(?P<token>\bvmt_[\w-]{43})|(?P<space> +)|(?P<anything>…)"
)
_SHOWS = re.compile(r"vermilion (show|instances|tasks|people)\b")
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class FileShown:
    """A file that the document shows in full."""

    path: str
    content: str


@dataclass(frozen=True, kw_only=True)
class CommandShown:
    """A command with the lines it prints."""

    command: str
    expected: tuple[str, ...]


def steps_of(text: str) -> Iterator[FileShown | CommandShown]:
    """Return what a document has its reader do, in order."""
    for found in _FENCE.finditer(text):
        if found["path"] is not None:
            yield FileShown(path=found["path"], content=found["body"])
        elif found["kind"] == "console":
            yield from _commands(found["body"])


def _commands(block: str) -> Iterator[CommandShown]:
    command, expected = "", list[str]()
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield CommandShown(command=command, expected=tuple(expected))
            command, expected = line.removeprefix("$ "), []
        else:
            expected.append(line)
    yield CommandShown(command=command, expected=tuple(expected))


@dataclass(kw_only=True)
class Reader:
    """Somebody who follows documents in a folder of their own. Use it in a with block, which ends what still runs."""

    folder: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _running: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])

    def __enter__(self) -> Self:
        (self.folder / ".venv").symlink_to(ROOT / ".venv")
        self.environment.pop("VERMILION_SETTINGS", None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self._running:
            each.send_signal(signal.SIGINT)
        for each in self._running:
            each.communicate(timeout=_PATIENCE_SECONDS)

    def expects(self, expected: str, printed: str) -> None:
        """Compare what was printed with what a document shows, and remember the ids."""
        self._compare(CommandShown(command="", expected=tuple(expected.splitlines())), printed)

    def follow(self, text: str) -> int:
        """Do everything a document says, in order, and return how many commands were run."""
        steps = tuple(steps_of(text))
        for step in steps:
            if isinstance(step, FileShown):
                file = self.folder / step.path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(step.content)
            else:
                self._run(step)
        return sum(isinstance(step, CommandShown) for step in steps)

    def stay(self, command: str) -> Iterator[str]:
        """Start a command that stays, and return the lines it prints, as they come."""
        started = subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        self._running.append(started)
        assert started.stdout is not None
        for line in started.stdout:
            yield line.rstrip("\n")

    def _run(self, step: CommandShown) -> None:
        command = _ID.sub(lambda found: self._ids.get(found[0], found[0]), step.command)
        if command.startswith("export "):
            names = (pair.partition("=") for pair in shlex.split(command)[1:])
            self.environment |= {name: value for name, _, value in names}
            return
        if command.endswith(" &"):
            lines = self.stay(command.removesuffix(" &"))
            printed = "\n".join(next(lines, "") for _ in step.expected)
            self._compare(step, printed)
            return
        until = time.monotonic() + _PATIENCE_SECONDS
        printed = self._printed(command)
        while not self._fits(step, printed) and _SHOWS.search(command) and time.monotonic() < until:
            printed = self._printed(command)
        self._compare(step, printed)

    def _printed(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
        return "\n".join(line.rstrip() for line in done.stdout.splitlines())

    def _fits(self, step: CommandShown, printed: str) -> bool:
        pattern, names = self._pattern(step.expected)
        found = re.fullmatch(pattern, printed)
        if found is None:
            return False
        self._ids |= {shown: found[group] for shown, group in names.items()}
        return True

    def _compare(self, step: CommandShown, printed: str) -> None:
        expected = "\n".join(step.expected)
        assert self._fits(step, printed), f"$ {step.command}\nThe document says:\n{expected}\nIt printed:\n{printed}"

    def _pattern(self, expected: tuple[str, ...]) -> tuple[str, dict[str, str]]:
        """Return the expression that output must match, and the groups that hold ids seen for the first time."""
        names: dict[str, str] = {}
        lines = [r"[\s\S]*?" if line == "…" else self._line(line.rstrip(), names) + r"(?:\n|\Z)" for line in expected]
        return "".join(lines), names

    def _line(self, line: str, names: dict[str, str]) -> str:
        pattern, end = "", 0
        for found in _VARYING.finditer(line):
            pattern += re.escape(line[end : found.start()]) + self._varying(found, names)
            end = found.end()
        return pattern + re.escape(line[end:])

    def _varying(self, found: re.Match[str], names: dict[str, str]) -> str:
        shown = found[0]
        match found.lastgroup:
            case "id" if shown in self._ids:
                return re.escape(self._ids[shown])
            case "id" if shown in names:
                return f"(?P={names[shown]})"
            case "id":
                names[shown] = f"id_{len(names)}"
                return f"(?P<{names[shown]}>[0-9a-f]{{32}})"
            case "digest":
                return r"\([0-9a-f]{12}\)"
            case "token":
                return r"vmt_[\w-]{43}"
            case "space":
                return " +"
            case "anything":
                return ".*"
            case _:
                return r"[\d-]{10}[ T][\d:.]+Z?"
