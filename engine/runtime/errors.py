"""Why a command was refused: one class per reason, whose docstring is the sentence shown to the person.

The sentence is a template over ``fields``; a page translates by ``code`` and fills in the same fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import ClassVar

from engine.model.findings import Finding
from engine.model.forms import Problem


class Refused(Exception):
    """The command was refused. Nothing was changed."""

    #: Stable name of the reason, for problem details, translations and metrics.
    code: ClassVar[str] = "refused"

    def __init__(self, **fields: str) -> None:
        sentence = " ".join((inspect.getdoc(type(self)) or "").split())
        self.fields = fields
        self.message = sentence.format_map(fields)
        super().__init__(self.message)


class UnknownPerson(Refused):
    """There is nobody with the login "{login}" who may sign in. `vermilion people` lists who there is."""

    code = "unknown_person"


class UnknownToken(Refused):
    """There is no token {token_id} that still signs in. `vermilion tokens LOGIN` lists somebody's tokens."""

    code = "unknown_token"


class ServiceIdentity(Refused):
    """ "{login}" is a service identity, which the installation itself works as. Its roles come from the settings."""

    code = "service_identity"


class OwnAccess(Refused):
    """Nobody bars themselves or gives up managing people: nobody might be left who can. Ask a second administrator."""

    code = "own_access"


# --- definitions -------------------------------------------------------------------------------------------------


class DefinitionRefused(Refused):
    """The process cannot run as drawn: {problems}"""

    code = "definition_refused"

    def __init__(self, findings: Sequence[Finding], *, problems: str) -> None:
        super().__init__(problems=problems)
        self.findings = tuple(findings)


class UnknownProcess(Refused):
    """There is no deployed process "{workflow_type}". Deploy it, or correct the name."""

    code = "unknown_process"


# --- start and events --------------------------------------------------------------------------------------------


class StartRefused(Refused):
    """The process "{workflow_type}" cannot be started like this: {reason}"""

    code = "start_refused"


class InvalidValues(Refused):
    """The values do not fit the form: {reason}"""

    code = "invalid_values"

    def __init__(self, problems: Sequence[Problem], *, reason: str) -> None:
        super().__init__(reason=reason)
        self.problems = tuple(problems)


class InvalidEvent(Refused):
    """The event "{event_type}" does not fit its declaration at "{field}": {reason}"""

    code = "invalid_event"


class EventConflict(Refused):
    """The event {event_id} of {source} was received before with other content. Send a changed event under a new id."""

    code = "event_conflict"


# --- decisions (W16) ---------------------------------------------------------------------------------------------


class UnknownTask(Refused):
    """There is no open task {task_id}. It was withdrawn, or never existed."""

    code = "unknown_task"


class NotThisInstance(Refused):
    """This task does not belong to the case you named. Open the task from its own case."""

    code = "not_this_instance"


class NotYourTask(Refused):
    """You may not decide this task: {reason}"""

    code = "not_your_task"


class AlreadyDecided(Refused):
    """This task was already decided by {decided_by} on {decided_at}. That decision stands."""

    code = "already_decided"


class InstanceNotWaiting(Refused):
    """The case no longer waits for this decision: {reason}"""

    code = "instance_not_waiting"


class DecisionConflict(Refused):
    """The decision {event_id} was received before with other values. Send a changed decision under a new id."""

    code = "decision_conflict"


class FactsChanged(Refused):
    """The facts changed since the page was shown. Look at the task again, then decide."""

    code = "facts_changed"


# --- instances ---------------------------------------------------------------------------------------------------


class UnknownInstance(Refused):
    """There is no case {workflow_id}."""

    code = "unknown_instance"


class CannotCancel(Refused):
    """The case cannot be cancelled: {reason}"""

    code = "cannot_cancel"


class CannotRepair(Refused):
    """This repair is not possible: {reason}"""

    code = "cannot_repair"


class TooManyWriters(Refused):
    """Others kept changing the same case. Nothing was lost; please try again."""

    code = "too_many_writers"


class KeyReused(Refused):
    """The Idempotency-Key {key} was used before with another request. Use a new key for a new request."""

    code = "key_reused"


class InvalidFilter(Refused):
    """This list cannot be asked for: {reason}"""

    code = "invalid_filter"


class InvalidCursor(Refused):
    """This is no place in a list. Use the cursor of the page before, or none for the first page."""

    code = "invalid_cursor"
