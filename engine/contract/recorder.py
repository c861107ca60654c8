"""Where an operation leaves word of what it did beside its result: requests sent, models asked (W5, W24)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """What one operation asked a model, bounded repairs included, and what came back.

    Attributes
    ----------
    status
        ``ok``, ``repaired``, ``invalid``, ``rate_limited``, ``timeout``, ``unavailable`` or ``budget``.
    request
        The full request as JSON: prompt and schema with version and digest, facts, settings.
    response
        The last answer as it came; None when none came.
    cost_micros
        Millionths of the account's currency; None when the price is unknown.
    """

    provider: str
    model: str
    status: str
    request: bytes
    response: bytes | None
    prompt_tokens: int
    completion_tokens: int
    cost_micros: int | None


class Recorder(Protocol):
    """Keeps what an operation reports beside its result, whatever the result is."""

    def request_sent(self) -> None:
        """Note that the last byte of a request has left, and that its answer has not come yet."""
        ...

    def model_called(self, model_call: ModelCall) -> None:
        """Keep ``model_call``. An operation reports at most one per attempt."""
        ...


class NoRecorder:
    """Keeps nothing: for calls outside a worker."""

    def request_sent(self) -> None:
        """Do nothing."""

    def model_called(self, model_call: ModelCall) -> None:
        """Do nothing."""
