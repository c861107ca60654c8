"""Every table of Vermilion. Each carries its tenant; each list has the index it is read by (P12, P14).

Open work (``job``, ``task``, ``timer``, ``subscription``) holds open rows only, so that scans stay small however much
history there is; ``step``, ``attempt``, ``approval`` and ``audit`` are the history.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.schema import SchemaItem

from engine.store.columns import Bytes, Digest, Id, Instant, Json, Text

metadata = MetaData()

TENANT = 32
NAME = 120
KEY = 190


def _table(name: str, *items: SchemaItem, clustered: bool = True) -> Table:
    """Declare a table; ``clustered`` keeps SQLite rows in their primary key's order, without a second index."""
    return Table(name, metadata, *items, sqlite_with_rowid=not clustered)


def _sparse_index(name: str, *columns: str) -> Index:
    """Declare an index over the rows whose last named column is not NULL (MySQL and MariaDB index all rows)."""
    given = text(f"{columns[-1]} IS NOT NULL")
    return Index(name, *columns, sqlite_where=given, postgresql_where=given)


def _unfinished_index(name: str, *columns: str) -> Index:
    """Declare an index over unfinished instances (MySQL and MariaDB index all rows, the unfinished ones together)."""
    unfinished = text("finished_at IS NULL")
    return Index(name, *columns, "finished_at", sqlite_where=unfinished, postgresql_where=unfinished)


def _tenant() -> Column[str]:
    return Column("tenant_id", Text(TENANT), nullable=False)


# --- clock and identity ------------------------------------------------------------------------------------------

#: At most one row (``clock_id`` 1), in tests and sandboxes only: what is added to the database's clock.
clock_offset = _table(
    "clock_offset",
    Column("clock_id", Integer, primary_key=True, autoincrement=False),
    Column("microseconds", Instant.impl, nullable=False),
)

