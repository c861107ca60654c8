"""Business statuses: which transitions are legal, and the proof that no path of a drawing takes an illegal one (W3).

The proof explores every marking of the token game together with the status that holds. Steps that change no status,
send nothing and touch no other token are taken at once instead of in every order: the order of independent steps makes
no difference to what is looked for (partial-order reduction by persistent sets; Godefroid, LNCS 1032, chapter 4).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.model.definition import Definition
from engine.model.graph import FlowNode, NodeKind, Scope
from engine.model.settings import ProcessSettings, Status
from engine.model.tokens import Marking, Move, Position, Standing, TokenGame, is_join

#: Most states that are explored before a drawing counts as too entangled to be proved.
MOST_STATES = 20_000
#: So many tokens in one place mean that they multiply without end.
MOST_TOKENS = 3


def is_legal(settings: ProcessSettings, before: str | None, after: str, *, by_operator: bool = False) -> bool:
    """Whether an instance may go from one status to another.

    Entering the present status again is no transition, and legal. ``before`` None is the creation. Statuses that are
    not declared lead nowhere.
    """
    if before == after:
        return True
    if before is None:
        return after == settings.initial_status
    declared = _status(settings, before)
    if declared is None:
        return False
    return after in declared.to or (by_operator and after in declared.operator_only)


def may_write(settings: ProcessSettings, status: str | None, *, is_compensation: bool) -> bool:
    """Whether a write, or a compensating write, may be sent while this status holds.

    A process without statuses may write at any time.
    """
    if not settings.statuses:
        return True
    declared = _status(settings, status) if status is not None else None
    if declared is None:
        return False
    return declared.allows_compensation if is_compensation else declared.allows_writes


def reentry(definition: Definition, name: str) -> FlowNode | None:
    """Return where an instance goes on that an operator moved into a status.

    None when the status says nothing, or names something at which no token can be placed: it has to be a node of the
    process itself that lets one token pass - no start, end or boundary event, no join, no event behind a gateway.
    """
    status = _status(definition.settings, name)
    if status is None or status.reentry is None:
        return None
    scope = definition.process
    node = scope.nodes.get(status.reentry) or next(
        (each for each in scope.nodes.values() if each.drawn_id == status.reentry), None
    )
    return node if node is not None and _can_be_entered(scope, node) else None


def _can_be_entered(scope: Scope, node: FlowNode) -> bool:
    if node.kind in (NodeKind.START_EVENT, NodeKind.END_EVENT, NodeKind.BOUNDARY_EVENT) or is_join(node):
        return False
    sources = (scope.nodes[scope.flows[flow_id].source] for flow_id in node.incoming)
    return all(source.kind is not NodeKind.EVENT_BASED_GATEWAY for source in sources)


def _status(settings: ProcessSettings, name: str) -> Status | None:
    return next((status for status in settings.statuses if status.name == name), None)


class WriteKind(StrEnum):
    """What a step sends to a business system."""

    WRITE = "write"
    COMPENSATION = "compensation"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A path of the drawing that shows a finding: the ids of the nodes it enters, in order, with the statuses."""

    node: FlowNode
    before: str | None
    after: str | None
    path: tuple[str, ...]


@dataclass(kw_only=True)
class Exploration:
    """What was found.

    Attributes
    ----------
    illegal
        First path to each illegal transition.
    forbidden_writes
        First path to each write in a status that does not allow it.
    stuck
        First path to each join that waits for ever, by the join's id.
    fired
        Joins that let tokens through on some path.
    flooded
        Nodes where tokens multiply.
    not_final
        First path to each end in a status that is not final, by status.
    statuses
        Every status that is entered on some path.
    is_complete
        False when the drawing has more states than are explored.
    """

    illegal: dict[tuple[str, str | None, str], Evidence] = field(
        default_factory=dict[tuple[str, str | None, str], Evidence]
    )
    forbidden_writes: dict[tuple[str, str | None], Evidence] = field(
        default_factory=dict[tuple[str, str | None], Evidence]
    )
    stuck: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    fired: set[str] = field(default_factory=set[str])
    flooded: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    not_final: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    statuses: set[str] = field(default_factory=set[str])
    is_complete: bool = True


State = tuple[Marking, str | None]


def explore(definition: Definition, writes: Mapping[str, WriteKind], *, most_states: int = MOST_STATES) -> Exploration:
    """Explore every start of a definition that has no error of reading or flow, and every return by an operator.

    ``writes`` is by node id.
    """
    explorer = _Explorer(definition, writes, most_states)
    for start in definition.process.starts():
        explorer.run(start, definition.settings.initial_status)
    for status in definition.settings.statuses:
        node = reentry(definition, status.name)
        if node is not None:
            explorer.run(node, status.name)
    return explorer.found


