"""The rules of checking: what a drawing that can be read must also keep to, to run exactly as drawn (P9, P10, W3)."""

from __future__ import annotations

from engine.model.rules import error, warning

# --- flow --------------------------------------------------------------------------------------------------------

UNREACHABLE = error(
    "unreachable",
    "No token can reach this element.",
    "Connect it to what comes before it, or remove it.",
)
START_WITH_INCOMING = error(
    "start-with-incoming", "A sequence flow leads to a start event (10.5.2).", "Lead it to what follows the start."
)
END_WITH_OUTGOING = error(
    "end-with-outgoing", "A sequence flow leaves an end event (10.5.3).", "Use an intermediate throw event."
)
BOUNDARY_WITH_INCOMING = error(
    "boundary-with-incoming",
    "A sequence flow leads to a boundary event (10.5.4).",
    "Lead it to what follows the boundary event.",
)
SEVERAL_STARTS = error(
    "several-starts",
    "The {scope} has {count} start events without definition, and nothing says which one starts it.",
    "Keep one.",
)
CONDITION_NOT_HERE = error(
    "condition-not-here",
    "The sequence flow has a condition, but leaves a {kind}, which does not evaluate it (8.4.13).",
    "Put an exclusive or inclusive gateway in between, or remove the condition.",
)
CONDITION_MISSING = error(
    "condition-missing",
    "The sequence flow leaves a {kind} without a condition, and is not its default.",
    "Write a condition, or make it the default flow.",
)
DEFAULT_NOT_HERE = error(
    "default-not-here",
    "A {kind} has no default flow.",
    "Remove the default.",
)
ONLY_FLOW_CONDITIONAL = warning(
    "only-flow-conditional",
    "The only sequence flow out of the activity has a condition; when it is false, the instance stops.",
    "Add a second flow, or remove the condition.",
)
EVENT_GATEWAY_FLOWS = error(
    "event-gateway-flows",
    "The event-based gateway has {count} outgoing sequence flows; it needs at least two (10.6.6).",
    "Add the events it waits for.",
)
EVENT_GATEWAY_TARGET = error(
    "event-gateway-target",
    "The event-based gateway leads to {target}, which is no message or timer catch event.",
    "Lead it to intermediate catch events only; use a message event instead of a receive task.",
)
EVENT_GATEWAY_SHARED = error(
    "event-gateway-shared",
    "{target} waits behind an event-based gateway, but can also be entered past it (10.6.6).",
    "Give it no other incoming sequence flow.",
)
SEVERAL_INCOMING = warning(
    "several-incoming",
    "The activity has {count} incoming sequence flows and runs once for each token.",
    "Join the flows in a gateway, if it should run once.",
)
JOIN_NEVER_FIRES = error(
    "join-never-fires",
    "The {kind} waits for ever: no path brings a token over each of its flows. One way there: {path}.",
    "Join exclusive branches with an exclusive gateway, parallel ones with a parallel gateway.",
)
JOIN_MAY_WAIT = warning(
    "join-may-wait",
    "The {kind} can wait for ever: {path}.",
    "See that each token that a branch may lose is not waited for.",
)
TOKENS_MULTIPLY = warning(
    "tokens-multiply",
    "Tokens can multiply here: {path}.",
    "Join parallel branches before the loop goes round.",
)
TOO_ENTANGLED = error(
    "too-entangled",
    "The drawing has more than {count} combinations of tokens and statuses, so that its statuses cannot be proved.",
    "Set statuses outside of parallel branches, or split the process.",
)

# --- expressions -------------------------------------------------------------------------------------------------

BAD_EXPRESSION = error(
    "bad-expression",
    "The {where} is no FEEL expression: {detail}",
    "Correct it: {text}",
)
BAD_SCRIPT = error("bad-script", "The script is no Python: {detail}.", "Correct line {script_line}.")

# --- what is bound -----------------------------------------------------------------------------------------------

