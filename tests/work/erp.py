"""A stand-in ERP in memory with a ledger of its own, whose faults a test names call by call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.contract import (
    BusinessRuleViolated,
    Call,
    Connection,
    Effect,
    Found,
    Lookup,
    ModelCall,
    Operation,
    OperationRegistry,
    Origin,
    OutcomeUnknown,
    RateLimited,
    RepeatRecognition,
    Temporary,
    Unreadable,
    Values,
    operation,
)


class Draft(Values):
    """What is to be written."""

    material: str


class Document(Values):
    """What stands in the ERP."""

    number: str
    key: str


class Number(Values):
    """A number in, a number out."""

    value: int


@dataclass
class Erp:
    """The system and everything that happened there.

    ``faults`` are taken one per write: ``cut_before`` and ``cut_after`` the work, ``late`` (cut, and the work is done
    when the next request comes), ``unreadable`` after the work, ``busy``, ``limited``, ``refused`` without work,
    ``duplicate`` (refused when the key is there already).
    """

    recognises: bool = True
    search_is_certain: bool = True
    is_void: bool = False
    faults: list[str] = field(default_factory=list[str])
    lookup_faults: list[Exception] = field(default_factory=list[Exception])
    documents: list[Document] = field(default_factory=list[Document])
    calls: list[Call] = field(default_factory=list[Call])
    lookups: list[Lookup] = field(default_factory=list[Lookup])
    on_write: Callable[[], None] = lambda: None
    _delayed: list[str] = field(default_factory=list[str])

    def create(self, call: Call, draft: Draft) -> Document:
        """Create a document."""
        del draft
        self.calls.append(call)
        self.on_write()
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "busy":
            raise Temporary("no connection")
        call.recorder.request_sent()
        while self._delayed:
            self._book(self._delayed.pop())
        if fault == "limited":
            raise RateLimited("too often")
        if fault == "refused":
            raise BusinessRuleViolated("budget short")
        if fault == "late":
            self._delayed.append(call.sent_key)
        if fault in ("cut_before", "late"):
            raise OutcomeUnknown("cut")
        if fault == "duplicate" and any(each.key == call.sent_key for each in self.documents):
            raise BusinessRuleViolated("there is such a document already")
        document = self._book(call.sent_key)
        if fault == "cut_after":
            raise OutcomeUnknown("cut")
        if fault == "unreadable":
            raise Unreadable("not JSON")
        if fault == "broken":
            raise KeyError("number")
        return document

    def find(self, call: Call, lookup: Lookup) -> Found[Document]:
        """Find a document by its key."""
        call.recorder.request_sent()
        self.lookups.append(lookup)
        if self.lookup_faults:
            raise self.lookup_faults.pop(0)
        found = next((each for each in self.documents if each.key == lookup.sent_key), None)
        return Found(document=found, is_certain=self.search_is_certain, is_void=self.is_void)

    def _book(self, key: str) -> Document:
        if self.recognises:
            for each in self.documents:
                if each.key == key:
                    return each
        self.documents.append(Document(number=f"PR-{len(self.documents) + 1}", key=key))
        return self.documents[-1]


def double(call: Call, number: Number) -> Number:
    """Double a number."""
    del call
    return Number(value=2 * number.value)


def fail(call: Call, number: Number) -> Number:
    """Fail as a defect does."""
    del call
    raise ZeroDivisionError(number.value)


def lie(call: Call, number: Number) -> Number:
    """Answer with something else than declared."""
    del call, number
    return Draft(material="MAT-001")  # pyright: ignore


def suggest(call: Call, number: Number) -> Number:
    """Ask a model, which answers only even questions."""
    call.recorder.model_called(
        ModelCall(
            provider="p",
            model="m",
            status="ok",
            request=b"{}",
            response=None,
            prompt_tokens=number.value,
            completion_tokens=1,
            cost_micros=None,
        )
    )
    if number.value % 2:
        raise Temporary("odd")
    return number


def registry_of(erp: Erp) -> OperationRegistry:
    """Return the operations of the tests."""

    def create(call: Call, draft: Draft) -> Document:
        return erp.create(call, draft)

    def find(call: Call, lookup: Lookup) -> Found[Document]:
        return erp.find(call, lookup)

    def pure(name: str, function: Callable[[Call, Number], Number]) -> Operation:
        return operation(name, version=1, effect=Effect.PURE)(function)

    return OperationRegistry(
        [
            operation(
                "erp.create",
                version=1,
                effect=Effect.WRITE,
                system="erp",
                reconcile="erp.find",
                permission="requisition:create",
            )(create),
            operation("erp.find", version=1, effect=Effect.READ, system="erp")(find),
            operation("ai.suggest", version=1, effect=Effect.READ, system="ai", origin=Origin.MODEL)(suggest),
            pure("rules.double", double),
            pure("rules.fail", fail),
            pure("rules.lie", lie),
        ]
    )


def connection(
    recognition: RepeatRecognition = RepeatRecognition.NATIVE_KEY,
    *,
    search_is_complete: bool = False,
    concurrency: int = 8,
) -> Connection:
    """Return how the tests' ERP is configured."""
    return Connection(
        system="erp",
        base_url="http://erp",
        token="s3cret",
        recognition=recognition,
        search_is_complete=search_is_complete,
        concurrency=concurrency,
    )
