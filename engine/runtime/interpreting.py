"""The one boundary at which the runtime lets the interpreter and its planning run.

Whatever they raise, the caller keeps what was received and opens an incident: a mistake of the engine's own loses as
little as a mistake of a drawing (P15).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import structlog

from engine.interpreter.failures import InterpretationFailed
from engine.store.instances import InstanceHead

log = structlog.stdlib.get_logger("engine.runtime")


class InternalError(InterpretationFailed):
    """The engine itself failed at this step. Nothing is lost: a repair applies what was received again."""

    code = "internal_error"


@contextmanager
def interpreting(instance: InstanceHead, element_id: str | None = None) -> Generator[None]:
    """Interpret and plan for ``instance``; every failure that leaves is an InterpretationFailed.

    Raises
    ------
    InterpretationFailed
        As the interpreter raised it; InternalError for any other exception, which is logged with the instance's ids.
    """
    try:
        yield
    except InterpretationFailed:
        raise
    except Exception as error:
        log.exception(
            "interpreting.failed",
            tenant_id=instance.tenant_id,
            workflow_id=instance.workflow_id,
            workflow_type=instance.workflow_type,
            business_key=instance.business_key,
            trace_id=instance.trace_id,
            version=instance.version,
            step_key=element_id or instance.current_step,
        )
        raise InternalError(
            f"The engine itself failed at this step ({type(error).__name__}). Nothing is lost: see the log of"
            f" {instance.workflow_id}, then repair, which applies again what was received.",
            element_id=element_id or instance.current_step,
        ) from error
