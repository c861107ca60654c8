"""The rules of reading: what a drawing may hold, and what to say where it holds something else.

A construct is on this list with its own sentence when analysts are likely to draw it; everything else that is not
known to run exactly falls under ``UNKNOWN_ELEMENT`` or ``UNKNOWN_ATTRIBUTE``. Clause numbers are those of BPMN 2.0.2.
"""

from __future__ import annotations

from engine.model.findings import Rule, Severity


def error(code: str, reason: str, remedy: str) -> Rule:
    """Return a rule whose breach keeps a process from being deployed."""
    return Rule(code=code, severity=Severity.ERROR, reason=reason, remedy=remedy)


def warning(code: str, reason: str, remedy: str) -> Rule:
    """Return a rule whose breach a person should look at."""
    return Rule(code=code, severity=Severity.WARNING, reason=reason, remedy=remedy)


# --- the file as a whole -----------------------------------------------------------------------------------------

FILE_TOO_LARGE = error(
    "file-too-large",
    "The file has {size} bytes; at most {limit} are read.",
    "Split the process into smaller ones that call each other.",
)
NOT_XML = error("not-xml", "The file is not well-formed XML: {detail}.", "Export it again from the editor.")
DOCTYPE = error(
    "doctype",
    "The file holds a document type declaration, which can name outside files or entities.",
    "Remove the <!DOCTYPE ...> part.",
)
NOT_BPMN = error(
    "not-bpmn",
    "The file's root is {root}, not the definitions element of BPMN 2.0.",
    "Save it as BPMN 2.0 XML.",
)
MISSING_FILE = error("missing-file", "The process has no {path}.", "Add the file to the process folder.")
UNEXPECTED_FILE = warning(
    "unexpected-file",
    "Nothing reads {path}.",
    "Keep process files to *.bpmn, *.dmn, forms/*.form, i18n/*.yaml and process.yaml.",
)
NO_PROCESS = error(
    "no-process",
    "The file holds no executable process.",
    'Draw one, and set isExecutable="true" on it.',
)
MAIN_PROCESS_UNCLEAR = error(
    "main-process-unclear",
    "Of the executable processes {processes} none has the key {key} as its id.",
    "Give the main process the id {key}.",
)
NEVER_CALLED = warning(
    "never-called",
    "No call activity calls this process, so it never runs.",
    "Remove it, or deploy it as a process of its own.",
)
NOT_EXECUTABLE = error(
    "not-executable",
    'The process is marked isExecutable="false".',
    'Set isExecutable="true" when it is meant to run.',
)
IDLE_PROCESS = warning(
    "idle-process",
    'The process is marked isExecutable="false", so it never runs.',
    "Remove it, or set isExecutable to true.",
)
DUPLICATE_ID = error("duplicate-id", "The id {id} is given more than once.", "Give each element an id of its own.")
NESTED_TOO_DEEP = error(
    "nested-too-deep",
    "More than {limit} sub-processes stand inside one another.",
    "Draw the inner ones as processes of their own, or beside each other.",
)
LONG_ID = error(
    "long-id",
    "The id {id}... has {length} characters; records of steps hold at most {limit}.",
    "Give it a shorter id.",
)
MISSING_ID = error(
    "missing-id",
    "A {kind} has no id, so that no sequence flow can name it.",
    "Give it an id.",
)
UNKNOWN_REFERENCE = error(
    "unknown-reference",
    "{attribute} names {target}, which is no {wanted} of this file set.",
    "Name one that exists.",
)
UNKNOWN_ELEMENT = error(
    "unknown-element",
    "The element {element} inside {parent} is not one that runs.",
    "Remove it, or express it with what the palette offers.",
)
UNKNOWN_ATTRIBUTE = error(
    "unknown-attribute",
    "The attribute {attribute} of {element} is not one that runs.",
    "Remove it.",
)
BAD_ATTRIBUTE = error(
    "bad-attribute",
    "The attribute {attribute} of {element} is {value!r}, which is not {wanted}.",
    "Write {wanted}.",
)
MUST_UNDERSTAND = error(
    "must-understand",
    "The file demands an extension that must be understood: {extension}.",
    "Remove it, or mark it as optional.",
)
FOREIGN_EXTENSION = warning(
    "foreign-extension",
    "{what} belongs to another tool and has no effect here.",
    "Remove it, or express it with the vermilion extensions.",
)
FOREIGN_LANGUAGE = error(
    "foreign-language",
    "The expression is written in {language}, which does not run here.",
    "Write it in FEEL and remove the language.",
)
FOREIGN_DEFAULT_LANGUAGE = warning(
    "foreign-default-language",
    "The file names {language} as its expression language; its expressions are read as FEEL.",
    "Set expressionLanguage to FEEL, or remove it.",
)
BAD_EXTENSION = error("bad-extension", "vermilion:{extension}: {problem}.", "{remedy}")

