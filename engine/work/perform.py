"""Performs one claimed job: checks, looks up, calls with no transaction open, and says what became of it (P3, P6).

It decides nothing itself: ``decisions`` says what comes next, and the runtime writes down the outcome.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

import structlog
from pydantic import BaseModel, ValidationError

from engine.contract.call import Call
from engine.contract.connection import Connection
from engine.contract.errors import BadParameters, OperationError
from engine.contract.ids import IdempotencyKey
from engine.contract.keys import sent_key
from engine.contract.operation import Effect, Operation, Values
from engine.contract.reconcile import Found, Lookup
from engine.contract.recorder import ModelCall
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.identity.actor import Actor
from engine.runtime.commands import (
    ClaimedJob,
    Deferred,
    EarlierIntent,
    Failed,
    JobKind,
    JobOutcome,
    ModelCallRecord,
    Parked,
    Retried,
    Succeeded,
)
from engine.work.crash_points import CrashPoints, NoCrash
from engine.work.decisions import (
    NextStep,
    Situation,
    after_call_failed,
    after_lookup_failed,
    after_nothing_found,
    at_start,
)
from engine.work.lease import Lease
from engine.work.ledger import Journal
from engine.work.limits import Limits

log = structlog.stdlib.get_logger("engine.work")


@dataclass(frozen=True, kw_only=True)
class Performed:
    """What became of a job, with what was asked of models on the way."""

    outcome: JobOutcome
    model_calls: tuple[ModelCallRecord, ...] = ()


class _Broken(Exception):
    """The operation's own code failed."""


class _LeaseLost(Exception):
    """Somebody else may have the job."""


class Performer:
    """Performs claimed jobs. Thread-safe; one per process.

    Parameters
    ----------
    connections
        By the name of the system. A system without one is called all the same: its adapter says what is missing.
    actor
        The service identity whose permissions count at the moment of the call (W17, fifth check).
    dice
        For the jitter of pauses.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        registry: OperationRegistry,
        connections: Mapping[str, Connection],
        limits: Limits,
        actor: Actor,
        dice: random.Random,
        crash_points: CrashPoints | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.journal = journal
        self.registry = registry
        self.actor = actor
        self.dice = dice
        self.crash_points = crash_points or NoCrash()
        self.monotonic = monotonic
        self._connections = connections
        self._limits = limits

    def perform(self, claimed: ClaimedJob, lease: Lease) -> Performed:
        """Perform a claimed job under its lease. Never raises for what an operation does wrong."""
        if claimed.kind is JobKind.CONTINUE:
            return Performed(outcome=Succeeded(result="null"))
        try:
            operation = self.registry.find(claimed.operation or "")
        except UnknownOperation as error:
            return Performed(outcome=_parked("operation_missing", str(error), claimed))
        if operation.permission is not None and operation.permission not in self.actor.permissions:
            return Performed(
                outcome=_parked(
                    "not_permitted",
                    f"{operation.reference} needs the permission {operation.permission}, which the service identity"
                    f" {self.actor.name} does not hold. Ask an administrator for it, then retry.",
                    claimed,
                )
            )
        try:
            arguments = operation.input_model.model_validate_json(claimed.arguments)
        except ValidationError as error:
            return Performed(outcome=_refused_arguments(operation, error, claimed))
        connection = self.connection_of(operation)
        if connection is None:
            return _Attempt(self, claimed, operation, arguments, None, lease).run()
        pause = self._limits.enter(connection)
        if pause is not None:
            return Performed(outcome=Deferred(pause=pause))
        try:
            return _Attempt(self, claimed, operation, arguments, connection, lease).run()
        finally:
            self._limits.leave(connection)

    def longest(self, claimed: ClaimedJob) -> timedelta:
        """Return how long a job may keep its lease: two calls with a look-up after each, at their time-outs."""
        try:
            operation = self.registry.find(claimed.operation or "")
        except UnknownOperation:
            return timedelta(0)
        finder = self.registry.find(operation.reconcile).timeout if operation.reconcile else timedelta(0)
        return (2 + len(claimed.unsettled)) * ((claimed.timeout or operation.timeout) + finder)

    def connection_of(self, operation: Operation) -> Connection | None:
        """Return how to reach an operation's system; None for operations without one."""
        return None if operation.system is None else self._connections.get(operation.system)

    def spend(self, connection: Connection | None) -> None:
        """Count a further request towards the limits of its system."""
        if connection is not None:
            self._limits.spend(connection)


