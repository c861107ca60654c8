"""The ways an operation can fail, each with its own handling (W11).

An operation raises one of these classes; the worker asks the class, never the text. An error that is raised without a
message says its docstring.
"""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import ClassVar


class OperationError(Exception):
    """The operation did not succeed. Open the instance to see what was sent and what came back."""

    #: Stable code that process models catch by ``errorCode`` and that rows and metrics carry.
    code: ClassVar[str] = "operation_failed"
    #: Whether the same call may be made again without a person's word.
    is_retryable: ClassVar[bool] = False
    #: Whether the other system may have done the work although we have no answer.
    is_outcome_unknown: ClassVar[bool] = False

    def __init__(self, message: str = "", *, detail: str = "") -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.detail = detail
        super().__init__(self.message)


class BadParameters(OperationError):
    """The other system says that what was sent is not valid. Correct the named value and send it as a new draft."""

    code = "bad_parameters"


class NotPermitted(OperationError):
    """The service identity may not do this in the other system. Ask its administrator for the named permission."""

    code = "not_permitted"


class NotFound(OperationError):
    """The other system does not know the named thing. Check its number there."""

    code = "not_found"


class BusinessRuleViolated(OperationError):
    """A business rule forbids this. The message names the rule; change the request or end the process."""

    code = "business_rule"


class RateLimited(OperationError):
    """The other system asks to be called less often. It is called again after the time it named."""

    code = "rate_limited"
    is_retryable = True

    def __init__(self, message: str = "", *, retry_after: timedelta | None = None, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.retry_after = retry_after


class Temporary(OperationError):
    """The network failed before the request can have been carried out. It is tried again by itself."""

    code = "temporary"
    is_retryable = True


class Unavailable(OperationError):
    """The other system is not available. It is tried again by itself with growing pauses."""

    code = "unavailable"
    is_retryable = True


class OutcomeUnknown(OperationError):
    """The request left, but no answer came back. The result is looked up before anything is sent again."""

    code = "outcome_unknown"
    is_retryable = True
    is_outcome_unknown = True


class InvalidModelOutput(OperationError):
    """The model's answer does not fit its schema, also after the allowed repairs."""

    code = "invalid_model_output"


class Unreadable(OperationError):
    """The other system's answer cannot be understood. For a write, its result is looked up before a repeat."""

    code = "unreadable_answer"
    is_retryable = True
    is_outcome_unknown = True
