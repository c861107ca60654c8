"""The door of this room: a state and one happening in, a new state and everything that follows from it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from SpiffWorkflow.util.task import TaskState

from engine.contract.origin import Origin
from engine.interpreter import codec
from engine.interpreter.building import Program, build_program
from engine.interpreter.circumstances import Circumstances
from engine.interpreter.failures import Deadlock, NotRunnable
from engine.interpreter.happenings import apply
from engine.interpreter.limits import Limits
from engine.interpreter.merging import latest
from engine.interpreter.messages import Advance, Happening, Wait
from engine.interpreter.scopes import Instance
from engine.interpreter.scripting import ScriptRunner
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.values import Value
from engine.interpreter.variables import Cells
from engine.model.definition import Definition

#: Definitions whose specifications are kept ready.
CACHED_DEFINITIONS = 128


class _ByDigest:
    """A definition as a key: two with one digest are the same version."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    def __hash__(self) -> int:
        return hash(self.definition.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByDigest) and other.definition.digest == self.definition.digest


class Interpreter:
    """Runs instances of definitions. Does no I/O, reads no clock and keeps nothing of an instance (P2).

    May be shared by threads. An advance works on a copy of the state: when it raises, nothing has changed.
    """

    def __init__(self, scripts: ScriptRunner, limits: Limits | None = None) -> None:
        self._scripts = scripts
        self._limits = limits or Limits()
        self._programs: Callable[[_ByDigest], Program] = lru_cache(CACHED_DEFINITIONS)(_build)

    def start(
        self,
        definition: Definition,
        *,
        start_element: str | None,
        variables: Mapping[str, Value],
        origin: Origin,
        source: str,
        now: datetime,
        new_id: Callable[[], str],
    ) -> Advance:
        """Start an instance and run it until it waits.

        Parameters
        ----------
        start_element
            The start event to begin at; None for the only plain one.
        origin, source
            Who vouches for the variables.
        now
            The time for timers and FEEL; aware.
        new_id
            Gives ids for tokens, waits and scripts: UUIDv7, 32 hex digits.

        Raises
        ------
        InterpretationFailed
            When the process cannot go on; no instance has come into being.
        """
        given = self._given(definition, now, new_id)
        program = self._program(definition)
        instance = Instance(program.process, given, program.insides)
        start = _start_node(program, start_element)
        token = instance.arrive(start, None, {}, {})
        for name, value in variables.items():
            instance.write(token, name, value, origin, source)
        return _advance(instance)

    def advance(
        self,
        definition: Definition,
        state: bytes,
        happening: Happening,
        *,
        now: datetime,
        new_id: Callable[[], str],
    ) -> Advance:
        """Let one thing happen to an instance and run it until it waits again.

        Raises
        ------
        WaitGone
            When the wait that the happening is about is not open.
        InterpretationFailed
            When the process cannot go on; the state given stays valid.
        """
        instance = self._load(definition, state, self._given(definition, now, new_id))
        apply(happening, instance)
        return _advance(instance)

    def variables(self, definition: Definition, state: bytes) -> Mapping[str, Value]:
        """Return the variables of the top scope. Raises StateUnreadable."""
        cells = _top_cells(self._read(definition, state))
        return {name: cell.value for name, cell in cells.items()}

    def origins(self, definition: Definition, state: bytes) -> Mapping[str, tuple[Origin, str]]:
        """Return who vouches for each variable of the top scope, and the source. Raises StateUnreadable."""
        cells = _top_cells(self._read(definition, state))
        return {name: (cell.origin, cell.source) for name, cell in cells.items()}

    def open_waits(self, definition: Definition, state: bytes, *, now: datetime | None = None) -> tuple[Wait, ...]:
        """Return everything an instance waits for.

        Arguments of jobs are evaluated anew from the stored variables; ``now`` is for expressions that read the time.
        """
        instance = self._read(definition, state, now)
        tokens = [token for scope in instance.scopes() for token in scope.tasks.values() if token.is_waiting]
        return tuple(wait for token in tokens if (wait := token.spec.wait_of(token)) is not None)

    def _program(self, definition: Definition) -> Program:
        return self._programs(_ByDigest(definition))

    def _given(self, definition: Definition, now: datetime, new_id: Callable[[], str]) -> Circumstances:
        return Circumstances(definition=definition, scripts=self._scripts, limits=self._limits, now=now, new_id=new_id)

    def _load(self, definition: Definition, state: bytes, given: Circumstances) -> Instance:
        return codec.load(state, self._program(definition), given)

    def _read(self, definition: Definition, state: bytes, now: datetime | None = None) -> Instance:
        """Load for looking only."""
        given = self._given(definition, now or datetime.min.replace(tzinfo=UTC), _no_id)
        return self._load(definition, state, given)


def _build(key: _ByDigest) -> Program:
    return build_program(key.definition)


def _no_id() -> str:
    raise RuntimeError("Looking at a state makes nothing that needs an id.")


def _start_node(program: Program, start_element: str | None) -> NodeSpec:
    process = program.process
    if start_element is not None:
        node = process.nodes.get(start_element)
        if node is None or node not in [process.nodes[each.element_id] for each in process.drawn.starts()]:
            raise NotRunnable(f"{start_element!r} is no start event of this process.", element_id=start_element)
        return node
    starts = process.plain_starts()
    if len(starts) != 1:
        raise NotRunnable("The process has not exactly one plain start event: name the one to begin at.")
    return starts[0]


def _advance(instance: Instance) -> Advance:
    is_capped = instance.run_steps()
    if not is_capped:
        _refuse_deadlock(instance)
    record = instance.record
    return Advance(
        state=codec.dump(instance),
        state_format=codec.STATE_FORMAT,
        is_finished=instance.is_completed(),
        is_capped=is_capped,
        path=tuple(record.path),
        steps=record.steps,
        statuses=tuple(record.statuses),
        opened=tuple(record.opened.values()),
        closed=tuple(record.closed),
        messages=tuple(record.messages),
        decisions=tuple(record.decisions),
        variables={name: cell.value for name, cell in _top_cells(instance).items()},
        error_code=instance.failure[0] if instance.failure is not None else None,
        error_message=instance.failure[1] if instance.failure is not None else None,
    )


def _refuse_deadlock(instance: Instance) -> None:
    """Raise Deadlock when tokens are left but none of them waits for something outside."""
    tokens = [token for scope in instance.scopes() for token in scope.tasks.values()]
    if not tokens or any(token.is_waiting for token in tokens):
        return
    stuck = next((token for token in tokens if token.state == TaskState.WAITING), tokens[0])
    raise Deadlock("Tokens wait here for others that can no longer come.", element_id=stuck.spec.drawn.element_id)


def _top_cells(instance: Instance) -> Cells:
    tokens = [token.cells for token in instance.tasks.values()]
    return latest((instance.ended.cells, *tokens, instance.shared))
