"""Small processes for the tests of the runtime, as their files."""

from __future__ import annotations

import json
from itertools import pairwise

_HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:vermilion="urn:vermilion:bpmn:1"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="definitions" targetNamespace="urn:test">'
)


def bpmn(process: str, body: str, root: str = "") -> bytes:
    """Return a file with one process."""
    return f'{_HEAD}{root}<process id="{process}" name="P" isExecutable="true">{body}</process></definitions>'.encode()


def flow(source: str, target: str, condition: str | None = None) -> str:
    """Return a sequence flow; its id is ``source-target``."""
    inside = f"<conditionExpression>{condition}</conditionExpression>" if condition is not None else ""
    return f'<sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}">{inside}</sequenceFlow>'


def line(*ids: str) -> str:
    """Return flows from each id to the next."""
    return "".join(flow(first, second) for first, second in pairwise(ids))


def extensions(*elements: str) -> str:
    """Return the extension elements of a node."""
    return f"<extensionElements>{''.join(elements)}</extensionElements>" if elements else ""


def status(name: str) -> str:
    """Return the extension that enters a business status."""
    return f'<vermilion:status name="{name}"/>'


def call(element_id: str, operation: str, inputs: dict[str, str], result: str, *more: str, intent: str = "") -> str:
    """Return a service task."""
    intended = f' intent="{intent}"' if intent else ""
    drawn = "".join(f'<vermilion:input name="{name}">{text}</vermilion:input>' for name, text in inputs.items())
    bound = f'<vermilion:operation name="{operation}" result="{result}"{intended}>{drawn}</vermilion:operation>'
    return f'<serviceTask id="{element_id}">{extensions(bound, *more)}</serviceTask>'


def catch(element_id: str, message: str, result: str, correlation: str = "", *more: str) -> str:
    """Return a message catch; the message is declared by ``declared_message``."""
    keyed = f"<vermilion:correlation>{correlation}</vermilion:correlation>" if correlation else ""
    return (
        f'<intermediateCatchEvent id="{element_id}">'
        f"{extensions(keyed, f'<vermilion:result name={chr(34)}{result}{chr(34)}/>', *more)}"
        f'<messageEventDefinition id="{element_id}_event" messageRef="{message}_ref"/></intermediateCatchEvent>'
    )


def declared_message(name: str) -> str:
    """Return the root element of a message."""
    return f'<message id="{name}_ref" name="{name}"/>'


def form(key: str, *components: dict[str, object]) -> bytes:
    """Return a form file."""
    return json.dumps({"type": "default", "id": key, "schemaVersion": 19, "components": list(components)}).encode()


# --- human: a script and a user task -----------------------------------------------------------------------------

HUMAN = {
    "process.bpmn": bpmn(
        "human",
        '<startEvent id="s"/>'
        '<scriptTask id="prepare" scriptFormat="feel"><script>{ref: amount * 2}</script></scriptTask>'
        '<userTask id="approve">'
        + extensions(
            '<vermilion:form key="decide" result="decision" binds="amount"/>',
            '<vermilion:assignment role="manager"/>',
        )
        + '</userTask><endEvent id="e"/>'
        + line("s", "prepare", "approve", "e"),
    ),
    "forms/decide.form": form(
        "decide",
        {"id": "c1", "type": "checkbox", "key": "approved", "label": "Approved"},
        {"id": "c2", "type": "textfield", "key": "note", "label": "Note"},
    ),
    "process.yaml": b"""
key: human
title: {en: Human, zh: Human}
owner: manager
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}

# --- jobs7: five calls, a message, two calls ---------------------------------------------------------------------


def _add(number: int) -> str:
    return call(f"t{number}", "test.add", {"value": "total.value"}, "total")


JOBS7 = {
    "process.bpmn": bpmn(
        "jobs7",
        '<startEvent id="s"/>'
        + "".join(_add(number) for number in range(1, 6))
        + catch("wait", "approve", "answer")
        + _add(6)
        + _add(7)
        + '<endEvent id="e"/>'
        + line("s", "t1", "t2", "t3", "t4", "t5", "wait", "t6", "t7", "e"),
        declared_message("approve"),
    ),
    "process.yaml": b"""
key: jobs7
title: {en: Jobs, zh: Jobs}
owner: manager
business_key: ref
messages:
  - {name: approve, types: [approve.given], key: ref, schema: {type: object, required: [ref, ok]}}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}

