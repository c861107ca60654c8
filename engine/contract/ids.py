"""The typed identifiers that travel with every step, call, log line and document (W22)."""

from __future__ import annotations

from typing import NewType

#: A tenant's short name, for example ``main``. Comes from the identity alone, never from a request.
TenantId = NewType("TenantId", str)
#: One instance of a process: a UUIDv7 as 32 lowercase hex digits.
WorkflowId = NewType("WorkflowId", str)
#: The key of a process, for example ``procurement``.
WorkflowType = NewType("WorkflowType", str)
#: What the business calls this instance, for example a material risk number.
BusinessKey = NewType("BusinessKey", str)
#: One deployed version of a process.
DefinitionId = NewType("DefinitionId", str)
#: The id of the drawn BPMN element that a step executes.
StepKey = NewType("StepKey", str)
#: One execution of one step; also the id of the wait that the step opens.
ExecutionId = NewType("ExecutionId", str)
#: A job: a service task's work.
JobId = NewType("JobId", str)
#: A task: work for a person, and nothing else.
TaskId = NewType("TaskId", str)
#: A person's recorded decision on a task.
ApprovalId = NewType("ApprovalId", str)
#: The sender's id of an event; unique together with its source.
EventId = NewType("EventId", str)
#: The canonical string ``tenant:workflow_id:step_key:iteration:vN``.
IdempotencyKey = NewType("IdempotencyKey", str)
#: A W3C trace id, 32 lowercase hex digits.
TraceId = NewType("TraceId", str)
#: A person or a service identity.
PersonId = NewType("PersonId", str)