class _Explorer:
    def __init__(self, definition: Definition, writes: Mapping[str, WriteKind], most_states: int) -> None:
        self._settings = definition.settings
        self._game = TokenGame(definition)
        self._writes = writes
        self._most_states = most_states
        self._came_from: dict[State, tuple[State, str | None] | None] = {}
        self.found = Exploration()

    def run(self, start: FlowNode, status: str | None) -> None:
        """Explore what follows when a token is placed before a node while a status holds."""
        if status is not None:
            self.found.statuses.add(status)
        first: State = (self._game.start(start), status)
        if first in self._came_from:
            return
        self._came_from[first] = None
        todo: deque[State] = deque([first])
        while todo:
            state = todo.popleft()
            if len(self._came_from) > self._most_states:
                self.found.is_complete = False
                return
            if self._is_flooded(state):
                continue
            self._check_writes(state)
            moves = self._chosen(state[0])
            if not moves:
                self._check_end(state)
            for move in moves:
                following = self._follow(state, move)
                if following is not None and following not in self._came_from:
                    entered = move.entered or move.failed
                    self._came_from[following] = (state, entered.element_id if entered else None)
                    todo.append(following)

    def _chosen(self, marking: Marking) -> list[Move]:
        """The moves of one token that matter to nobody else, if there is one; else all moves."""
        every: list[Move] = []
        for position, moves in self._game.moves(marking):
            if self._is_invisible(position) and all(move.is_local for move in moves):
                return list(moves)
            every.extend(moves)
        return every

    def _is_invisible(self, position: Position) -> bool:
        node = self._game.node(position)
        if position.standing is Standing.ENTERING:
            return node.status is None
        return node.element_id not in self._writes

    def _follow(self, state: State, move: Move) -> State | None:
        _, status = state
        if move.fired_join is not None:
            self.found.fired.add(move.fired_join)
        after = status
        if move.entered is not None and move.entered.status is not None:
            after = move.entered.status
        elif move.failed is not None and self._settings.failure_status is not None:
            after = self._settings.failure_status
        node = move.entered or move.failed
        if node is not None and after is not None and not is_legal(self._settings, status, after):
            key = (node.element_id, status, after)
            if key not in self.found.illegal:
                self.found.illegal[key] = self._evidence(state, node, status, after)
            return None
        if after is not None:
            self.found.statuses.add(after)
        return move.marking, after

    # --- what is looked for --------------------------------------------------------------------------------------

    def _check_writes(self, state: State) -> None:
        marking, status = state
        for position in marking:
            kind = self._writes.get(position.where) if position.standing is Standing.INSIDE else None
            if kind is None:
                continue
            is_compensation = kind is WriteKind.COMPENSATION
            key = (position.where, status)
            if not may_write(self._settings, status, is_compensation=is_compensation):
                node = self._game.node(position)
                if key not in self.found.forbidden_writes:
                    self.found.forbidden_writes[key] = self._evidence(state, node, status, status)

    def _check_end(self, state: State) -> None:
        marking, status = state
        for position in marking:
            join = self._game.node(position)
            if position.standing is Standing.AT_JOIN and join.element_id not in self.found.stuck:
                self.found.stuck[join.element_id] = self._evidence(state, join, status, status)
        declared = _status(self._settings, status) if status is not None else None
        if not marking and declared is not None and not (declared.is_final or declared.is_failure):
            last = self._path(state)[-1:]
            node = self._last_node(last)
            if node is not None and declared.name not in self.found.not_final:
                self.found.not_final[declared.name] = self._evidence(state, node, status, status)

    def _last_node(self, path: tuple[str, ...]) -> FlowNode | None:
        scope = self._game.scope(())
        return scope.nodes.get(path[0]) if path else None

    def _is_flooded(self, state: State) -> bool:
        marking, status = state
        counts: dict[Position, int] = {}
        for position in marking:
            if position.standing is Standing.ARMED:
                continue
            counts[position] = counts.get(position, 0) + 1
            if counts[position] >= MOST_TOKENS:
                node = self._game.node(position)
                self.found.flooded.setdefault(node.element_id, self._evidence(state, node, status, status))
                return True
        return False

    def _evidence(self, state: State, node: FlowNode, before: str | None, after: str | None) -> Evidence:
        return Evidence(node=node, before=before, after=after, path=self._path(state))

    def _path(self, state: State) -> tuple[str, ...]:
        entered: list[str] = []
        step = self._came_from[state]
        while step is not None:
            state, node = step
            if node is not None:
                entered.append(node)
            step = self._came_from[state]
        return tuple(reversed(entered))
