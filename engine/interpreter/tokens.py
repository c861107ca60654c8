"""A token: SpiffWorkflow's task, without its history, its clock and its random ids.

SpiffWorkflow keeps every task it ever ran in a tree. Here a task lives only as long as it is a token: it is made when
a sequence flow brings it, and removed when it leaves. So the state of a loop stays flat, nothing recurses with the
number of rounds, and what stock SpiffWorkflow reads from the tree (where branches parted, whether a join may fire) is
kept in the token itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskState

from engine.contract.ids import ExecutionId
from engine.interpreter.variables import Cells, Share, Variables

if TYPE_CHECKING:
    from engine.interpreter.scopes import ScopeInstance
    from engine.interpreter.specs.node import NodeSpec


class Token(Task):
    """One token in one scope.

    Attributes
    ----------
    spec, scope
        The node it is at and the running scope it is in; SpiffWorkflow's ``task_spec`` and ``workflow``, typed.
    cells
        Its variables. A token with an ``owner`` may share the owner's.
    forks
        The branches it stands for; see :mod:`engine.interpreter.merging`. Replaced, never changed: versions share it.
    owner, owned
        A boundary event belongs to its activity, a loop's iteration to the loop, a catch event behind an event-based
        gateway to the gateway.
    via
        The sequence flow that brought it.
    number
        Which execution of its element this is; 0 while it does not count as one.
    index
        The iteration of a loop or multi-instance activity, from 1.
    due_at, repeats
        For a timer: when, ISO 8601 in UTC, and how many more times (-1 is without end).
    loop
        For the host of a loop: its own account.
    is_new
        It came up in this advance.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall]  - stock makes a random id and reads the clock
        self, scope: ScopeInstance, spec: NodeSpec, token_id: str, cells: Cells, forks: dict[int, Share]
    ) -> None:
        self.id: Any = token_id
        self.workflow: Any = scope
        self.task_spec: Any = spec
        self.scope = scope
        self.spec = spec
        self._parent: Any = None
        self._children: Any = []
        self._state = TaskState.FUTURE
        self.triggered = False
        self.thread_id = 0
        self.internal_data = {}
        self.last_state_change = 0
        self.cells = cells
        self.forks = forks
        self.owner: Token | None = None
        self.owned: dict[str, Token] = {}
        self.via: str | None = None
        self.number = 0
        self.index: int | None = None
        self.due_at: str | None = None
        self.repeats = 0
        self.loop: dict[str, Any] | None = None
        self.is_new = True
        scope.tasks[token_id] = self

    @property
    def data(self) -> Variables:  # pyright: ignore[reportIncompatibleVariableOverride]  - a view: cells are written instead
        """The variables this token sees."""
        return self.scope.variables(self)

    @property
    def execution_id(self) -> ExecutionId:
        """The token's id under the name that the rest of the house uses."""
        return ExecutionId(self.id)

    @property
    def is_alive(self) -> bool:
        """Whether it is still a token of its scope."""
        return self.scope.tasks.get(self.id) is self

    @property
    def is_waiting(self) -> bool:
        """Whether it is a wait of the instance: something outside must happen before it moves."""
        return self._state == TaskState.STARTED and self.spec.opens_wait

    def belongs_to(self, owner: Token) -> None:
        """Make this token live no longer than its owner."""
        self.owner = owner
        owner.owned[self.id] = self

    def with_inside(self) -> list[Token]:
        """Return this token, its loop's iterations and every token inside its sub-process, at any depth."""
        tokens: list[Token] = [self]
        for token in tokens:
            inside = token.scope.instance.subprocesses.get(token.id)
            if inside is not None:
                tokens += inside.tasks.values()
            tokens += [owned for owned in token.owned.values() if owned.spec.is_body]
        return tokens

    @property
    def iteration(self) -> str:
        """The index path of the loops around it, outermost first, ``0`` outside all of them."""
        indices: list[str] = []
        token: Token | None = self
        while token is not None:
            if token.index is not None:
                indices.append(str(token.index))
            token = token.owner if token.owner is not None else token.scope.host
        return ".".join(reversed(indices)) or "0"

    def run(self) -> bool | None:
        """Run the node; one that has to wait gets its boundary events armed."""
        done = super().run()
        if done is None and self.is_alive:
            self.spec.arm(self)
        return done

    def get_ready(self) -> None:
        """Stand in the queue to run."""
        self._state = TaskState.READY
        self.scope.instance.queue.append(self)

    def become(self, state: int) -> None:
        """Take one of SpiffWorkflow's task states."""
        self._state = state

    def _set_state(self, value: int) -> None:
        self._state = value

    def _ready(self) -> None:
        self.get_ready()
