"""The port behind which models work: a typed question with its prompt and schema, a typed answer with what it cost.

Every engine implements ``AIProvider``, the deterministic analyst ``rules-v1`` as well as a language model. Nothing that
a provider returns is a fact: callers mark it with the origin ``model``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from service_tasks.ai.untrusted import UntrustedText

Output = TypeVar("Output", bound=BaseModel)


class AIStatus(StrEnum):
    """How a request to a model ended."""

    OK = "ok"
    #: Valid after at least one repair.
    REPAIRED = "repaired"
    #: Not valid after all allowed repairs; ``AIResult.raw`` is the last answer.
    INVALID = "invalid"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    #: The request would cost, or cost, more than its budget allows.
    BUDGET = "budget"
    #: The provider refuses our key.
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """Instructions to a model. A changed text is a new version; records carry ``sha256`` as well."""

    prompt_id: str
    version: int
    text: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Schema(Generic[Output]):
    """The form of the answer, as a pydantic model with ``extra="forbid"``."""

    schema_id: str
    version: int
    model: type[Output]

    @property
    def sha256(self) -> str:
        """SHA-256 of the JSON Schema, in hex."""
        return hashlib.sha256(canonical(self.model.model_json_schema())).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong with an answer: a stable ``code``, and a sentence that a model or a person can act on."""

    code: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one request may cost, repairs included. ``cost_micros`` None: no limit in money."""

    repairs: int = 2
    tokens: int = 20_000
    cost_micros: int | None = 50_000


@dataclass(frozen=True, kw_only=True)
class AIRequest(Generic[Output]):
    """One question to a model.

    Attributes
    ----------
    facts
        Trusted facts by their ids; evidence may name these ids alone.
    untrusted
        Texts that others wrote: data, never instructions.
    check
        Finds what is wrong with an answer that fits the schema; each finding is asked back within the repairs.
    as_of
        The day on which the question is asked.
    deadline
        How long the whole request may take.
    """

    prompt: Prompt
    schema: Schema[Output]
    facts: Mapping[str, object]
    check: Callable[[Output], tuple[Finding, ...]]
    as_of: date
    deadline: timedelta
    untrusted: tuple[UntrustedText, ...] = ()
    budget: Budget = field(default_factory=Budget)

    def document(self) -> bytes:
        """Return the request as canonical JSON, for the record and for the provider's cache."""
        return canonical(
            {
                "prompt": {
                    "id": self.prompt.prompt_id,
                    "version": self.prompt.version,
                    "sha256": self.prompt.sha256,
                    "text": self.prompt.text,
                },
                "schema": {
                    "id": self.schema.schema_id,
                    "version": self.schema.version,
                    "sha256": self.schema.sha256,
                },
                "facts": dict(self.facts),
                "untrusted": [{"id": text.text_id, "text": text.text} for text in self.untrusted],
                "as_of": self.as_of,
                "budget": {
                    "repairs": self.budget.repairs,
                    "tokens": self.budget.tokens,
                    "cost_micros": self.budget.cost_micros,
                },
            }
        )


@dataclass(frozen=True, kw_only=True)
class AIResult(Generic[Output]):
    """What became of a request.

    Attributes
    ----------
    output
        The valid answer; None unless the status is ``ok`` or ``repaired``.
    raw
        The last answer as it came, for the record.
    findings
        What was wrong with the last answer, or why there is none.
    attempts
        How often the model was asked.
    cost_micros
        None when the price is unknown.
    retry_after
        With ``rate_limited``: when the provider may be asked again.
    """

    status: AIStatus
    provider: str
    model: str
    output: Output | None = None
    raw: bytes | None = None
    findings: tuple[Finding, ...] = ()
    attempts: int = 1
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micros: int | None = None
    retry_after: timedelta | None = None


class AIProvider(Protocol):
    """An engine that answers typed questions. It never raises for what a model or its service does wrong."""

    @property
    def name(self) -> str:
        """The engine's name on pages and in records."""
        ...

    @property
    def version(self) -> str:
        """Which version of the engine answers: the model's name, or the rules' number."""
        ...

    def decide(self, request: AIRequest[Output]) -> AIResult[Output]:
        """Answer ``request`` within its budget and deadline."""
        ...


def canonical(content: object) -> bytes:
    """Return JSON with sorted keys and no spaces; what JSON has no kind for is written as its text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str).encode()
