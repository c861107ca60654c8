"""The state of an instance as bytes (P8).

One JSON document, compressed with zstd: the tokens without the specification, parents before what belongs to them, and
every version of a variable once, however many tokens see it. ``STATE_FORMAT`` numbers the shape of the document; a
change that an older reader cannot read, or that older documents do not have, gets a new number and keeps this reader.

Format 1, keys left out where they hold the default:

=====  ================================================================================================================
``f``  1
``k``  count of writes and forks; ``n`` steps run; ``c`` executions by element. The first states of ended instances
       lack them: such an instance cannot be restarted
``v``  versions of variables: name, stamp, origin, source, value, 1 when the value is tagged, branches by fork
``s``  running scopes, outer before inner: ``h`` index of the host token and ``t`` its tokens; ``e`` what ended tokens
       left; ``d`` data objects
``q``  indices of the tokens that can run, in turn
``x``  code and message of the error that ended the instance
=====  ================================================================================================================

A token: id, node, SpiffWorkflow's state number, versions it sees (null: its owner's), and further fields by letter:
``o`` index of its owner, ``u`` flow that brought it, ``b`` branches by fork, ``n`` execution number, ``i`` iteration,
``d`` when due, ``r`` repeats, ``l`` account of a loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import orjson
import zstandard
from SpiffWorkflow.util.task import TaskState

from engine.contract.origin import Origin
from engine.interpreter.building import Program
from engine.interpreter.circumstances import Circumstances
from engine.interpreter.failures import StateUnreadable
from engine.interpreter.merging import forget_closed_forks
from engine.interpreter.scopes import Instance, ScopeInstance
from engine.interpreter.specs.activities import ScopeActivitySpec
from engine.interpreter.specs.gateways import JoinSpec
from engine.interpreter.tagging import tagged, untagged
from engine.interpreter.tokens import Token
from engine.interpreter.values import Value
from engine.interpreter.variables import Cell, Cells, Share

STATE_FORMAT = 1

_ORIGINS = (Origin.SYSTEM, Origin.RULE, Origin.PERSON, Origin.MODEL)
_ORIGIN_NUMBERS = {origin: number for number, origin in enumerate(_ORIGINS)}
_LARGEST_STATE = 1 << 30

Document: TypeAlias = dict[str, Any]


def dump(instance: Instance) -> bytes:
    """Return the state of an instance."""
    return zstandard.compress(orjson.dumps(_Writer().document(instance)), 3)


def load(content: bytes, program: Program, given: Circumstances) -> Instance:
    """Return the instance that ``dump`` made ``content`` from.

    Raises
    ------
    StateUnreadable
        When this is no state, or of a format that is not known here.
    """
    try:
        document = orjson.loads(zstandard.decompress(content, _LARGEST_STATE))
    except (zstandard.ZstdError, orjson.JSONDecodeError) as broken:
        raise StateUnreadable("The stored state is damaged.") from broken
    if not isinstance(document, dict) or cast(Document, document).get("f") != STATE_FORMAT:
        raise StateUnreadable("The stored state has a format that this version of the program does not know.")
    return _Reader(cast(Document, document), program, given).instance()


class _Writer:
    def __init__(self) -> None:
        self._versions: list[list[Any]] = []
        self._index_of: dict[tuple[int, str], int] = {}
        self._token_indices: dict[str, int] = {}

    def document(self, instance: Instance) -> Document:
        if instance.is_completed():
            return self._finished(instance)
        scopes = instance.scopes()
        _forget_forks(scopes)
        document: Document = {
            "f": STATE_FORMAT,
            "k": instance.stamp,
            "n": instance.steps,
            "c": instance.executions,
            "s": [self._scope(scope) for scope in scopes],
            "v": self._versions,
        }
        queued = [self._token_indices[token.id] for token in instance.queue if token.is_alive]
        if queued:
            document["q"] = queued
        return document

    def _finished(self, instance: Instance) -> Document:
        self._cells({**instance.ended.cells, **instance.shared})
        document: Document = {
            "f": STATE_FORMAT,
            "k": instance.stamp,
            "n": instance.steps,
            "c": instance.executions,
            "v": self._versions,
        }
        if instance.failure is not None:
            document["x"] = instance.failure
        return document

    def _scope(self, scope: ScopeInstance) -> Document:
        document: Document = {}
        if scope.host is not None:
            document["h"] = self._token_indices[scope.host.id]
        for token in scope.tasks.values():
            self._token_indices[token.id] = len(self._token_indices)
        document["t"] = [self._token(token) for token in scope.tasks.values()]
        if scope.ended.cells:
            document["e"] = self._cells(scope.ended.cells)
        if scope.shared:
            document["d"] = self._cells(scope.shared)
        return document

    def _token(self, token: Token) -> list[Any]:
        owner = token.owner
        is_sharing = owner is not None and owner.cells is token.cells
        further: Document = {}
        if owner is not None:
            further["o"] = self._token_indices[owner.id]
        if token.via is not None:
            further["u"] = token.via
        if token.forks and not is_sharing:
            further["b"] = _written_forks(token.forks)
        if token.number:
            further["n"] = token.number
        if token.index is not None:
            further["i"] = token.index
        if token.due_at is not None:
            further["d"] = token.due_at
        if token.repeats:
            further["r"] = token.repeats
        if token.loop is not None:
            further["l"] = tagged(cast(Value, token.loop))
        record: list[Any] = [token.id, token.spec.name, token.state, None if is_sharing else self._cells(token.cells)]
        return [*record, further] if further else record

    def _cells(self, cells: Mapping[str, Cell]) -> list[int]:
        return [self._cell(cell) for cell in cells.values()]

    def _cell(self, cell: Cell) -> int:
        key = (cell.stamp, cell.name)
        index = self._index_of.get(key)
        if index is None:
            index = self._index_of[key] = len(self._versions)
            written: list[Any] = [cell.name, cell.stamp, _ORIGIN_NUMBERS[cell.origin], cell.source]
            written += [cell.value] if cell.is_exact_json else [tagged(cell.value), 1]
            if cell.forks:
                written += [_written_forks(cell.forks)] if not cell.is_exact_json else [0, _written_forks(cell.forks)]
            self._versions.append(written)
        return index


class _Reader:
    def __init__(self, document: Document, program: Program, given: Circumstances) -> None:
        self._document = document
        self._program = program
        self._given = given
        self._tokens: list[Token] = []
        self._versions = [_read_cell(*written) for written in document["v"]]

    def instance(self) -> Instance:
        document = self._document
        instance = Instance(self._program.process, self._given, self._program.insides)
        instance.stamp = document.get("k") or max((cell.stamp for cell in self._versions), default=0)
        instance.steps = document.get("n", 0)
        instance.executions = document.get("c", {})
        if "s" not in document:
            instance.ended.cells = {cell.name: cell for cell in self._versions}
            instance.failure = tuple(document["x"]) if "x" in document else None
            return instance
        for record in document["s"]:
            host: int | None = record.get("h")
            scope = instance if host is None else self._open(instance, self._tokens[host])
            self._fill(scope, record)
        queued: list[int] = document.get("q", [])
        instance.queue = deque(self._tokens[index] for index in queued)
        return instance

    @staticmethod
    def _open(instance: Instance, host: Token) -> ScopeInstance:
        if not isinstance(host.spec, ScopeActivitySpec):
            raise StateUnreadable(f"The stored state has a scope inside {host.spec.name!r}, which has none.")
        return instance.create_subprocess(host, host.spec.inside.scope_name)

    def _fill(self, scope: ScopeInstance, record: Document) -> None:
        for written in record["t"]:
            self._tokens.append(self._token(scope, *written))
        if "e" in record:
            scope.ended.cells = self._cells(record["e"])
        if "d" in record:
            scope.shared = self._cells(record["d"])

    def _token(
        self,
        scope: ScopeInstance,
        token_id: str,
        node: str,
        state: int,
        cells: list[int] | None,
        further: Document | None = None,
    ) -> Token:
        further = further or {}
        owner_index: int | None = further.get("o")
        owner = self._tokens[owner_index] if owner_index is not None else None
        if cells is None and owner is not None:
            token = Token(scope, scope.spec.node(node), token_id, owner.cells, owner.forks)
        else:
            forks = _read_forks(further.get("b", ()))
            token = Token(scope, scope.spec.node(node), token_id, self._cells(cells or ()), forks)
        token.is_new = False
        token.via = further.get("u")
        token.number = further.get("n", 0)
        token.index = further.get("i")
        token.due_at = further.get("d")
        token.repeats = further.get("r", 0)
        token.loop = cast("dict[str, Any] | None", untagged(further["l"])) if "l" in further else None
        if owner is not None:
            token.belongs_to(owner)
        token.become(state)
        if state == TaskState.WAITING and isinstance(token.spec, JoinSpec):
            scope.arrived.setdefault(token.spec.name, {}).setdefault(token.via or "", deque()).append(token)
        return token

    def _cells(self, indices: Iterable[int]) -> Cells:
        versions = self._versions
        return {(cell := versions[index]).name: cell for index in indices}


def _read_cell(
    name: str, stamp: int, origin: int, source: str, value: object, is_tagged: int = 0, forks: Sequence[Any] = ()
) -> Cell:
    kept = untagged(value) if is_tagged else cast(Value, value)
    return Cell(name, kept, stamp, _ORIGINS[origin], source, not is_tagged, _read_forks(forks))


def _forget_forks(scopes: Iterable[ScopeInstance]) -> None:
    """Forks belong to a scope, versions are handed on into the scopes inside: all are looked at together."""
    tokens: list[dict[int, Share]] = []
    versions: list[dict[int, Share]] = []
    for scope in scopes:
        tokens += [token.forks for token in scope.tasks.values() if token.forks]
        for cells in (scope.ended.cells, scope.shared, *(token.cells for token in scope.tasks.values())):
            versions += [cell.forks for cell in cells.values() if cell.forks]
    if tokens or versions:
        forget_closed_forks(tokens, versions)


def _written_forks(forks: Mapping[int, Share]) -> list[list[Any]]:
    """Branches as hexadecimal text: a fork may have more branches than a JSON number has bits."""
    return [[fork, f"{branches:x}", f"{whole:x}"] for fork, (branches, whole) in forks.items()]


def _read_forks(written: Sequence[Sequence[Any]]) -> dict[int, Share]:
    return {fork: (int(branches, 16), int(whole, 16)) for fork, branches, whole in written}