UNKNOWN_OPERATION = error(
    "unknown-operation",
    "The catalogue has no operation {operation}.",
    "Choose one of the catalogue.",
)
MISSING_INPUT = error(
    "missing-input",
    "The operation {operation} needs the input {input}.",
    "Write an expression for it.",
)
UNKNOWN_INPUT = error(
    "unknown-input",
    "The operation {operation} has no input {input}.",
    "Remove it; the inputs are {inputs}.",
)
INPUT_TYPE = error(
    "input-type",
    "The input {input} of {operation} is {text}, which does not fit: {problem}.",
    "Write a value of the declared type.",
)
NOT_A_COMPENSATION = error(
    "not-a-compensation",
    "{operation} is named to undo a step, but is no write operation.",
    "Name a write operation of the catalogue.",
)
UNKNOWN_DECISION = error(
    "unknown-decision",
    "No DMN file of the process has the decision {decision}.",
    "Choose one of: {decisions}.",
)
UNKNOWN_FORM = error("unknown-form", "The process has no form {form}.", "Add forms/{form}.form.")
UNUSED_FORM = warning("unused-form", "No task and no start shows the form {form}.", "Remove it, or bind it.")
USER_TASK_WITHOUT_FORM = warning(
    "user-task-without-form",
    "The user task shows no form, so that a person can only say that it is done.",
    "Choose a form.",
)
ROLE_MISSING = error(
    "role-missing",
    "Nothing says whose task this is.",
    "Put it in a lane named after a role of process.yaml, or choose a role.",
)
UNKNOWN_ROLE = error(
    "unknown-role",
    "process.yaml declares no role {role}.",
    "Declare it, or choose one of: {roles}.",
)
UNKNOWN_MESSAGE = error(
    "unknown-message",
    "process.yaml declares no message {message}.",
    "Declare it under messages, with its types and its key.",
)
UNCAUGHT_CANCELLATION = error(
    "uncaught-cancellation",
    "A cancel command becomes the message {message}, but nothing in the drawing catches it.",
    "Draw an event that catches it.",
)
ESCALATION_WITHOUT_ROLE = warning(
    "escalation-without-role",
    "The escalation names no role, so that nobody else is told.",
    "Choose a role.",
)

# --- statuses ----------------------------------------------------------------------------------------------------

UNKNOWN_STATUS = error(
    "unknown-status", "process.yaml declares no status {status}.", "Declare it, or choose one of: {statuses}."
)
BAD_REENTRY = error(
    "bad-reentry",
    "An operator's move into {status} is to go on at {element}, where no token can be placed.",
    "Name an activity, a throwing event or an exclusive gateway of the process itself, not of a sub-process.",
)
ILLEGAL_TRANSITION = error(
    "illegal-transition",
    "Entering this element would lead from {before} to {after}, which is no legal transition. The way there: {path}.",
    "Change the drawing, or declare the transition in process.yaml.",
)
FORBIDDEN_WRITE = error(
    "forbidden-write",
    "This step {kind} while the status is {status}, which does not allow it. The way there: {path}.",
    "Enter a status that allows it first.",
)
STATUS_IN_MULTI_INSTANCE = error(
    "status-in-multi-instance",
    "{node} sets a status inside a parallel multi-instance activity, whose instances would overwrite each other.",
    "Set it before or after the activity.",
)
STATUS_NEVER_ENTERED = warning(
    "status-never-entered",
    "No path enters the status {status}.",
    "Remove it, or set it in the drawing.",
)
STATUS_NOT_FINAL = warning(
    "status-not-final",
    "An instance can end while its status is {status}, which is not final. The way there: {path}.",
    "Enter a final status before the end.",
)

# --- suggestions -------------------------------------------------------------------------------------------------

SUGGESTION_READ = error(
    "suggestion-read",
    "The {where} reads {variable}, which {source} only suggested. The way there: {path}.",
    "Let a rule that accepts suggestions, or a person, decide on it first.",
)
