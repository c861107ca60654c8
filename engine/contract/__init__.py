"""What an operation is: typed input and output, effect, retry, look-up and compensation. Pure.

An integrator writes against these names, and ``service_tasks`` imports nothing else of the engine.
"""

from __future__ import annotations

from engine.contract.call import Call, Correlation
from engine.contract.connection import Closable, Connection, KeptOpen, RepeatRecognition
from engine.contract.errors import (
    BadParameters,
    BusinessRuleViolated,
    InvalidModelOutput,
    NotFound,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    RateLimited,
    Temporary,
    Unavailable,
    Unreadable,
)
from engine.contract.keys import idempotency_key, sent_key
from engine.contract.operation import DeclarationError, Effect, Operation, Values, operation
from engine.contract.origin import Origin, taint
from engine.contract.reconcile import Found, Lookup
from engine.contract.recorder import ModelCall, NoRecorder, Recorder
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.contract.retry import Retry

__all__ = [
    "BadParameters",
    "BusinessRuleViolated",
    "Call",
    "Closable",
    "Connection",
    "Correlation",
    "DeclarationError",
    "Effect",
    "Found",
    "InvalidModelOutput",
    "KeptOpen",
    "Lookup",
    "ModelCall",
    "NoRecorder",
    "NotFound",
    "NotPermitted",
    "Operation",
    "OperationError",
    "OperationRegistry",
    "Origin",
    "OutcomeUnknown",
    "RateLimited",
    "Recorder",
    "RepeatRecognition",
    "Retry",
    "Temporary",
    "Unavailable",
    "UnknownOperation",
    "Unreadable",
    "Values",
    "idempotency_key",
    "operation",
    "sent_key",
    "taint",
]
