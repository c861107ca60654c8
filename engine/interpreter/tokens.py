"""A token, and what it asks of its node and scope: SpiffWorkflow's task, without its history, clock and random ids.

SpiffWorkflow keeps every task it ever ran in a tree. Here a task lives only as long as it is a token: it is made when
a sequence flow brings it, and removed when it leaves. So the state of a loop stays flat, nothing recurses with the
number of rounds, and what stock SpiffWorkflow reads from the tree (where branches parted, whether a join may fire) is
kept in the token itself.

Tokens, nodes and scopes refer to one another in the nature of the thing. The protocols here say what each may ask of
the other, so that the modules need not: nodes and scopes are built upon tokens, never the other way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskState

from engine.contract.ids import ExecutionId
from engine.contract.origin import Origin
from engine.interpreter.circumstances import Circumstances
from engine.interpreter.merging import Gathering
from engine.interpreter.messages import StepEvent, StepOutcome, Wait
from engine.interpreter.recording import Recording
from engine.interpreter.variables import Cells, Share, Variables
from engine.model.graph import FlowNode


class Node(Protocol):
    """The specification of the node that a token is at; :class:`engine.interpreter.specs.node.NodeSpec` tells more."""

    name: str
    is_body: bool

    @property
    def drawn(self) -> FlowNode:
        """The node of the graph."""
        ...

    @property
    def passes_as(self) -> str | None:
        """The id to show for passing here."""
        ...

    @property
    def opens_wait(self) -> bool:
        """Whether a token that waits here is a wait of the instance."""
        ...

    @property
    def boundaries(self) -> Sequence[Boundary]:
        """Boundary events attached here."""
        ...

    def reach(self, token: Token) -> None:
        """A token arrives."""
        ...

    def arm(self, token: Token) -> None:
        """A token has to wait here."""
        ...

    def body_completed(self, host: Token, body: Token) -> None:
        """An iteration of the loop at ``host`` is done."""
        ...

    def listen_behind(self, gateway: Token, via: str) -> None:
        """Wait for this event on behalf of an event-based gateway."""
        ...

    def wait_of(self, token: Token) -> Wait | None:
        """Return what a waiting token waits for."""
        ...


class Boundary(Node, Protocol):
    """An event on the border of an activity."""

    @property
    def caught_code(self) -> str | None:
        """The code of the error that it catches; None for all."""
        ...

    def listen(self, host: Token) -> None:
        """Wait beside the activity."""
        ...

    def start_path(self, token: Token) -> None:
        """The event occurred: take its outgoing flows."""
        ...


class Shape(Protocol):
    """What is drawn in a scope, as far as tokens and nodes ask."""

    @property
    def is_called(self) -> bool:
        """Whether it runs for a call activity."""
        ...

    @property
    def shared_names(self) -> frozenset[str]:
        """Names of its data objects."""
        ...

    def reaches(self, source: str, join: str) -> frozenset[str]:
        """Return the incoming flows of an inclusive join that a token at a node can still come by."""
        ...


class Run(Protocol):
    """The running process: what all its scopes share."""

    given: Circumstances
    record: Recording
    queue: deque[Token]

    @property
    def subprocesses(self) -> Mapping[str, Scope]:
        """Open scopes by the id of the token that hosts them."""
        ...

    def tick(self) -> int:
        """Return the next stamp."""
        ...

    def count(self, element_id: str) -> int:
        """Count one more execution of a step and return which it is."""
        ...

    def create_subprocess(self, my_task: Token, spec_name: str) -> Scope:
        """Open the scope inside a sub-process or call activity."""
        ...

    def keep(self, token: Token) -> None:
        """Add what a token has to what the process leaves behind."""
        ...

    def fail(self, code: str, message: str) -> None:
        """End the instance: an error reached the top and nothing caught it."""
        ...


class Scope(Protocol):
    """A running scope; :class:`engine.interpreter.scopes.ScopeInstance` tells more."""

    tasks: dict[str, Token]
    host: Token | None
    arrived: dict[str, dict[str, deque[Token]]]
    shared: Cells

    @property
    def spec(self) -> Shape:
        """What is drawn in it."""
        ...

    @property
    def instance(self) -> Run:
        """The process around it."""
        ...

    def variables(self, token: Token) -> Variables:
        """Return what a token sees."""
        ...

    def write(self, token: Token, name: str, value: object, origin: Origin, source: str) -> None:
        """Give a variable a new value."""
        ...

    def share(self, token: Token) -> None:
        """Move what a called process gave back for data objects to where these are kept."""
        ...

    def arrive(
        self, spec: Node, via: str | None, cells: Cells, forks: dict[int, Share], decision: str | None = None
    ) -> Token:
        """Bring a token to a node."""
        ...

    def leave(self, token: Token, targets: Sequence[tuple[Node, str]]) -> None:
        """Take a token off its node and on to others; without one it ends."""
        ...

    def spread(self, targets: Sequence[tuple[Node, str | None]], cells: Cells, forks: dict[int, Share]) -> None:
        """Bring a token to each of the targets."""
        ...

    def remove(self, token: Token) -> None:
        """Take a token away without a trace."""
        ...

    def end(self, token: Token) -> None:
        """A token has come to an end."""
        ...

    def withdraw(self, token: Token) -> None:
        """Take a token away because something else was faster."""
        ...

    def withdraw_all(self) -> None:
        """Withdraw every token of this scope."""
        ...

    def gather(self, tokens: Sequence[Token], at: Node) -> Gathering:
        """Merge the variables of tokens that meet."""
        ...


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
    decision
        The decision that it came from in this advance.
    is_new
        It came up in this advance.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall]  - stock makes a random id and reads the clock
        self, scope: Scope, spec: Node, token_id: str, cells: Cells, forks: dict[int, Share]
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
        self.decision: str | None = None
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

    def step_event(self, outcome: StepOutcome, error_code: str | None = None) -> StepEvent:
        """Return what to tell of the step that it is in."""
        return StepEvent(
            execution_id=self.execution_id,
            element_id=self.spec.drawn.element_id,
            iteration=self.iteration,
            execution_number=self.number,
            outcome=outcome,
            error_code=error_code,
        )

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