# --- purchase: event start, read, approval, write, confirmation --------------------------------------------------

_ORDER_STATUSES = """
key: purchase
title: {en: Purchase, zh: Purchase}
owner: manager
business_key: request.ref
initial_status: CREATED
failure_status: FAILED
statuses:
  - {name: CREATED, to: [ANALYZING, CANCELLED]}
  - {name: ANALYZING, to: [WAITING_APPROVAL, FAILED, CANCELLED]}
  - {name: WAITING_APPROVAL, to: [EXECUTING, REJECTED, CANCELLED]}
  - {name: EXECUTING, to: [SUCCEEDED, COMPENSATING, FAILED], allows_writes: true}
  - {name: COMPENSATING, to: [CANCELLED, FAILED], allows_compensation: true}
  - {name: SUCCEEDED, is_final: true}
  - {name: REJECTED, is_final: true}
  - {name: CANCELLED, is_final: true}
  - {name: FAILED, operator_only: [CANCELLED, ANALYZING], is_failure: true}
cancellation: {status: CANCELLED, directly_in: [CREATED, ANALYZING, WAITING_APPROVAL], message: purchase.cancel}
messages:
  - name: shortage
    types: [material.shortage]
    key: ref
    schema:
      type: object
      required: [ref, amount]
      properties:
        ref: {type: string, minLength: 1}
        amount: {type: number, exclusiveMinimum: 0}
  - {name: confirmed, types: [order.confirmed], key: number, schema: {type: object, required: [number]}}
  - {name: purchase.cancel, types: [], key: ref}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
  - {name: director, title: {en: Director, zh: Director}, groups: [directors]}
searchable: {ref: request.ref}
"""

_PURCHASE_BODY = (
    '<startEvent id="reported">'
    + extensions('<vermilion:result name="request"/>')
    + '<messageEventDefinition id="reported_event" messageRef="shortage_ref"/></startEvent>'
    + '<startEvent id="s">'
    + extensions('<vermilion:form key="report" result="request"/>')
    + "</startEvent>"
    + '<exclusiveGateway id="begin"/>'
    + call("read", "test.add", {"value": "request.amount"}, "stock", status("ANALYZING"))
    + '<userTask id="approve">'
    + extensions(
        '<vermilion:form key="decide" result="decision" binds="request.amount"/>',
        '<vermilion:assignment role="manager"><vermilion:excluded>request.by</vermilion:excluded>'
        "</vermilion:assignment>",
        '<vermilion:reminder duration="PT8H" working="false"/>',
        '<vermilion:escalation duration="PT16H" working="false" role="director"/>',
        status("WAITING_APPROVAL"),
    )
    + "</userTask>"
    + '<boundaryEvent id="overdue" attachedToRef="approve"><timerEventDefinition id="overdue_timer">'
    + '<timeDuration xsi:type="tFormalExpression">P5D</timeDuration></timerEventDefinition></boundaryEvent>'
    + f'<endEvent id="too_late">{extensions(status("CANCELLED"))}</endEvent>'
    + '<exclusiveGateway id="granted" default="granted-rejected"/>'
    + f'<endEvent id="rejected">{extensions(status("REJECTED"))}</endEvent>'
    + call("create", "test.create", {"amount": "request.amount"}, "order", status("EXECUTING"))
    + catch("confirm", "confirmed", "confirmation", "order.number")
    + '<eventBasedGateway id="choose"/>'
    + catch("cancel_wanted", "purchase.cancel", "cancellation")
    + call("undo", "test.undo", {"number": "order.number"}, "undone", status("COMPENSATING"))
    + f'<endEvent id="cancelled">{extensions(status("CANCELLED"))}</endEvent>'
    + f'<endEvent id="e">{extensions(status("SUCCEEDED"))}</endEvent>'
    + line("reported", "begin")
    + line("s", "begin", "read", "approve", "granted")
    + line("overdue", "too_late")
    + flow("granted", "create", "decision.approved")
    + flow("granted", "rejected")
    + line("create", "choose", "confirm", "e")
    + line("choose", "cancel_wanted", "undo", "cancelled")
)