class _Attempt:
    """One claimed job on its way; also the recorder of what its operation asks of models."""

    def __init__(
        self,
        performer: Performer,
        claimed: ClaimedJob,
        operation: Operation,
        arguments: BaseModel,
        connection: Connection | None,
        lease: Lease,
    ) -> None:
        self._performer = performer
        self._claimed = claimed
        self._operation = operation
        self._arguments = arguments
        self._connection = connection
        self._lease = lease
        self._began = performer.monotonic()
        self._is_sending = False
        self._model_calls: list[ModelCall] = []
        attempts = claimed.retry_attempts
        retry = operation.retry if attempts is None else replace(operation.retry, attempts=attempts)
        self._situation = Situation(
            effect=operation.effect,
            retry=retry,
            recognition=connection.recognition if connection is not None else None,
            search_is_complete=connection is not None and connection.search_is_complete,
            failure_count=claimed.failure_count,
            was_in_doubt=claimed.must_look_up,
        )

    def request_sent(self) -> None:
        """Pass the point between a request and its answer; look-ups have points of their own."""
        if self._is_sending:
            self._performer.crash_points.reached("call:after_send")

    def model_called(self, model_call: ModelCall) -> None:
        """Keep what was asked of a model, whatever becomes of the job."""
        self._model_calls.append(model_call)

    def run(self) -> Performed:
        try:
            outcome = self._settle_earlier() or self._walk()
        except _LeaseLost:
            outcome = self._lease_over()
        records = tuple(_record(each) for each in self._model_calls)
        return Performed(outcome=outcome, model_calls=records)

    def _walk(self) -> JobOutcome:
        """Go from step to step until there is an outcome; ``decisions`` allows two sends and a look-up after each."""
        step: NextStep | JobOutcome = at_start(self._situation)
        while isinstance(step, NextStep):
            step = self._look_up() if step is NextStep.LOOK_UP else self._send()
        return step

    # --- send ----------------------------------------------------------------------------------------------------

    def _send(self) -> NextStep | JobOutcome:
        performer, is_write = self._performer, self._operation.effect is Effect.WRITE
        if is_write:
            if not self._lease.is_held:
                raise _LeaseLost
            if self._situation.sends > 0 and not performer.journal.intend(performer.actor, self._claimed):
                raise _LeaseLost
        if self._situation.sends > 0:
            performer.spend(self._connection)
        self._situation = replace(self._situation, sends=self._situation.sends + 1)
        performer.crash_points.reached("call:before_send")
        self._is_sending = True
        try:
            answer = self._made(self._operation, self._arguments, self._claimed.idempotency_key, self._connection)
        except OperationError as error:
            return self._after_error(error)
        except _Broken as broken:
            return Parked(error_code="operation_broken", message=str(broken), is_unknown=is_write)
        finally:
            self._is_sending = False
        performer.crash_points.reached("call:after_answer")
        try:
            result = answer.model_dump_json()
            self._operation.output_model.model_validate_json(result)
        except ValueError as error:
            message = f"{self._operation.reference} did not answer as it declares: {error}"
            return Parked(error_code="operation_broken", message=message[:400], is_unknown=is_write)
        return Succeeded(result=result)

    def _after_error(self, error: OperationError) -> NextStep | JobOutcome:
        step = after_call_failed(error, self._situation, self._performer.dice)
        if step is NextStep.LOOK_UP:
            doubt, refusal = error.is_outcome_unknown, None if error.is_outcome_unknown else error
            self._situation = replace(
                self._situation, is_in_doubt=self._situation.is_in_doubt or doubt, refusal=refusal
            )
        return step

    # --- look up -------------------------------------------------------------------------------------------------

    def _look_up(self) -> NextStep | JobOutcome:
        dice = self._performer.dice
        try:
            found = self._found(self._operation, self._claimed.idempotency_key, self._claimed.arguments)
        except OperationError as error:
            return after_lookup_failed(error, self._situation, dice)
        except _Broken as broken:
            return Parked(error_code="operation_broken", message=str(broken), is_unknown=True)
        if found.document is not None:
            return Succeeded(result=found.document.model_dump_json(), was_found=True)
        situation = replace(self._situation, holds_lease=self._lease.is_held)
        return after_nothing_found(is_certain=found.is_certain, situation=situation, dice=dice)

    def _settle_earlier(self) -> JobOutcome | None:
        """Settle every earlier version of this intent before anything is sent; an outcome when one cannot be."""
        for earlier in self._claimed.unsettled:
            stopped = self._settle(earlier)
            if stopped is not None:
                return stopped
        return None

    def _settle(self, earlier: EarlierIntent) -> JobOutcome | None:
        performer = self._performer
        try:
            found = self._found(performer.registry.find(earlier.operation), earlier.idempotency_key, earlier.arguments)
        except OperationError as error:
            return after_lookup_failed(error, self._situation, performer.dice)
        except (UnknownOperation, _Broken) as error:
            return Parked(error_code="operation_broken", message=str(error), is_unknown=self._claimed.must_look_up)
        if found.document is None and not found.is_certain:
            message = f"Nobody can tell whether version {earlier.intent} of this request was carried out. Look there."
            return Parked(error_code="earlier_unknown", message=message, is_unknown=self._claimed.must_look_up)
        document = None if found.document is None else found.document.model_dump_json()
        is_kept = performer.journal.settle(performer.actor, self._claimed, earlier, document, is_void=found.is_void)
        if not is_kept:
            raise _LeaseLost
        if document is None or found.is_void:
            return None
        message = (
            f"Version {earlier.intent} of this request was carried out and stands. Cancel its document there, then"
            " retry this step; or cancel this instance."
        )
        return Parked(error_code="earlier_stands", message=message, is_unknown=self._claimed.must_look_up)

    def _found(self, written: Operation, key: IdempotencyKey, arguments: str) -> Found[Values]:
        """Ask the system by key for the document of a write."""
        performer = self._performer
        finder = performer.registry.find(written.reconcile or "")
        connection = performer.connection_of(finder)
        performer.spend(connection)
        performer.crash_points.reached("lookup:before_send")
        answer = self._made(finder, Lookup(sent_key=sent_key(key), arguments=arguments), key, connection)
        performer.crash_points.reached("lookup:after_answer")
        if not isinstance(answer, Found):
            raise _Broken(f"{finder.reference} answered with a {type(answer).__name__}, not as it declares.")
        return cast(Found[Values], answer)

    # --- call ----------------------------------------------------------------------------------------------------

    def _made(
        self, operation: Operation, arguments: BaseModel, key: IdempotencyKey, connection: Connection | None
    ) -> BaseModel:
        """Make one call.

        Raises
        ------
        OperationError
            As the operation raises it.
        _Broken
            When its code fails in any other way.
        """
        claimed = self._claimed
        began = self._performer.monotonic()
        now = claimed.claimed_at + timedelta(seconds=began - self._began)
        is_own = operation is self._operation
        timeout = claimed.timeout if is_own and claimed.timeout is not None else operation.timeout
        call = Call(
            correlation=claimed.correlation,
            idempotency_key=key,
            sent_key=sent_key(key),
            attempt=claimed.attempt,
            now=now,
            deadline=now + timeout,
            connection=connection,
            is_last_attempt=claimed.failure_count + 1 >= self._situation.retry.attempts,
            recorder=self,
        )
        logged = log.bind(**correlation_of(claimed), operation=operation.reference, sent_key=call.sent_key)
        try:
            answer = operation.function(call, arguments)
        except OperationError as error:
            logged.warning(
                "call.failed",
                error_code=error.code,
                error=error.message,
                detail=error.detail,
                seconds=round(self._performer.monotonic() - began, 4),
            )
            raise
        except Exception as error:
            logged.exception("call.broken")
            raise _Broken(
                f"The code of {operation.reference} failed ({type(error).__name__}). See the log of this trace."
            ) from error
        logged.info("call.answered", seconds=round(self._performer.monotonic() - began, 4))
        return answer

    def _lease_over(self) -> JobOutcome:
        return Retried(
            pause=timedelta(0),
            error_code="lease_over",
            message="The time of this attempt was over before the request could be sent.",
            is_unknown=self._situation.was_in_doubt or self._situation.is_in_doubt,
        )