person = _table(
    "person",
    _tenant(),
    Column("person_id", Id, nullable=False),
    Column("login", Text(NAME), nullable=False),
    Column("name", Text(NAME), nullable=False),
    Column("language", Text(8), nullable=False),
    Column("roles", Json, nullable=False),
    Column("groups", Json, nullable=False),
    Column("password_hash", Text(200)),
    Column("is_active", Boolean, nullable=False),
    Column("is_service", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("tenant_id", "person_id"),
    UniqueConstraint("tenant_id", "login", name="uq_person_login"),
)

#: Bearer tokens; ``token_hash`` is the SHA-256 of the secret, so that a copy of the table signs nobody in.
token = _table(
    "token",
    Column("token_hash", Digest, nullable=False),
    Column("token_id", Id, nullable=False),
    _tenant(),
    Column("person_id", Id, nullable=False),
    Column("name", Text(NAME), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    PrimaryKeyConstraint("token_id"),
    UniqueConstraint("token_hash", name="uq_token_hash"),
    clustered=False,
)

#: A person's open session in a browser; only the SHA-256 of its secret is kept.
web_session = _table(
    "web_session",
    Column("session_hash", Digest, nullable=False),
    Column("session_id", Id, nullable=False),
    _tenant(),
    Column("person_id", Id, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    PrimaryKeyConstraint("session_id"),
    UniqueConstraint("session_hash", name="uq_web_session_hash"),
    Index("ix_web_session_person", "tenant_id", "person_id"),
    Index("ix_web_session_expires", "expires_at"),
    clustered=False,
)

#: Failed sign-ins in a row, by login; also of logins that nobody has, so that a delay tells nothing.
failed_sign_in = _table(
    "failed_sign_in",
    _tenant(),
    Column("login", Text(NAME), nullable=False),
    Column("failure_count", Integer, nullable=False),
    Column("failed_at", Instant, nullable=False),
    Column("blocked_until", Instant),
    PrimaryKeyConstraint("tenant_id", "login"),
    Index("ix_failed_sign_in_failed", "failed_at"),
)

# --- definitions -------------------------------------------------------------------------------------------------

definition = _table(
    "definition",
    _tenant(),
    Column("definition_id", Id, nullable=False),
    Column("workflow_type", Text(64), nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", Text(64), nullable=False),
    Column("title", Json, nullable=False),
    Column("is_current", Boolean, nullable=False),
    Column("pinned", Json, nullable=False),
    Column("deployed_at", Instant, nullable=False),
    Column("deployed_by", Id, nullable=False),
    PrimaryKeyConstraint("tenant_id", "definition_id"),
    UniqueConstraint("tenant_id", "workflow_type", "digest", name="uq_definition_digest"),
    UniqueConstraint("tenant_id", "workflow_type", "number", name="uq_definition_number"),
)

definition_file = _table(
    "definition_file",
    _tenant(),
    Column("definition_id", Id, nullable=False),
    Column("path", Text(KEY), nullable=False),
    Column("content", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant_id", "definition_id", "path"),
)

#: Which event types start or continue which process; rows of the current version of each process.
message_type = _table(
    "message_type",
    _tenant(),
    Column("event_type", Text(NAME), nullable=False),
    Column("workflow_type", Text(64), nullable=False),
    Column("message_name", Text(NAME), nullable=False),
    Column("definition_id", Id, nullable=False),
    Column("start_element", Text(NAME)),
    PrimaryKeyConstraint("tenant_id", "event_type", "workflow_type", "message_name"),
)

# --- instances and what they wait for ----------------------------------------------------------------------------

instance = _table(
    "instance",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("workflow_type", Text(64), nullable=False),
    Column("definition_id", Id, nullable=False),
    Column("business_key", Text(KEY)),
    #: Equal to business_key while the key is held; NULL after an operator released it.
    Column("held_key", Text(KEY)),
    Column("business_status", Text(40)),
    Column("execution_state", Text(12), nullable=False),
    Column("version", Integer, nullable=False),
    Column("current_step", Text(NAME)),
    Column("retry_count", Integer, nullable=False),
    Column("parent_workflow_id", Id),
    Column("parent_wait_id", Id),
    Column("started_by", Id, nullable=False),
    Column("trace_id", Id, nullable=False),
    Column("deadline_at", Instant),
    Column("cancel_reason", Text(500)),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("finished_at", Instant),
    Column("expires_at", Instant),
    Column("state_format", SmallInteger, nullable=False),
    Column("state", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant_id", "workflow_id"),
    UniqueConstraint("tenant_id", "workflow_type", "held_key", name="uq_instance_held_key"),
    Index("ix_instance_list", "tenant_id", "workflow_type", "business_status", "workflow_id"),
    Index("ix_instance_type", "tenant_id", "workflow_type", "workflow_id"),
    Index("ix_instance_state", "tenant_id", "execution_state", "workflow_id"),
    _unfinished_index("ix_instance_unfinished", "tenant_id", "definition_id"),
    _sparse_index("ix_instance_parent", "tenant_id", "parent_workflow_id"),
    _sparse_index("ix_instance_expires", "expires_at"),
    clustered=False,
)

#: Declared searchable business fields of an instance (``process.yaml``: searchable).
business_field = _table(
    "business_field",
    _tenant(),
    Column("workflow_type", Text(64), nullable=False),
    Column("name", Text(64), nullable=False),
    Column("value", Text(KEY), nullable=False),
    Column("workflow_id", Id, nullable=False),
    PrimaryKeyConstraint("tenant_id", "workflow_type", "name", "value", "workflow_id"),
    Index("ix_business_field_instance", "tenant_id", "workflow_id"),
)

#: One open piece of work for a machine (facts/durable.md 8.1). Finished jobs leave the table.
job = _table(
    "job",
    Column("job_id", Id, nullable=False),
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("iteration", Text(40), nullable=False),
    Column("kind", Text(12), nullable=False),
    Column("operation", Text(NAME)),
    Column("system", Text(40)),
    Column("idempotency_key", Text(KEY), nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("not_before", Instant, nullable=False),
    Column("status", Text(8), nullable=False),
    Column("owner", Text(80)),
    Column("attempt", Integer, nullable=False),
    Column("lease_until", Instant),
    Column("failure_count", SmallInteger, nullable=False),
    Column("lost_count", SmallInteger, nullable=False),
    Column("is_unknown", Boolean, nullable=False),
    Column("arguments", Bytes),
    Column("context", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("job_id"),
    UniqueConstraint("tenant_id", "idempotency_key", name="uq_job_key"),
    #: Ready jobs by when they are due: neither future retries nor running jobs cost a scan anything.
    Index("ix_job_due", "status", "not_before"),
    Index("ix_job_instance", "tenant_id", "workflow_id"),
    clustered=False,
)

#: One open piece of work for a person. Decided and withdrawn tasks leave the table; ``approval`` keeps the decision.
task = _table(
    "task",
    _tenant(),
    Column("task_id", Id, nullable=False),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("iteration", Text(40), nullable=False),
    Column("role", Text(64), nullable=False),
    Column("assignee", Id),
    Column("excluded", Json),
    Column("priority", SmallInteger, nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("remind_at", Instant),
    Column("escalate_at", Instant),
    Column("escalated_to", Text(64)),
    Column("bound_digest", Digest, nullable=False),
    Column("shown", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant_id", "task_id"),
    Index("ix_task_role", "tenant_id", "role", "priority", "task_id"),
    Index("ix_task_instance", "tenant_id", "workflow_id"),
    clustered=False,
)

timer = _table(
    "timer",
    _tenant(),
    Column("timer_id", Id, nullable=False),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    #: ``event`` fires the interpreter's wait; ``reminder`` and ``escalation`` concern the task of the same id.
    Column("kind", Text(12), nullable=False),
    Column("wait_id", Id, nullable=False),
    Column("due_at", Instant, nullable=False),
    PrimaryKeyConstraint("timer_id"),
    Index("ix_timer_due", "due_at"),
    Index("ix_timer_instance", "tenant_id", "workflow_id"),
    clustered=False,
)

subscription = _table(
    "subscription",
    _tenant(),
    Column("subscription_id", Id, nullable=False),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("message_name", Text(NAME), nullable=False),
    Column("correlation_key", Text(KEY), nullable=False),
    PrimaryKeyConstraint("tenant_id", "subscription_id"),
    Index("ix_subscription_match", "tenant_id", "message_name", "correlation_key"),
    Index("ix_subscription_instance", "tenant_id", "workflow_id"),
    clustered=False,
)

# --- what came in and what goes out ------------------------------------------------------------------------------

#: Every event that was received, once per source and event id; ``answer`` is given again to a repeat.
inbox = _table(
    "inbox",
    _tenant(),
    Column("source", Text(KEY), nullable=False),
    Column("event_id", Text(NAME), nullable=False),
    Column("event_type", Text(NAME), nullable=False),
    Column("body_digest", Digest, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("answer", Json, nullable=False),
    PrimaryKeyConstraint("tenant_id", "source", "event_id"),
    Index("ix_inbox_received", "received_at"),
)

#: Messages that arrived before anybody waited for them; taken when a matching subscription opens.
early_message = _table(
    "early_message",
    _tenant(),
    Column("message_id", Id, nullable=False),
    Column("message_name", Text(NAME), nullable=False),
    Column("correlation_key", Text(KEY), nullable=False),
    Column("source", Text(KEY), nullable=False),
    Column("payload", Bytes, nullable=False),
    Column("received_at", Instant, nullable=False),
    PrimaryKeyConstraint("message_id"),
    Index("ix_early_message_match", "tenant_id", "message_name", "correlation_key"),
    Index("ix_early_message_received", "received_at"),
    clustered=False,
)

outbox = _table(
    "outbox",
    _tenant(),
    Column("message_id", Id, nullable=False),
    Column("workflow_id", Id),
    Column("topic", Text(NAME), nullable=False),
    Column("payload", Bytes, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("next_at", Instant),
    Column("sent_at", Instant),
    Column("failure_count", SmallInteger, nullable=False),
    PrimaryKeyConstraint("message_id"),
    Index("ix_outbox_next", "next_at"),
    _sparse_index("ix_outbox_sent", "sent_at"),
    clustered=False,
)

#: A POST with an Idempotency-Key: bound to the caller and to a fingerprint of the body.
api_request = _table(
    "api_request",
    _tenant(),
    Column("person_id", Id, nullable=False),
    Column("request_key", Text(NAME), nullable=False),
    Column("fingerprint", Digest, nullable=False),
    Column("status_code", SmallInteger, nullable=False),
    Column("answer", Bytes, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("tenant_id", "person_id", "request_key"),
    Index("ix_api_request_created", "created_at"),
)

# --- history -----------------------------------------------------------------------------------------------------

#: One execution of one step (W8). ``number`` counts the executions of the element in this instance.
step = _table(
    "step",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("execution_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("iteration", Text(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("status", Text(10), nullable=False),
    Column("idempotency_key", Text(KEY)),
    Column("input_summary", Json),
    Column("output_summary", Json),
    Column("error_code", Text(64)),
    Column("error_message", Text(500)),
    Column("failure_count", SmallInteger, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "execution_id"),
)

#: Every call to another system that was intended (P6). ``outcome`` NULL: intended, and we do not know.
attempt = _table(
    "attempt",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("job_id", Id, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("owner", Text(80), nullable=False),
    Column("operation", Text(NAME), nullable=False),
    Column("purpose", Text(10), nullable=False),
    Column("sent_key", Id, nullable=False),
    Column("sent_digest", Digest),
    Column("intent_at", Instant, nullable=False),
    Column("outcome", Text(16)),
    Column("answered_at", Instant),
    Column("error_message", Text(500)),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "job_id", "attempt", "purpose"),
)

#: One document per intent: outlives the job. ``state`` is sent, unknown, done, absent or compensated.
effect = _table(
    "effect",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("iteration", Text(40), nullable=False),
    Column("intent", Integer, nullable=False),
    Column("system", Text(40), nullable=False),
    Column("operation", Text(NAME), nullable=False),
    Column("idempotency_key", Text(KEY), nullable=False),
    Column("state", Text(12), nullable=False),
    Column("arguments", Bytes),
    Column("result", Bytes),
    Column("updated_at", Instant, nullable=False),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "step_key", "iteration", "intent"),
    UniqueConstraint("tenant_id", "system", "idempotency_key", name="uq_effect_key"),
)

#: A person's, or a rule's, decision on a task (W16), with what was shown and which of it was only suggested.
approval = _table(
    "approval",
    _tenant(),
    Column("approval_id", Id, nullable=False),
    Column("workflow_id", Id, nullable=False),
    Column("task_id", Id, nullable=False),
    Column("step_key", Text(NAME), nullable=False),
    Column("person_id", Id, nullable=False),
    Column("bound_digest", Digest, nullable=False),
    Column("values_digest", Digest, nullable=False),
    Column("event_id", Text(NAME)),
    Column("decided_at", Instant, nullable=False),
    Column("values", Bytes, nullable=False),
    Column("shown", Bytes),
    Column("suggested", Json),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "approval_id"),
    UniqueConstraint("tenant_id", "task_id", name="uq_approval_task"),
    clustered=False,
)

#: What an operator must look at. Open while ``closed_at`` is NULL.
incident = _table(
    "incident",
    _tenant(),
    Column("incident_id", Id, nullable=False),
    Column("workflow_id", Id, nullable=False),
    Column("step_key", Text(NAME)),
    Column("wait_id", Id),
    Column("code", Text(64), nullable=False),
    Column("message", Text(1000), nullable=False),
    Column("role", Text(64), nullable=False),
    #: The happening that could not be applied (a blob's digest); repair applies it again (P15).
    Column("happening_digest", Digest),
    Column("opened_at", Instant, nullable=False),
    Column("closed_at", Instant),
    Column("closed_by", Id),
    PrimaryKeyConstraint("tenant_id", "incident_id"),
    Index("ix_incident_open", "tenant_id", "closed_at", "incident_id"),
    Index("ix_incident_instance", "tenant_id", "workflow_id"),
    clustered=False,
)

#: Append-only. ``seal`` is written by a background step over committed rows, never by a business commit.
audit = _table(
    "audit",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("audit_id", Id, nullable=False),
    Column("event", Text(40), nullable=False),
    Column("actor", Text(80), nullable=False),
    Column("at", Instant, nullable=False),
    Column("detail", Json),
    Column("seal", Digest),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "audit_id"),
)

#: Content-addressed large values: full results, decisions, model requests, documents. Compressed.
blob = _table(
    "blob",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("digest", Digest, nullable=False),
    Column("purpose", Text(40), nullable=False),
    Column("content", Bytes, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "digest"),
    clustered=False,
)

model_call = _table(
    "model_call",
    _tenant(),
    Column("workflow_id", Id, nullable=False),
    Column("job_id", Id, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("provider", Text(64), nullable=False),
    Column("model", Text(NAME), nullable=False),
    Column("status", Text(16), nullable=False),
    Column("request_digest", Digest, nullable=False),
    Column("response_digest", Digest),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("cost_micros", Instant.impl),
    Column("called_at", Instant, nullable=False),
    PrimaryKeyConstraint("tenant_id", "workflow_id", "job_id", "attempt"),
)