PURCHASE = {
    "process.bpmn": bpmn(
        "purchase",
        _PURCHASE_BODY,
        "".join(declared_message(each) for each in ("shortage", "confirmed", "purchase.cancel")),
    ),
    "forms/decide.form": HUMAN["forms/decide.form"],
    "forms/report.form": form(
        "report",
        {"id": "c1", "type": "textfield", "key": "ref", "label": "Reference", "validate": {"required": True}},
        {"id": "c2", "type": "number", "key": "amount", "label": "Amount", "validate": {"required": True, "min": 1}},
        {"id": "c3", "type": "textfield", "key": "by", "label": "By"},
    ),
    "process.yaml": _ORDER_STATUSES.encode(),
}

# --- returning: fails without a token left, and goes on where an operator's return leads -------------------------

_BROKEN = '<errorEventDefinition id="{}_event" errorRef="broken_ref"/>'

RETURNING = {
    "process.bpmn": bpmn(
        "returning",
        '<startEvent id="s"/><exclusiveGateway id="again"/>'
        '<scriptTask id="version" scriptFormat="feel">'
        "<script>{version: if version = null then 1 else version + 1}</script></scriptTask>"
        + call("read", "test.add", {"value": "amount"}, "stock", status("ANALYZING"))
        + '<exclusiveGateway id="enough" default="enough-short"/>'
        + f'<endEvent id="short">{_BROKEN.format("short")}</endEvent>'
        + call("create", "test.create", {"amount": "amount"}, "order", status("EXECUTING"), intent="version")
        + f'<boundaryEvent id="refused" attachedToRef="create">{_BROKEN.format("refused")}</boundaryEvent>'
        + f'<endEvent id="given_up">{_BROKEN.format("given_up")}</endEvent>'
        + f'<endEvent id="e">{extensions(status("SUCCEEDED"))}</endEvent>'
        + line("s", "again", "version", "read", "enough", "short")
        + flow("enough", "create", "stock.value > 5")
        + line("create", "e")
        + line("refused", "given_up"),
        '<error id="broken_ref" name="Broken" errorCode="broken"/>',
    ),
    "process.yaml": b"""
key: returning
title: {en: Returning, zh: Returning}
owner: manager
business_key: ref
initial_status: CREATED
failure_status: FAILED
statuses:
  - {name: CREATED, to: [ANALYZING]}
  - {name: ANALYZING, to: [EXECUTING, FAILED], reentry: version}
  - {name: EXECUTING, to: [SUCCEEDED, FAILED], operator_only: [ANALYZING], allows_writes: true}
  - {name: SUCCEEDED, is_final: true}
  - {name: CANCELLED, is_final: true}
  - {name: FAILED, operator_only: [CANCELLED, ANALYZING], is_failure: true}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}

# --- ruled: statuses that rules bring about ----------------------------------------------------------------------

RULED = {
    "process.bpmn": bpmn(
        "ruled",
        '<startEvent id="s"/>'
        + call("read", "test.add", {"value": "amount"}, "stock", status("READING"))
        + call("judge", "test.judge", {"value": "stock.value"}, "judged", status("JUDGING"))
        + f'<task id="note">{extensions(status("JUDGED"))}</task>'
        + '<businessRuleTask id="decide">'
        + extensions('<vermilion:decision name="who" result="who"/>')
        + "</businessRuleTask>"
        + '<userTask id="approve">'
        + extensions(
            '<vermilion:form key="decide" result="decision"/>',
            '<vermilion:assignment role="manager"/>',
            status("WAITING"),
        )
        + "</userTask>"
        + '<businessRuleTask id="again">'
        + extensions('<vermilion:decision name="who" result="who"/>')
        + "</businessRuleTask>"
        + f'<endEvent id="e">{extensions(status("DONE"))}</endEvent>'
        + line("s", "read", "judge", "note", "decide", "approve", "again", "e"),
    ),
    "who.dmn": b"""<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d" namespace="urn:d">
  <decision id="who" name="who"><variable name="who"/>
    <informationRequirement><requiredInput href="#amount"/></informationRequirement>
    <literalExpression><text>if amount &gt; 5 then "two" else "one"</text></literalExpression></decision>
  <inputData id="amount" name="amount"><variable name="amount"/></inputData>
</definitions>""",
    "forms/decide.form": HUMAN["forms/decide.form"],
    "process.yaml": b"""
key: ruled
title: {en: Ruled, zh: Ruled}
owner: manager
initial_status: NEW
statuses:
  - {name: NEW, to: [READING]}
  - {name: READING, to: [JUDGING]}
  - {name: JUDGING, to: [JUDGED]}
  - {name: JUDGED, to: [WAITING]}
  - {name: WAITING, to: [DONE]}
  - {name: DONE, is_final: true}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}

