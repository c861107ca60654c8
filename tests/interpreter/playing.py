"""Plays an instance in tests: stores and loads the state between all happenings, finds waits by element."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.contract.ids import ExecutionId
from engine.contract.origin import Origin
from engine.interpreter import Interpreter, Limits
from engine.interpreter.messages import (
    Advance,
    CancelAll,
    Continue,
    Happening,
    JobFailed,
    JobSucceeded,
    MessageReceived,
    TaskCompleted,
    TimerFired,
    VariablesCorrected,
    Wait,
)
from engine.interpreter.scripting import ScriptFailed, ScriptResult
from engine.interpreter.values import Value
from engine.model.definition import Definition

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class PlainScripts:
    """A script runner for tests of the interpreter: runs Python as it is. Tests' own scripts only."""

    def run(
        self, script: str, variables: Mapping[str, Value], *, new_id: str, now: datetime | None = None
    ) -> ScriptResult:
        """Run a script."""
        names: dict[str, Any] = dict(variables)
        before = dict(names)
        names["new_id"] = lambda: new_id
        code = compile(script, "script", "exec")
        try:
            exec(code, names)  # noqa: S102 - the scripts are written in these tests
        except Exception as wrong:
            raise ScriptFailed(str(wrong), line=1) from wrong
        names = {name: value for name, value in names.items() if name not in ("__builtins__", "new_id")}
        written = {name: value for name, value in names.items() if name in code.co_names}
        changed = {
            name: value
            for name, value in written.items()
            if name not in before or before[name] is not value or type(value) in (dict, list)
        }
        return ScriptResult(written=changed, read=frozenset(code.co_names) & before.keys())


class Play:
    """One instance, driven by element names. Each happening goes through stored bytes."""

    def __init__(
        self,
        definition: Definition,
        variables: Mapping[str, Value] | None = None,
        *,
        start_element: str | None = None,
        limits: Limits | None = None,
        origin: Origin = Origin.SYSTEM,
        interpreter: Interpreter | None = None,
    ) -> None:
        self.definition = definition
        self.now = NOW
        self._ids = itertools.count(1)
        self.interpreter = interpreter or Interpreter(PlainScripts(), limits or Limits())
        self.all: list[Advance] = []
        self.waits: dict[str, Wait] = {}
        self.is_seen_by_all = bool(definition.process.data_objects)
        self.last = self._took(
            self.interpreter.start(
                definition,
                start_element=start_element,
                variables=variables or {},
                origin=origin,
                source="test",
                now=self.now,
                new_id=self.new_id,
            )
        )

    def new_id(self) -> str:
        """Return the next id: a counter, so that runs can be compared."""
        return f"{next(self._ids):032x}"

    def _took(self, advance: Advance) -> Advance:
        self.all.append(advance)
        for closed in advance.closed:
            del self.waits[closed.wait_id]
        for wait in advance.opened:
            assert wait.wait_id not in self.waits
            self.waits[wait.wait_id] = wait
        kept = self.interpreter.open_waits(self.definition, advance.state, now=self.now)
        found: dict[str, Wait] = {wait.wait_id: wait for wait in kept}
        if self.is_seen_by_all:
            assert found.keys() == self.waits.keys()
            self.waits = found
        assert found == self.waits, "the state and the account of waits differ"
        self.last = advance
        return advance

    def happens(self, happening: Happening) -> Advance:
        """Let something happen."""
        return self._took(
            self.interpreter.advance(self.definition, self.last.state, happening, now=self.now, new_id=self.new_id)
        )

    def wait(self, element_id: str, place: int = 0) -> Any:
        """Return an open wait at an element."""
        found = [wait for wait in self.waits.values() if wait.element_id == element_id]
        assert len(found) > place, f"nothing waits at {element_id}; open: {self.waiting}"
        return found[place]

    @property
    def waiting(self) -> list[str]:
        """The elements at which something waits, sorted."""
        return sorted(wait.element_id for wait in self.waits.values())

    @property
    def variables(self) -> Mapping[str, Value]:
        """The variables of the top scope."""
        return self.last.variables

    @property
    def path(self) -> list[str]:
        """All elements passed so far."""
        return [element for advance in self.all for element in advance.path]

    def succeed(
        self, element_id: str, result: Value = None, *, origin: Origin = Origin.SYSTEM, place: int = 0
    ) -> Advance:
        """Let a job succeed."""
        wait_id = self.wait(element_id, place).wait_id
        return self.happens(JobSucceeded(wait_id=wait_id, result=result, origin=origin, source=element_id))

    def fail(self, element_id: str, code: str = "broken", place: int = 0) -> Advance:
        """Let a job fail for good."""
        wait_id = self.wait(element_id, place).wait_id
        return self.happens(JobFailed(wait_id=wait_id, error_code=code, message="it broke"))

    def complete(self, element_id: str, *, place: int = 0, **values: Value) -> Advance:
        """Let a person complete a task."""
        wait_id = self.wait(element_id, place).wait_id
        return self.happens(TaskCompleted(wait_id=wait_id, values=values, source="ann"))

    def fire(self, element_id: str) -> Advance:
        """Let a timer fire when it is due."""
        wait = self.wait(element_id)
        self.now = max(self.now, wait.due_at) + timedelta(seconds=1)
        return self.happens(TimerFired(wait_id=wait.wait_id))

    def receive(self, element_id: str, payload: Value = None, *, origin: Origin = Origin.SYSTEM) -> Advance:
        """Let a message arrive."""
        wait_id = self.wait(element_id).wait_id
        return self.happens(MessageReceived(wait_id=wait_id, payload=payload, source="erp", origin=origin))

    def go_on(self) -> Advance:
        """Go on after a capped advance."""
        return self.happens(Continue())

    def cancel(self) -> Advance:
        """Cancel everything."""
        return self.happens(CancelAll())

    def correct(self, **values: Value) -> Advance:
        """Correct variables; what open waits show changes with them."""
        self.is_seen_by_all = True
        return self.happens(VariablesCorrected(values=values, source="operator"))

    def origin(self, name: str) -> Origin:
        """Return who vouches for a variable."""
        return self.interpreter.origins(self.definition, self.last.state)[name][0]


def execution(number: int) -> ExecutionId:
    """Return an execution id that no token has."""
    return ExecutionId(f"{number:032x}")
