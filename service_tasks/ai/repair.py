"""Bounded repair: a model that answers in text is asked again with what was wrong, within limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

from pydantic import ValidationError

from service_tasks.ai.port import AIRequest, AIResult, AIStatus, Finding, Output

#: Findings about one answer that are sent back; a model does not profit from more.
_FINDINGS_SENT = 8


@dataclass(frozen=True, kw_only=True)
class RejectedAnswer:
    """An earlier answer of the same request, with what was wrong with it."""

    text: bytes
    findings: tuple[Finding, ...]


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """What a model said to one question, and what that cost; ``cost_micros`` None: the price is unknown."""

    text: bytes
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micros: int | None = None


class ModelFault(Exception):
    """The model could not be asked. ``status`` says how the request ends; ``retry_after`` when to ask again."""

    def __init__(self, status: AIStatus, sentence: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.retry_after = retry_after


class TextModel(Protocol):
    """A model that answers in text."""

    @property
    def model(self) -> str:
        """Its name, as records and prices know it."""
        ...

    def answer(self, request: AIRequest[Any], rejected: tuple[RejectedAnswer, ...], timeout: timedelta) -> TextAnswer:
        """Answer once, knowing which earlier answers of this request were rejected.

        Raises
        ------
        ModelFault
            When no answer was got.
        """
        ...


class RepairingProvider:
    """A text model behind the port."""

    def __init__(self, name: str, model: TextModel, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._model = model
        self._monotonic = monotonic

    @property
    def name(self) -> str:
        """The engine's name on pages and in records."""
        return self._name

    @property
    def version(self) -> str:
        """The model's name."""
        return self._model.model

    def decide(self, request: AIRequest[Output]) -> AIResult[Output]:
        """Ask until the answer is valid, the repairs are used up, or the budget or the time is."""
        until = self._monotonic() + request.deadline.total_seconds()
        so_far = AIResult[Output](status=AIStatus.INVALID, provider=self._name, model=self._model.model, attempts=0)
        rejected: tuple[RejectedAnswer, ...] = ()
        while so_far.attempts <= request.budget.repairs:
            remaining = until - self._monotonic()
            if remaining <= 0:
                return _ended(so_far, AIStatus.TIMEOUT, "The time for this request is over.")
            if spent := _overspent(so_far, request):
                return _ended(so_far, AIStatus.BUDGET, spent)
            try:
                answer = self._model.answer(request, rejected, timedelta(seconds=remaining))
            except ModelFault as fault:
                ended = _ended(so_far, fault.status, fault.sentence)
                return replace(ended, attempts=so_far.attempts + 1, retry_after=fault.retry_after)
            output, findings = _judged(request, answer.text)
            so_far = replace(_counted(so_far, answer), findings=findings)
            if output is not None:
                status = AIStatus.REPAIRED if rejected else AIStatus.OK
                return replace(so_far, status=status, output=output)
            rejected = (*rejected, RejectedAnswer(text=answer.text, findings=findings[:_FINDINGS_SENT]))
        return so_far


def _judged(request: AIRequest[Output], text: bytes) -> tuple[Output | None, tuple[Finding, ...]]:
    try:
        output = request.schema.model.model_validate_json(text)
    except ValidationError as error:
        return None, tuple(
            Finding(code="schema", sentence=f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}")
            for each in error.errors()
        )
    findings = request.check(output)
    return (None if findings else output), findings


def _counted(so_far: AIResult[Output], answer: TextAnswer) -> AIResult[Output]:
    first = so_far.attempts == 0
    known = answer.cost_micros is not None and (first or so_far.cost_micros is not None)
    return replace(
        so_far,
        raw=answer.text,
        attempts=so_far.attempts + 1,
        prompt_tokens=so_far.prompt_tokens + answer.prompt_tokens,
        completion_tokens=so_far.completion_tokens + answer.completion_tokens,
        cost_micros=(so_far.cost_micros or 0) + (answer.cost_micros or 0) if known else None,
    )


def _overspent(so_far: AIResult[Output], request: AIRequest[Output]) -> str | None:
    tokens = so_far.prompt_tokens + so_far.completion_tokens
    if tokens >= request.budget.tokens:
        return f"{tokens} tokens were used of {request.budget.tokens}."
    limit = request.budget.cost_micros
    if limit is not None and (so_far.cost_micros or 0) >= limit:
        return f"{so_far.cost_micros} millionths were spent of {limit}."
    return None


def _ended(so_far: AIResult[Output], status: AIStatus, sentence: str) -> AIResult[Output]:
    return replace(so_far, status=status, findings=(*so_far.findings, Finding(code=status.value, sentence=sentence)))