# --- constructs that do not run ----------------------------------------------------------------------------------

SIGNAL = error(
    "signal-event",
    "Signal events do not run: nothing carries a signal to its listeners.",
    "Use a message event, with one message per receiver.",
)
ESCALATION = error(
    "escalation-event",
    "Escalation events do not run.",
    "Use an error event, or a user task's reminder and escalation times.",
)
COMPENSATION = error(
    "compensation",
    "Compensation events and handlers do not run: no handler would be called.",
    "Draw the undoing steps as an ordinary path, or name `compensate` on the operation.",
)
CONDITIONAL = error(
    "conditional-event",
    "Conditional events do not run: data changes are not watched.",
    "Use a gateway with a condition, or a message event.",
)
CANCEL = error(
    "cancel-event",
    "Cancel events do not run: nothing would be compensated.",
    "Use an error event, and draw the undoing steps.",
)
MULTIPLE = error(
    "multiple-event",
    "An event with several definitions does not run.",
    "Draw one event per definition, behind an event-based gateway where the first decides.",
)
EVENT_SUB_PROCESS = error(
    "event-sub-process",
    "Event sub-processes do not run.",
    "Use a boundary event on a sub-process.",
)
TRANSACTION = error(
    "transaction",
    "Transactions do not run: cancelling one would compensate nothing.",
    "Use a plain sub-process with an error boundary event.",
)
AD_HOC = error(
    "ad-hoc-sub-process",
    "Ad-hoc sub-processes do not run.",
    "Draw the order of the steps, or a parallel gateway.",
)
COMPLEX_GATEWAY = error("complex-gateway", "Complex gateways do not run.", "Use inclusive or exclusive gateways.")
CHOREOGRAPHY = error(
    "choreography",
    "Choreographies and conversations are not executable.",
    "Draw the process of the one who runs it, with message events.",
)
GLOBAL_TASK = error(
    "global-task",
    "Global tasks do not run.",
    "Draw a process around the task, and call that.",
)
TIMER_CYCLE = error(
    "timer-cycle",
    "Repeating timers do not run: a late one would fire once per missed period.",
    "Draw a loop around a timer with a duration.",
)
TIMER_START = error(
    "timer-start",
    "A timer does not start an instance.",
    "Start with a message, and let a scheduler send it.",
)
CRON_SCHEDULE = error(
    "cron-schedule",
    "A schedule in cron form does not run.",
    "Use an ISO 8601 date or duration.",
)
ERROR_NEVER_CONTINUES = error(
    "error-must-interrupt",
    "An error boundary event always interrupts its activity (10.5.4), but cancelActivity is false.",
    "Set cancelActivity to true.",
)
EVENT_NOT_HERE = error(
    "event-not-here",
    "A {kind} cannot have a {event} definition (BPMN 2.0.2, 10.5.1).",
    "Use one of: {allowed}.",
)
BOUNDARY_ON_THIS = error(
    "boundary-not-here",
    "A boundary event is attached to {host}, which is no activity of the same level.",
    "Attach it to a task, a sub-process or a call activity beside it.",
)
SEQUENTIAL_START = error(
    "start-not-here",
    "The start event of a sub-process cannot wait for a {event}.",
    "Use a start event without definition (10.3.5).",
)
LINK_WITHOUT_PARTNER = error(
    "link-without-partner",
    "The link {link} has {throws} throwing and {catches} catching ends on this level.",
    "Give each link one catching end and at least one throwing end, in the same process or sub-process.",
)
LINK_FLOW = error(
    "link-flow",
    "A link's {end} end has {direction} sequence flows (10.5.1).",
    "Remove them.",
)
TOKEN_QUANTITY = error(
    "token-quantity",
    "{attribute} is {value}; only 1 runs.",
    "Remove it, and draw the repetition as a loop or a multi-instance activity.",
)
LOOP_MAXIMUM = error("loop-maximum", "loopMaximum is {value}.", "Write a whole number from 1, or remove it.")
LOOP_WITHOUT_CONDITION = error(
    "loop-without-condition",
    "The loop has neither a condition nor a maximum, so it never ends.",
    "Write the condition under which it goes on.",
)
TWO_LOOPS = error("two-loops", "The activity has more than one loop marker.", "Keep one.")
CARDINALITY = error(
    "multi-instance-cardinality",
    "The multi-instance activity runs {value} times.",
    "Write a whole number from 0, or name a collection.",
)
MULTI_INSTANCE_SOURCE = error(
    "multi-instance-source",
    "A multi-instance activity needs either a cardinality or a collection; this one has {given}.",
    "Give exactly one of loopCardinality and loopDataInputRef.",
)
MULTI_INSTANCE_OUTPUT = error(
    "multi-instance-output",
    "The multi-instance activity names its output's {given}, but not the {missing}.",
    "Name both the collection (loopDataOutputRef) and the item (outputDataItem), or neither.",
)
MULTI_INSTANCE_BEHAVIOR = error(
    "multi-instance-behavior",
    "Events per completed instance (behavior other than All) do not run.",
    "Remove the behavior, and put an event behind the activity.",
)
DATA_STORE = error(
    "data-store",
    "Data stores do not run.",
    "Read and write the system through an operation.",
)
DATA_ASSOCIATION = error(
    "data-association",
    "Data inputs, outputs and their associations do not run.",
    "Read variables and data objects by their names; an association would copy nothing.",
)
RESOURCE_ROLE = error(
    "resource-role",
    "Performers and potential owners do not run.",
    "Put the task in a lane of its role, or use vermilion:assignment.",
)
CORRELATION_ELEMENT = error(
    "correlation-element",
    "BPMN's correlation keys, properties and subscriptions do not run.",
    "Declare the message's key in process.yaml, and use vermilion:correlation at the event.",
)
INSTANTIATING_RECEIVE = error(
    "instantiating-receive",
    "A receive task does not start an instance.",
    "Draw a message start event.",
)
INSTANTIATING_GATEWAY = error(
    "instantiating-gateway",
    "An event-based gateway does not start an instance.",
    "Draw one start event per message.",
)

