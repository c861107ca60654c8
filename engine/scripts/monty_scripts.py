"""Python scripts in pydantic-monty's sandbox: no files, no network, no clock of their own, limited time and memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from pydantic_monty import MontyCrashedError, MontyError, MontyRuntimeError, MontySyntaxError, ResourceLimits

from engine.interpreter.failures import UnstorableValue
from engine.interpreter.merging import is_same
from engine.interpreter.scripting import ScriptFailed, ScriptResult
from engine.interpreter.values import Value
from engine.interpreter.variables import storable
from engine.scripts.names import Names, names_of
from engine.scripts.pool import Pool

#: Seconds and bytes that one script may use.
TIME_LIMIT = 1.0
MEMORY_LIMIT = 64 << 20

#: The sandbox's kinds of value that a variable can hold.
_KINDS = frozenset(
    {
        "NoneType",
        "bool",
        "int",
        "float",
        "str",
        "list",
        "tuple",
        "dict",
        "Decimal",
        "date",
        "datetime",
        "time",
        "timedelta",
    }
)
_RESULTS = "_vermilion_results"


class MontyScripts:
    """Runs script tasks. May be shared by threads; each script has a fresh session, so nothing stays behind.

    Parameters
    ----------
    max_processes
        Workers at most; None is one for each processor.
    """

    def __init__(self, max_processes: int | None = None) -> None:
        self._pool = Pool(max_processes)

    def run(
        self, script: str, variables: Mapping[str, Value], *, new_id: str, now: datetime | None = None
    ) -> ScriptResult:
        """Run a script over those of the variables that it names.

        Raises
        ------
        ScriptFailed
            When the script raises, exceeds a limit, or leaves a value that cannot be stored.
        """
        names = names_of(script)
        crossing = {name: variables[name] for name in names.read | names.assigned if name in variables}
        returned = self._feed(script + _tail(names, crossing), crossing, new_id, now)
        return ScriptResult(
            written=_written(returned, names, crossing),
            read=frozenset(name for name in names.read if name in crossing),
        )

    def close(self) -> None:
        """Stop the workers."""
        self._pool.close()

    def _feed(self, text: str, inputs: dict[str, Value], new_id: str, now: datetime | None) -> dict[str, list[Any]]:
        limits: ResourceLimits = {"max_feed_duration_secs": TIME_LIMIT, "max_memory": MEMORY_LIMIT}
        clock = now if now is not None else "system"
        try:
            with self._pool.get().checkout(
                limits=limits,
                os_policy={"sleep": "zero", "datetime": clock, "random_start": {"seed": new_id}},
            ) as session:
                result = session.feed_run(
                    text, inputs=inputs, external_lookup={"new_id": _ids(new_id)}, print_callback=_unheard
                )
        except MontyCrashedError:
            raise ScriptFailed("The script broke its sandbox and was stopped.") from None
        except MontyError as stopped:
            raise _failed(stopped) from None
        except TimeoutError:
            raise ScriptFailed("No sandbox was free in time. Try again.") from None
        return cast("dict[str, list[Any]]", result)


def _tail(names: Names, crossing: Mapping[str, Value]) -> str:
    """Return the lines that hand back, with their kinds, what was set and what may have been changed in place."""
    back = sorted(names.assigned | crossing.keys())
    lines = [f"{_RESULTS} = {{}}"]
    for name in back:
        lines += [
            "try:",
            f"    {_RESULTS}[{name!r}] = [type({name}).__name__, {name}]",
            "except NameError:",
            "    pass",
        ]
    return "\n" + "\n".join([*lines, _RESULTS])


def _written(returned: Mapping[str, list[Any]], names: Names, crossing: Mapping[str, Value]) -> dict[str, Value]:
    written: dict[str, Value] = {}
    for name, (kind, value) in returned.items():
        if kind not in _KINDS:
            if name not in names.assigned:
                continue
            raise ScriptFailed(f"The variable {name!r} holds a {kind}, which cannot be stored.")
        try:
            kept, _ = storable(value)
        except UnstorableValue as wrong:
            raise ScriptFailed(f"The variable {name!r} cannot be stored: {wrong.message}") from None
        if name not in crossing or not is_same(kept, crossing[name]):
            written[name] = kept
    return written


def _failed(stopped: MontyError) -> ScriptFailed:
    frames = stopped.traceback() if isinstance(stopped, (MontyRuntimeError, MontySyntaxError)) else []
    line = frames[0].line if frames else None
    text = str(stopped)[:500]
    return ScriptFailed(f"Line {line}: {text}" if line is not None else text, line=line)


def _ids(first: str) -> Callable[[], str]:
    """Return the sandbox's id function: the given id first, then ids that follow from it."""
    count = 0

    def new_id() -> str:
        nonlocal count
        count += 1
        if count == 1:
            return first
        random = hashlib.sha256(f"{first}:{count}".encode()).hexdigest()
        return f"{first[:12]}7{random[:3]}{'89ab'[int(random[3], 16) % 4]}{random[4:19]}"

    return new_id


def _unheard(stream: str, text: str) -> None:
    """What a script prints goes nowhere."""