def correlation_of(claimed: ClaimedJob) -> dict[str, str]:
    """Return the ids that every log line about a job carries (W22)."""
    ids = claimed.correlation
    named = {
        "tenant_id": ids.tenant_id,
        "workflow_id": ids.workflow_id,
        "workflow_type": claimed.workflow_type,
        "business_key": ids.business_key,
        "step_key": ids.step_key,
        "execution_id": ids.execution_id,
        "trace_id": ids.trace_id,
        "event_id": ids.event_id,
        "approval_id": ids.approval_id,
        "idempotency_key": claimed.idempotency_key,
        "job_id": claimed.job_id,
        "attempt": str(claimed.attempt),
    }
    return {name: value for name, value in named.items() if value is not None}


def _parked(code: str, message: str, claimed: ClaimedJob) -> Parked:
    return Parked(error_code=code, message=message, is_unknown=claimed.must_look_up)


def _refused_arguments(operation: Operation, error: ValidationError, claimed: ClaimedJob) -> JobOutcome:
    found = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5])
    message = f"{operation.reference} cannot be called with these inputs: {found}."
    if claimed.must_look_up:
        return Parked(error_code=BadParameters.code, message=message, is_unknown=True)
    return Failed(error_code=BadParameters.code, message=message)


def _record(model_call: ModelCall) -> ModelCallRecord:
    return ModelCallRecord(
        provider=model_call.provider,
        model=model_call.model,
        status=model_call.status,
        request=model_call.request,
        response=model_call.response,
        prompt_tokens=model_call.prompt_tokens,
        completion_tokens=model_call.completion_tokens,
        cost_micros=model_call.cost_micros,
    )
