"""An engine for the AI steps of a scenario: it fails, or says, what the scenario tells it to."""

from __future__ import annotations

import json
from typing import TypedDict

from pydantic import ValidationError

from engine.model.scenarios import Provider
from service_tasks.ai import AIRequest, AIResult, AIStatus, Finding
from service_tasks.ai.port import Output

_STATUSES = {
    "unavailable": AIStatus.UNAVAILABLE,
    "invalid": AIStatus.INVALID,
    "budget": AIStatus.BUDGET,
}


class _Failure(TypedDict):
    status: AIStatus
    provider: str
    model: str
    raw: bytes | None
    findings: tuple[Finding, ...]


class ScenarioProvider:
    """Stands behind the port of the models; every answer is what the scenario wrote down."""

    def __init__(self, told: Provider) -> None:
        self._told = told

    @property
    def name(self) -> str:
        """The engine's name on pages and in records."""
        return "scenario"

    @property
    def version(self) -> str:
        """The engine's version on pages and in records."""
        return "1"

    def decide(self, request: AIRequest[Output]) -> AIResult[Output]:
        """Answer, or fail, as told. An answer that does not fit the schema is invalid, as a model's would be."""
        if self._told.fails is not None:
            return AIResult[Output](**self._failure(_STATUSES[self._told.fails], f"It plays {self._told.fails}."))
        raw = json.dumps(self._told.says).encode()
        try:
            output = request.schema.model.model_validate_json(raw)
        except ValidationError as wrong:
            return AIResult[Output](**self._failure(AIStatus.INVALID, str(wrong), raw))
        findings = request.check(output)
        if findings:
            return AIResult[Output](**self._failure(AIStatus.INVALID, findings[0].sentence, raw, findings))
        return AIResult(status=AIStatus.OK, provider=self.name, model="scenario-1", output=output, raw=raw)

    def _failure(
        self, status: AIStatus, sentence: str, raw: bytes | None = None, findings: tuple[Finding, ...] = ()
    ) -> _Failure:
        told = findings or (Finding(code=status.value, sentence=sentence),)
        return _Failure(status=status, provider=self.name, model="scenario-1", raw=raw, findings=told)