# --- flows -------------------------------------------------------------------------------------------------------

FLOW_END = error(
    "flow-end",
    "{attribute} of the sequence flow names {target}, which is no flow node of the same process or sub-process.",
    "Connect it to an event, activity or gateway on its own level.",
)
EMPTY_CONDITION = error("empty-condition", "The flow's condition is empty.", "Write it, or remove it.")
BAD_DEFAULT = error(
    "bad-default",
    "The default flow {flow} does not start from this element.",
    "Choose one of its outgoing flows.",
)
GATEWAY_DIRECTION = warning(
    "gateway-direction",
    "gatewayDirection is {direction}, which its sequence flows contradict (8.4.9).",
    "Remove the attribute; it has no effect on tokens.",
)
FLOW_LIST = warning(
    "flow-list",
    "The element lists {flows} as {list}, but those flows do not lead there; the flows' own ends count.",
    "Save the file in an editor, which puts the lists right.",
)

INTERMEDIATE_WITHOUT_INCOMING = error(
    "intermediate-without-incoming",
    "No sequence flow leads to the intermediate event, and events do not start by themselves (10.5.4).",
    "Connect it, or use a start event.",
)
INTERMEDIATE_WITHOUT_OUTGOING = warning(
    "intermediate-without-outgoing",
    "No sequence flow leaves the intermediate event (10.5.4); its token ends there.",
    "Use an end event.",
)
START_WITHOUT_END = warning(
    "start-without-end",
    "There is a start event, but no end event on the same level (10.5.3); tokens end where no flow goes on.",
    "Draw the end.",
)
END_WITHOUT_START = warning(
    "end-without-start",
    "There is an end event, but no start event on the same level (10.5.2); what has no incoming flow starts by itself.",
    "Draw the start.",
)
IDLE_GATEWAY = warning(
    "idle-gateway",
    "The gateway neither splits nor joins (10.6.1).",
    "Remove it.",
)

# --- what an element must say ------------------------------------------------------------------------------------

