"""The catalogue of all shipped operations fits together, and takes an installation's own."""

from __future__ import annotations

import pytest

from engine.contract import Call, DeclarationError, Effect, Origin, Values, operation
from service_tasks.ai import RepairingProvider, RiskReport
from service_tasks.catalogue import build_registry
from tests.service_tasks.calls import call
from tests.service_tasks.models import Scripted, case, opinion


class Word(Values):
    """Anything."""

    word: str


@operation("house.shout", version=1, effect=Effect.PURE)
def shout(call: Call, word: Word) -> Word:
    """Say it louder."""
    del call
    return Word(word=word.word.upper())


def test_every_write_can_be_looked_up_and_needs_a_permission() -> None:
    writes = [each for each in build_registry() if each.effect is Effect.WRITE]
    assert writes
    for write in writes:
        assert write.permission is not None, write.reference
        assert write.reconcile is not None, write.reference


def test_only_models_suggest_and_only_rules_accept_suggestions() -> None:
    for each in build_registry():
        assert (each.origin is Origin.MODEL) == (each.system == "ai"), each.reference
        if each.accepts_suggestions:
            assert (each.effect, each.origin) == (Effect.PURE, Origin.RULE), each.reference


def test_every_operation_has_a_title_for_the_analyst() -> None:
    for each in build_registry():
        assert each.title.endswith("."), each.reference


def test_the_engine_of_the_ai_steps_is_chosen_once() -> None:
    registry = build_registry(RepairingProvider("house-model", Scripted(opinion())))
    report = registry.find("ai.analyse_risk").function(call(), case())
    assert isinstance(report, RiskReport)
    assert report.engine == "house-model"


def test_an_installation_adds_its_own_and_cannot_replace_what_is_shipped() -> None:
    assert build_registry(more=[shout]).find("house.shout@1") is shout
    with pytest.raises(DeclarationError, match="declared twice"):
        build_registry(more=[shout, shout])
