"""Why an advance could not be made. The caller keeps what was received and opens an incident (P15)."""

from __future__ import annotations


class InterpretationFailed(Exception):
    """The process cannot go on at this element. The message says what to correct; then repair the instance."""

    code = "interpretation_failed"

    def __init__(self, message: str, *, element_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.element_id = element_id


class ConditionUndecided(InterpretationFailed):
    """A condition gave neither true nor false. Correct the data it reads, or the condition in a new version."""

    code = "condition_undecided"


class NoFlowTaken(InterpretationFailed):
    """No outgoing flow of the gateway applies and it has no default. Draw a default flow in a new version."""

    code = "no_flow_taken"


class Deadlock(InterpretationFailed):
    """Tokens are left but nothing can move them. The drawing has a join that can never fire."""

    code = "deadlock"


class ConflictingValues(InterpretationFailed):
    """Two branches gave one variable different values. Let them write different names, or declare a merge."""

    code = "conflicting_values"


class SuggestionNotAccepted(InterpretationFailed):
    """A gateway, decision or write would read a suggestion that no rule and no person has accepted."""

    code = "suggestion_not_accepted"


class StepLimitReached(InterpretationFailed):
    """The instance has run more steps than its limit allows: probably a loop without end."""

    code = "step_limit"


class WaitGone(InterpretationFailed):
    """This wait is no longer open: somebody or something was faster. Nothing was changed."""

    code = "wait_gone"


class UnstorableValue(InterpretationFailed):
    """Process variables cannot hold this kind of value. Let the step give texts, numbers, dates, lists or contexts."""

    code = "unstorable_value"


class ExpressionFailed(InterpretationFailed):
    """An expression did not give what is needed here. Correct the data it reads, or the expression in a new version."""

    code = "expression_failed"


class ScriptStopped(InterpretationFailed):
    """The script of this task stopped with an error. Correct the data it reads, or the script in a new version."""

    code = "script_stopped"


class DecisionFailed(InterpretationFailed):
    """The decision could not be made. Correct the data it reads, or the decision table in a new version."""

    code = "decision_failed"


class UncaughtError(InterpretationFailed):
    """This step failed for good and the drawing does not catch the error. Repair the step, or end the instance."""

    code = "uncaught_error"

    def __init__(self, message: str, *, element_id: str | None = None, error_code: str) -> None:
        super().__init__(message, element_id=element_id)
        self.error_code = error_code


class NotRunnable(InterpretationFailed):
    """The interpreter does not run this element as drawn. Draw it differently in a new version."""

    code = "not_runnable"


class StateUnreadable(InterpretationFailed):
    """The state has a format that this program does not know. Run the version that wrote it, or a later one."""

    code = "state_unreadable"