# --- numbered: its business key and the key it waits with are numbers --------------------------------------------

NUMBERED = {
    "process.bpmn": bpmn(
        "numbered",
        '<startEvent id="s">'
        + extensions('<vermilion:result name="order"/>')
        + '<messageEventDefinition id="s_event" messageRef="ordered_ref"/></startEvent>'
        + catch("wait", "delivered", "answer", "order.lot")
        + '<endEvent id="e"/>'
        + line("s", "wait", "e"),
        declared_message("ordered") + declared_message("delivered"),
    ),
    "process.yaml": b"""
key: numbered
title: {en: Numbered, zh: Numbered}
owner: manager
business_key: order.number
messages:
  - {name: ordered, types: [ordered], key: number}
  - {name: delivered, types: [delivered], key: lot}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}

# --- beside: a message that comes often beside a task, work for each of several things, two times -----------------


def _timer(element_id: str, duration: str) -> str:
    return (
        f'<intermediateCatchEvent id="{element_id}"><timerEventDefinition id="{element_id}_timer">'
        f'<timeDuration xsi:type="tFormalExpression">{duration}</timeDuration></timerEventDefinition>'
        "</intermediateCatchEvent>"
    )


_EACH_BEGIN, _EACH_END = (
    call("check", "test.add", {"value": "each"}, "checked").split("</serviceTask>")[0],
    (
        '<multiInstanceLoopCharacteristics isSequential="{}"><loopDataInputRef>things</loopDataInputRef>'
        '<inputDataItem name="each"/></multiInstanceLoopCharacteristics></serviceTask>'
    ),
)


def beside(*, is_sequential: bool = False) -> dict[str, bytes]:
    """Return the process; its instances of the multi-instance activity give no output."""
    return {
        "process.bpmn": bpmn(
            "beside",
            '<startEvent id="s"/>'
            + _EACH_BEGIN
            + _EACH_END.format("true" if is_sequential else "false")
            + '<userTask id="approve">'
            + extensions('<vermilion:form key="decide" result="decision"/>', '<vermilion:assignment role="manager"/>')
            + '</userTask><boundaryEvent id="noted" attachedToRef="approve" cancelActivity="false">'
            + extensions('<vermilion:result name="news"/>')
            + '<messageEventDefinition id="noted_event" messageRef="note_ref"/></boundaryEvent>'
            + call("tell", "test.add", {"value": "news.number"}, "told")
            + '<endEvent id="told_end"/><eventBasedGateway id="wait"/>'
            + _timer("late", "PT2H")
            + _timer("early", "PT1H")
            + '<endEvent id="late_end"/><endEvent id="early_end"/>'
            + line("s", "check", "approve", "wait", "late", "late_end")
            + line("wait", "early", "early_end")
            + line("noted", "tell", "told_end"),
            declared_message("note"),
        ),
        "forms/decide.form": HUMAN["forms/decide.form"],
        "process.yaml": b"""
key: beside
title: {en: Beside, zh: Beside}
owner: manager
business_key: ref
messages:
  - {name: note, types: [note.taken], key: ref}
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
    }
