"""Somebody else is faster between a command's reading and its writing: it starts over and decides again (W6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from engine.interpreter import Interpreter
from engine.interpreter.messages import Advance
from engine.runtime import errors
from engine.store import Store
from tests.interpreter.playing import PlainScripts
from tests.runtime.company import Company
from tests.runtime.files import HUMAN, PURCHASE
from tests.runtime.test_messages_and_time import cancel_request


class Interrupted(Interpreter):
    """Lets something happen once, after the next interpretation and before anything is written."""

    def __init__(self) -> None:
        super().__init__(PlainScripts())
        self.meanwhile: Callable[[], object] | None = None

    def start(self, *arguments: Any, **named: Any) -> Advance:
        """Start, then let it happen."""
        return self._interrupted(super().start(*arguments, **named))

    def advance(self, *arguments: Any, **named: Any) -> Advance:
        """Advance, then let it happen."""
        return self._interrupted(super().advance(*arguments, **named))

    def _interrupted(self, advance: Advance) -> Advance:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return advance


@dataclass
class Scene:
    """A company and its interpreter."""

    company: Company
    interpreter: Interrupted


#: HUMAN, started by an event and without business keys: only the inbox keeps a repeat from starting it twice.
BY_EVENT = HUMAN | {
    "process.bpmn": HUMAN["process.bpmn"]
    .replace(
        b'<startEvent id="s"/>',
        b'<startEvent id="s"><extensionElements><vermilion:result name="given"/></extensionElements>'
        b'<messageEventDefinition id="s_event" messageRef="go_ref"/></startEvent>',
    )
    .replace(b"<process ", b'<message id="go_ref" name="go"/><process ')
    .replace(b"{ref: amount * 2}", b"{amount: given.amount}"),
    "process.yaml": HUMAN["process.yaml"] + b"messages: [{name: go, types: [go.now], key: ref}]\n",
}


@pytest.fixture
def scene(store: Store) -> Scene:
    """A scene; the test runs once per kind of database."""
    interpreter = Interrupted()
    return Scene(Company(store, PURCHASE, BY_EVENT, interpreter=interpreter), interpreter)


def test_a_decision_overtaken_by_a_cancel_changes_nothing(scene: Scene) -> None:
    company = scene.company
    answer = company.to_approval()
    request = company.decision(company.task_of(answer.workflow_id), approved=True)
    scene.interpreter.meanwhile = lambda: company.runtime.cancel(company.operator, cancel_request(answer.workflow_id))

    with pytest.raises(errors.UnknownTask):
        company.runtime.decide(company.manager, request)

    assert company.status(answer.workflow_id) == ("CANCELLED", "finished")
    assert company.claim() is None


def test_a_cancel_overtaken_by_a_decision_is_decided_again(scene: Scene) -> None:
    company = scene.company
    answer = company.to_approval()
    request = company.decision(company.task_of(answer.workflow_id), approved=True)
    scene.interpreter.meanwhile = lambda: company.runtime.decide(company.manager, request)

    asked = company.runtime.cancel(company.operator, cancel_request(answer.workflow_id))

    assert asked.business_status == "EXECUTING"
    assert company.work().operation == "test.create@1"


def test_a_result_overtaken_by_a_message_is_applied_to_what_stands_then(scene: Scene) -> None:
    company = scene.company
    answer = company.to_write()
    claimed = company.work()
    scene.interpreter.meanwhile = lambda: company.runtime.cancel(company.operator, cancel_request(answer.workflow_id))

    assert not company.record(claimed, company.done(number="PO-5")).is_late

    assert company.status(answer.workflow_id)[0] == "COMPENSATING"


def test_a_repeat_that_comes_while_the_event_is_taken_in_starts_nothing(scene: Scene) -> None:
    company = scene.company
    scene.interpreter.meanwhile = lambda: company.receive("e1", "go.now", ref="R1", amount=1)

    answer = company.receive("e1", "go.now", ref="R1", amount=1)

    assert answer.is_repeat
    assert len(company.runtime.instances(company.operator).items) == 1


def test_a_start_overtaken_by_one_with_the_same_key_finds_its_instance(scene: Scene) -> None:
    company = scene.company
    scene.interpreter.meanwhile = lambda: company.start("purchase", ref="R1", amount=5)

    answer = company.start("purchase", ref="R1", amount=5)

    assert not answer.is_new
    assert len(company.runtime.instances(company.operator).items) == 1
