"""Which class of error an answer of a business system means (W11). A pure table.

Error answers are read as problem details (RFC 9457). Besides its members ``title`` and ``detail`` these are understood:
``code``, a stable word that may be one of our own codes; ``rule``, the name of a violated business rule; ``in_doubt``,
whether the work may have been done all the same; ``retryable``, whether the same request may succeed later.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.contract import (
    BadParameters,
    BusinessRuleViolated,
    NotFound,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    RateLimited,
    Temporary,
    Unavailable,
)


class Problem(BaseModel):
    """Problem details as far as they decide anything; other members are ignored."""

    model_config = ConfigDict(extra="ignore")

    title: str = ""
    detail: str = ""
    code: str = ""
    rule: str = ""
    in_doubt: bool | None = None
    retryable: bool | None = None

    @property
    def sentence(self) -> str:
        """What the system said, for a person."""
        return ": ".join(part for part in (self.title, self.detail) if part)


def read_problem(body: bytes) -> Problem:
    """Return the problem details in an error answer; an empty problem when there are none."""
    try:
        return Problem.model_validate_json(body)
    except ValidationError:
        return Problem()


def read_retry_after(value: str | None, now: datetime) -> timedelta | None:
    """Return how long to wait by a ``Retry-After`` header (RFC 9110, 10.2.3): seconds or an HTTP date."""
    if value is None:
        return None
    if value.strip().isdigit():
        return timedelta(seconds=min(int(value.strip()), 366 * 86400))
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(timedelta(0), until - now)


_BY_CODE: dict[str, type[OperationError]] = {
    each.code: each for each in (BadParameters, BusinessRuleViolated, NotFound, NotPermitted, Temporary, Unavailable)
}

_BY_STATUS: dict[int, type[OperationError]] = {
    401: NotPermitted,
    403: NotPermitted,
    404: NotFound,
    409: BusinessRuleViolated,
    410: NotFound,
    423: Temporary,
    425: Temporary,
}


def classify(
    *, status: int, problem: Problem, is_write: bool, refusals: frozenset[int], retry_after: timedelta | None, said: str
) -> OperationError:
    """Return the error that an answer outside 200 to 299 means.

    Parameters
    ----------
    refusals
        Statuses of 500 and above with which the system promises that it has done nothing.
    said
        The start of the message: which system was asked for what.
    """
    sentence = f"{said}: {problem.sentence or f'it answered with status {status}'}"
    named = (("status", str(status)), ("code", problem.code), ("rule", problem.rule))
    detail: dict[str, Any] = {"detail": ", ".join(f"{name} {value}" for name, value in named if value)}
    if status == 429:
        return RateLimited(sentence, retry_after=retry_after, **detail)
    if is_write and _is_in_doubt(status, problem, refusals):
        return OutcomeUnknown(sentence, **detail)
    if status >= 500 or 300 <= status < 400 or problem.retryable:
        # A redirect is never followed: the address is a setting, and the token belongs to that address alone.
        return Unavailable(sentence, **detail)
    if status == 408:
        return Temporary(sentence, **detail)
    return _BY_CODE.get(problem.code, _BY_STATUS.get(status, BadParameters))(sentence, **detail)


def _is_in_doubt(status: int, problem: Problem, refusals: frozenset[int]) -> bool:
    """Tell whether a write may have been done although this was the answer."""
    if problem.in_doubt:
        return True
    if status >= 500:
        # A server error proves nothing; only a 503 may say of itself that the work was not begun.
        return status not in refusals and not (status == 503 and problem.in_doubt is False)
    return status == 408 or 300 <= status < 400