MESSAGE_WITHOUT_NAME = error(
    "message-without-name",
    "The {kind} does not say which message.",
    "Choose a message that has a name.",
)
ERROR_WITHOUT_CODE = error(
    "error-without-code",
    "The error end event throws no code, so no boundary event could tell what happened.",
    "Choose an error with a code.",
)
EMPTY_TIMER = error("empty-timer", "The timer has no date or duration.", "Write an ISO 8601 value.")
SEVERAL_TIMERS = error(
    "several-timers",
    "The timer has more than one of date, duration and cycle.",
    "Keep one (10.5.5).",
)
BAD_TIMER = error("bad-timer", "The timer's value cannot be used: {detail}", "Correct it, or write FEEL after '='.")
WORKING_TIME_DATE = error(
    "working-time-date",
    "Working time counts a duration, but this timer is a date.",
    "Remove the schedule, or use a duration.",
)
SCRIPT_MISSING = error("script-missing", "The script task has no script.", "Write one, or use a plain task.")
SCRIPT_LANGUAGE = error(
    "script-language",
    "The script is written in {language}, which does not run here.",
    "Write Python (scriptFormat text/x-python) or FEEL (scriptFormat feel).",
)
OPERATION_MISSING = error(
    "operation-missing",
    "The {kind} does not say what it does.",
    "Choose {choice}.",
)
TWO_BINDINGS = error(
    "two-bindings",
    "The {kind} names both {first} and {second}.",
    "Keep one.",
)
CALLED_ELEMENT_MISSING = error(
    "called-element-missing",
    "The call activity does not say which process it calls.",
    "Choose a process of this folder.",
)
CALLED_PROCESS_UNKNOWN = error(
    "called-process-unknown",
    "The call activity calls {called}, which is no executable process of this folder.",
    "Add its BPMN file to the folder, or call one that is there.",
)
CALL_RECURSION = error(
    "call-recursion",
    "The process calls itself: {path}.",
    "Draw the repetition as a loop.",
)
CALL_NEEDS_NONE_START = error(
    "call-needs-none-start",
    "The called process {called} has no start event without definition (10.3.6).",
    "Give it one.",
)

# --- files beside the drawing ------------------------------------------------------------------------------------

NOT_YAML = error("not-yaml", "The file cannot be read as YAML: {detail}", "Correct it.")
BAD_SETTING = error("bad-setting", "{setting}: {problem}.", "Correct it as docs/schemas/process.schema.json says.")
NOT_JSON = error("not-json", "The file cannot be read as JSON: {detail}.", "Save it again from the form editor.")
BAD_FORM = error("bad-form", "The form cannot be read: {problem}.", "Save it again from the form editor.")
FORM_COMPONENT = error(
    "form-component",
    "The component {component} is of type {type}, which is not shown.",
    "Use one of {allowed}.",
)
FORM_PROPERTY = error(
    "form-property",
    "The component {component} uses {property}, which does not run.",
    "{remedy}",
)
FORM_DUPLICATE_KEY = error(
    "form-duplicate-key", "Two components of the form submit the key {key}.", "Give each a key of its own."
)
FORM_KEY = error(
    "form-key",
    "The component {component} has the key {key!r}, which is no variable name.",
    "Use letters, digits and underscores, not starting with a digit.",
)
FORM_PATTERN = error(
    "form-pattern",
    "The pattern {pattern!r} of component {component} cannot be used: {problem}.",
    "Write it without look-around and back references.",
)
DUPLICATE_DECISION = error(
    "duplicate-decision", "The decision {decision} is also in {other}.", "Give each decision a name of its own."
)
UNKNOWN_TEXT = warning("unknown-text", "The texts name the element {id}, which does not exist.", "Remove the line.")
UNKNOWN_FORM_TEXT = warning(
    "unknown-form-text",
    "The texts name {key}, and no form has a component or a text of that name.",
    "Remove the line, or correct the key.",
)
MISSING_FORM_TEXT = warning(
    "missing-form-text",
    "The form {form} lacks texts in the language {language}: {keys}.",
    "Add them, so that nobody reads a page in two languages.",
)
BAD_FORM_TEXT = error("bad-form-text", "The text {key} cannot be filled in: {problem}.", "Correct the text.")
BAD_TEXT = error("bad-text", "The texts are no mapping of element id to text.", "Write one line per element: id: text.")
BAD_DECISION = error("bad-decision", "The decision cannot be used: {detail}.", "{remedy}")
