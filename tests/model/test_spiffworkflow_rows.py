"""Every construct that SpiffWorkflow 3.2.0 runs wrongly or not at all is refused by name, or rewritten.

The rows quote the two tables "Silent: no error, wrong result" (S) and "Refused or crashing" (R) of the measured facts
about the library.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.model import check_drawing
from tests.model.drawing import END, START, around, bpmn, errors, findings, flow, line

SIGNAL = '<signal id="sig" name="Sig"/>'
MESSAGE = '<message id="m" name="M"/>'
ERROR = '<error id="err" errorCode="E1"/>'
ESCALATION = '<escalation id="esc" escalationCode="X"/>'
TASK = '<task id="x"/>'
INNER = f'<startEvent id="s2"/><endEvent id="e2"/>{flow("s2", "e2")}'
FORM = '<multiInstanceLoopCharacteristics isSequential="{sequential}">{inside}</multiInstanceLoopCharacteristics>'


def boundary(definition: str, *, cancels: str = "true", host: str = '<task id="x"/>') -> str:
    return (
        f'{START}{host}<boundaryEvent id="b" attachedToRef="x" cancelActivity="{cancels}">{definition}</boundaryEvent>'
        f"{END}{line('x')}{flow('b', 'e')}"
    )


def event_sub_process(definition: str, interrupting: str = "true") -> str:
    return (
        f'{around(TASK)}<subProcess id="sub" triggeredByEvent="true">'
        f'<startEvent id="s2" isInterrupting="{interrupting}">{definition}</startEvent>'
        f'<endEvent id="e2"/>{flow("s2", "e2")}</subProcess>'
    )


def inside(body: str) -> str:
    return around(f'<subProcess id="x">{body}</subProcess>')


def timer(value: str, kind: str = "timeDuration") -> str:
    return around(
        f'<intermediateCatchEvent id="x"><timerEventDefinition><{kind}>{value}</{kind}></timerEventDefinition>'
        "</intermediateCatchEvent>"
    )


def many(inside_loop: str, sequential: str = "false") -> str:
    return around(f'<userTask id="x">{FORM.format(sequential=sequential, inside=inside_loop)}</userTask>')


@dataclass(frozen=True)
class Refused:
    row: str
    rule: str
    element: str
    body: str
    root: str = ""
    process: str = 'isExecutable="true"'


REFUSED = [
    Refused("S: signal end event", "signal-event", "e2",
            f'{START}<endEvent id="e2"><signalEventDefinition signalRef="sig"/></endEvent>{flow("s", "e2")}', SIGNAL),
    Refused("S: compensation throw / end", "compensation", "x",
            around('<intermediateThrowEvent id="x"><compensateEventDefinition/></intermediateThrowEvent>')),
    Refused("S: compensation throw / end (end)", "compensation", "e2",
            f'{START}<endEvent id="e2"><compensateEventDefinition/></endEvent>{flow("s", "e2")}'),
    Refused("S: transaction cancel", "transaction", "x", around(f'<transaction id="x">{INNER}</transaction>')),
    Refused("S: transaction cancel (event)", "cancel-event", "e2",
            f'{START}<endEvent id="e2"><cancelEventDefinition/></endEvent>{flow("s", "e2")}'),
    Refused("S: event sub-process, error start", "event-sub-process", "sub",
            event_sub_process('<errorEventDefinition errorRef="err"/>'), ERROR),
    Refused("S: event sub-process, escalation start", "event-sub-process", "sub",
            event_sub_process('<escalationEventDefinition escalationRef="esc"/>'), ESCALATION),
    Refused("S: event sub-process, interrupting", "event-sub-process", "sub",
            event_sub_process('<messageEventDefinition messageRef="m"/>'), MESSAGE),
    Refused("S: event sub-process, conditional start", "conditional-event", "s2",
            event_sub_process("<conditionalEventDefinition><condition>a</condition></conditionalEventDefinition>")),
    Refused("S: event sub-process nested in an embedded sub-process", "event-sub-process", "sub",
            inside(f'{INNER}<subProcess id="sub" triggeredByEvent="true"><startEvent id="s3"/></subProcess>')),
    Refused("S: event sub-process and a shared spec", "event-sub-process", "sub",
            event_sub_process('<messageEventDefinition messageRef="m"/>', "false"), MESSAGE),
    Refused("S: non-interrupting signal boundary", "signal-event", "b",
            boundary('<signalEventDefinition signalRef="sig"/>', cancels="false"), SIGNAL),
    Refused("S: non-interrupting escalation boundary", "escalation-event", "b",
            boundary('<escalationEventDefinition escalationRef="esc"/>', cancels="false"), ESCALATION),
    Refused("S: flow condition leaving a start event", "condition-not-here", "s-e",
            f"{START}{END}{flow('s', 'e', 'a = 1')}"),
    Refused("S: startQuantity", "token-quantity", "x", around('<task id="x" startQuantity="2"/>')),
    Refused("S: completionQuantity", "token-quantity", "x", around('<task id="x" completionQuantity="0"/>')),
    Refused("S: loop maximum < 0", "loop-maximum", "x",
            around('<task id="x"><standardLoopCharacteristics loopMaximum="-1"/></task>')),
    Refused("S: cardinality < 0", "multi-instance-cardinality", "x",
            many("<loopCardinality>-1</loopCardinality><loopDataOutputRef>r</loopDataOutputRef>"
                 '<outputDataItem name="i"/>')),
    Refused("S: send task without message", "message-without-name", "x", around('<sendTask id="x"/>')),
    Refused("S: receive task without message", "message-without-name", "x", around('<receiveTask id="x"/>')),
    Refused("S: conditional catch", "conditional-event", "x",
            around('<intermediateCatchEvent id="x"><conditionalEventDefinition><condition>a</condition>'
                   "</conditionalEventDefinition></intermediateCatchEvent>")),
    Refused("S: several start events (the same trigger)", "several-starts", "s2",
            f'{START}<startEvent id="s2"/>{END}{line()}{flow("s2", "e")}'),
    Refused("S: join whose branch ended elsewhere; a join fed by an XOR split", "join-never-fires", "j",
            f'{START}<exclusiveGateway id="g" default="g-b"/><task id="a"/><task id="b"/><parallelGateway id="j"/>{END}'
            f"{flow('s', 'g')}{flow('g', 'a', 'x = 1')}{flow('g', 'b')}{flow('a', 'j')}{flow('b', 'j')}"
            f"{flow('j', 'e')}"),
    Refused('S: cancelRemainingInstances="false"', "ad-hoc-sub-process", "x",
            around('<adHocSubProcess id="x" cancelRemainingInstances="false"/>')),
    Refused("R: complex gateway", "complex-gateway", "x", around('<complexGateway id="x"/>')),
    Refused("R: choreography", "choreography", "c", around(TASK),
            '<choreography id="c"><choreographyTask id="ct"/></choreography>'),
    Refused("R: conversation", "choreography", "c", around(TASK),
            '<collaboration id="k"><conversation id="c"/></collaboration>'),
    Refused("R: boundary compensation", "compensation", "b", boundary("<compensateEventDefinition/>")),
    Refused("R: isForCompensation", "compensation", "x", around('<task id="x" isForCompensation="true"/>')),
    Refused('R: instantiate="true" receive', "instantiating-receive", "x",
            around('<receiveTask id="x" messageRef="m" instantiate="true"/>'), MESSAGE),
    Refused("R: call to a global task", "global-task", "gt", around('<callActivity id="x" calledElement="gt"/>'),
            '<globalUserTask id="gt"/>'),
    Refused("R: ad-hoc sub-process", "ad-hoc-sub-process", "x",
            around('<adHocSubProcess id="x" ordering="Sequential"><task id="t"/></adHocSubProcess>')),
    Refused('R: isExecutable="false"', "not-executable", "p", around(TASK),
            process='isExecutable="false"'),
    Refused('R: isExecutable="false" on a called process', "called-process-unknown", "x",
            around('<callActivity id="x" calledElement="q"/>'),
            f'<process id="q" isExecutable="false">{INNER}</process>'),
    Refused("R: missing callee", "called-process-unknown", "x", around('<callActivity id="x" calledElement="gone"/>')),
    Refused("R: data store", "data-store", "d", around(TASK) + '<dataStoreReference id="d"/>'),
    Refused("R: association to data store", "data-association", "x",
            around('<task id="x"><dataOutputAssociation><targetRef>d</targetRef></dataOutputAssociation></task>')),
    Refused("R: association to data input", "data-association", "x",
            around('<task id="x"><ioSpecification><dataInput id="di"/></ioSpecification></task>')),
    Refused("R: association to property", "data-association", "x",
            around('<task id="x"><property id="pr" name="pr"/></task>')),
    Refused("R: service task without operator", "operation-missing", "x", around('<serviceTask id="x"/>')),
    Refused("R: exclusive flow without condition", "condition-missing", "g-e",
            f'{START}<exclusiveGateway id="g"/><task id="a"/>{END}{flow("s", "g")}{flow("g", "a", "x = 1")}'
            f"{flow('a', 'e')}{flow('g', 'e')}"),
    Refused("R: script task without script", "script-missing", "x", around('<scriptTask id="x"/>')),
    Refused("R: timer body is a quoted script expression", "bad-timer", "x", timer('"PT1H"')),
    Refused("R: timer without zone", "bad-timer", "x", timer("2026-03-01T08:00:00", "timeDate")),
    Refused("R: negative timer", "bad-timer", "x", timer("-PT1H")),
    Refused("R: cycle", "timer-cycle", "x", timer("R3/PT1H", "timeCycle")),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.row)
def test_what_is_run_wrongly_is_refused_with_element_reason_and_remedy(case: Refused) -> None:
    found = findings(case.body, case.root, process=case.process)

    named = [each for each in found if each.is_error and each.rule == case.rule and each.element_id == case.element]
    assert named, [str(each) for each in found]
    assert named[0].reason.endswith((".", ":")) or len(named[0].reason) > 20
    assert named[0].remedy
    assert named[0].line is not None


@dataclass(frozen=True)
class Runs:
    row: str
    body: str
    root: str = ""
    more: str = ""


RUNS = [
    Runs("S: link throw / catch",
         f'{START}<intermediateThrowEvent id="t"><linkEventDefinition name="L"/></intermediateThrowEvent>'
         f'<intermediateCatchEvent id="c"><linkEventDefinition name="L"/></intermediateCatchEvent>{END}'
         f"{flow('s', 't')}{flow('c', 'e')}"),
    Runs("S: uncaught error end in a sub-process",
         inside(f'<startEvent id="s2"/><endEvent id="e2"><errorEventDefinition errorRef="err"/></endEvent>'
                f"{flow('s2', 'e2')}"), ERROR),
    Runs("S: error catch; interrupting boundary on a sub-process",
         boundary('<errorEventDefinition errorRef="err"/>', host=f'<subProcess id="x">{INNER}</subProcess>'), ERROR),
    Runs("S: eventDefinitionRef",
         around('<intermediateCatchEvent id="x"><eventDefinitionRef>td</eventDefinitionRef></intermediateCatchEvent>'),
         '<timerEventDefinition id="td"><timeDuration>PT1H</timeDuration></timerEventDefinition>'),
    Runs("S: sequence flow without id", f'{START}{END}<sequenceFlow sourceRef="s" targetRef="e"/>'),
    Runs("S: non-interrupting message boundary",
         boundary('<messageEventDefinition messageRef="m"/>', cancels="false"), MESSAGE),
    Runs("S: two timers behind one event gateway",
         f'{START}<eventBasedGateway id="g"/>'
         + "".join(
             f'<intermediateCatchEvent id="t{n}"><timerEventDefinition><timeDuration>PT{n}H</timeDuration>'
             f'</timerEventDefinition></intermediateCatchEvent>{flow("g", f"t{n}")}{flow(f"t{n}", "e")}'
             for n in (1, 2))
         + f"{END}{flow('s', 'g')}"),
    Runs("S: MI without output", many("<loopCardinality>2</loopCardinality>")),
    Runs("R: MI sequential with input item, no output",
         many('<loopDataInputRef>rows</loopDataInputRef><inputDataItem name="row"/>', "true")),
    Runs("S: several start events (each trigger is one instance)",
         f'{START}<startEvent id="s2"><messageEventDefinition messageRef="m"/></startEvent>{END}{line()}'
         f"{flow('s2', 'e')}", MESSAGE),
    Runs("S: no end event", f'{START}<task id="x"/>{flow("s", "x")}'),
    Runs("R: several outgoing flows on an activity",
         f'{START}<task id="x"/><task id="a"/>{END}{line("x")}{flow("x", "a")}{flow("a", "e")}'),
    Runs("R: conditional and default flows on an activity",
         f'{START}<task id="x" default="x-e"/><task id="a"/>{END}{line("x")}{flow("x", "a", "q > 1")}{flow("a", "e")}'),
    Runs("R: element ids Start, End",
         f'<startEvent id="Start"/><endEvent id="End"/>{flow("Start", "End")}'),
    Runs("R: sub-process without start or end", inside('<task id="t"/>')),
    Runs("R: prefixed refs such as tns:msg",
         around('<receiveTask id="x" messageRef="tns:m"/>'), MESSAGE, 'xmlns:tns="urn:test"'),
    Runs("R: MI numberOfCompletedInstances in completionCondition",
         many("<loopCardinality>3</loopCardinality><loopDataOutputRef>r</loopDataOutputRef>"
              '<outputDataItem name="i"/><completionCondition>numberOfCompletedInstances >= 2</completionCondition>')),
]  # fmt: skip


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.row)
def test_what_is_rewritten_or_corrected_is_accepted(case: Runs) -> None:
    assert errors(case.body, case.root, more=case.more) == set()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("<loopDataOutputRef>r</loopDataOutputRef>", "output's collection, but not the item"),
        ('<outputDataItem name="i"/>', "output's item, but not the collection"),
    ],
)
def test_half_an_output_of_a_multi_instance_activity_is_refused(output: str, said: str) -> None:
    found = [each for each in findings(many(f"<loopCardinality>2</loopCardinality>{output}")) if each.is_error]

    assert [(each.rule, each.element_id) for each in found] == [("multi-instance-output", "x")]
    assert said in found[0].reason


def test_all_problems_of_a_file_are_found_at_once() -> None:
    body = f'{START}<complexGateway id="c"/><serviceTask id="x"/><task id="y" startQuantity="0"/>{END}{line("x", "y")}'

    assert {("complex-gateway", "c"), ("operation-missing", "x"), ("token-quantity", "y")} <= errors(body)


def test_a_finding_names_file_line_element_and_name() -> None:
    xml = bpmn(f'{START}\n<serviceTask id="x" name="Read stock"/>\n{END}{line("x")}')
    found = next(each for each in check_drawing({"process.bpmn": xml}) if each.rule == "operation-missing")

    assert (found.file, found.line, found.element_id, found.element_name) == ("process.bpmn", 2, "x", "Read stock")
    assert str(found).startswith('process.bpmn:2: error x "Read stock": The serviceTask does not say what it does.')
