"""A drawing is rewritten into an equivalent that runs, and every drawn id is kept."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Definition, read_process
from engine.model.graph import ErrorEvent, NodeKind, NoneEvent, TimerEvent
from tests.model.drawing import END, START, around, bpmn, flow, line


def test_a_flow_without_id_gets_one() -> None:
    process = read_process(bpmn(f'{START}{END}<sequenceFlow sourceRef="s" targetRef="e"/>')).process

    assert [(each.source, each.target) for each in process.flows.values()] == [("s", "e")]
    assert process.nodes["s"].outgoing == process.nodes["e"].incoming == tuple(process.flows)


def test_several_flows_out_of_an_activity_become_a_parallel_gateway_that_stands_for_it() -> None:
    body = f'{START}<task id="x"/><task id="a"/>{END}{line("x")}{flow("x", "a")}{flow("a", "e")}'
    definition = read_process(bpmn(body))

    (gateway,) = (node for node in definition.nodes.values() if node.kind is NodeKind.PARALLEL_GATEWAY)
    assert gateway.drawn_id == "x"
    assert set(gateway.outgoing) == {"x-e", "x-a"}
    assert len(definition.node("x").outgoing) == 1


def test_conditional_flows_out_of_an_activity_become_an_inclusive_gateway() -> None:
    body = f'{START}<task id="x"/><task id="a"/>{END}{line("x")}{flow("x", "a", "= q > 1")}{flow("a", "e")}'
    process = read_process(bpmn(body)).process

    (gateway,) = (node for node in process.nodes.values() if node.kind is NodeKind.INCLUSIVE_GATEWAY)
    conditions = {flow_id: process.flows[flow_id].condition for flow_id in gateway.outgoing}
    # A flow without condition is always taken (8.4.13).
    assert {key: each.text for key, each in conditions.items() if each} == {"x-e": "true", "x-a": "q > 1"}


def test_a_default_beside_plain_flows_depends_on_the_conditions_alone() -> None:
    body = (
        f'{START}<task id="x" default="x-d"/><task id="a"/><task id="d"/>{END}{line("x")}{flow("x", "a", "q > 1")}'
        f"{flow('x', 'd')}{flow('a', 'e')}{flow('d', 'e')}"
    )
    process = read_process(bpmn(body)).process

    split = next(node for node in process.nodes.values() if node.kind is NodeKind.PARALLEL_GATEWAY)
    choice = next(node for node in process.nodes.values() if node.kind is NodeKind.INCLUSIVE_GATEWAY)
    assert choice.default_flow == "x-d"
    assert set(choice.outgoing) == {"x-a", "x-d"}
    assert {process.flows[each].target for each in split.outgoing} == {"e", choice.element_id}


def test_the_condition_of_a_default_flow_is_dropped_because_it_is_never_evaluated() -> None:
    body = (
        f'{START}<exclusiveGateway id="g" default="g-b"/><task id="a"/><task id="b"/>{END}{flow("s", "g")}'
        f"{flow('g', 'a', 'q = 1')}{flow('g', 'b', 'q = 2')}{flow('a', 'e')}{flow('b', 'e')}"
    )
    assert read_process(bpmn(body)).process.flows["g-b"].condition is None


def test_links_become_flows_from_each_throw_to_the_catch_of_their_name() -> None:
    body = (
        f'{START}<parallelGateway id="g"/>'
        '<intermediateThrowEvent id="t1"><linkEventDefinition name="L"/></intermediateThrowEvent>'
        '<intermediateThrowEvent id="t2"><linkEventDefinition name="L"/></intermediateThrowEvent>'
        '<intermediateCatchEvent id="c"><linkEventDefinition name="L"/></intermediateCatchEvent>'
        f"{END}{flow('s', 'g')}{flow('g', 't1')}{flow('g', 't2')}{flow('c', 'e')}"
    )
    process = read_process(bpmn(body)).process

    assert {process.flows[each].source for each in process.nodes["c"].incoming} == {"t1", "t2"}
    assert {process.nodes[each].kind for each in ("t1", "t2", "c")} == {NodeKind.INTERMEDIATE_THROW_EVENT}


def test_a_sub_process_without_start_and_end_is_completed() -> None:
    body = around(f'<subProcess id="x"><task id="a"/><task id="b"/><task id="c"/>{flow("a", "c")}</subProcess>')
    inner = read_process(bpmn(body)).node("x").inner

    assert inner is not None
    (start,) = inner.starts()
    assert start.drawn_id == "x"
    reached = {inner.flows[each].target for each in inner.nodes[next(iter(inner.nodes))].outgoing}
    assert reached <= set(inner.nodes)
    ends = [node for node in inner.nodes.values() if node.kind is NodeKind.END_EVENT]
    # Tokens end after b and after c.
    assert {inner.flows[each].source for each in ends[0].incoming} == {"b", "c"}
    # Both a and b start by themselves, in parallel.
    (split,) = (node for node in inner.nodes.values() if node.kind is NodeKind.PARALLEL_GATEWAY)
    assert {inner.flows[each].target for each in split.outgoing} == {"a", "b"}


def test_reserved_ids_are_renamed_and_their_drawn_ids_kept() -> None:
    body = f'<startEvent id="Start"/><task id="Root"/><endEvent id="End"/>{flow("Start", "Root")}{flow("Root", "End")}'
    process = read_process(bpmn(body)).process

    assert not {"Start", "Root", "End"} & set(process.nodes)
    assert {node.drawn_id for node in process.nodes.values()} == {"Start", "Root", "End"}
    assert all(key == node.element_id for key, node in process.nodes.items())
    assert {flow.source for flow in process.flows.values()} <= set(process.nodes)


def test_a_label_is_found_by_the_drawn_id() -> None:
    definition = read_process(bpmn(f'<startEvent id="Start" name="Begin"/>{END}{flow("Start", "e")}'))

    (start,) = definition.process.starts()
    assert definition.label(start.element_id, "en") == "Begin"


def test_referenced_event_definitions_and_prefixed_names_are_resolved() -> None:
    root = (
        '<timerEventDefinition id="td"><timeDuration>PT1H</timeDuration></timerEventDefinition>'
        '<error id="err" errorCode="E1" name="Out of stock"/>'
    )
    body = (
        f'{START}<task id="x"/><boundaryEvent id="b" attachedToRef="t:x"><errorEventDefinition errorRef="t:err"/>'
        '</boundaryEvent><intermediateCatchEvent id="c"><eventDefinitionRef>t:td</eventDefinitionRef>'
        f"</intermediateCatchEvent>{END}{line('x', 'c')}{flow('b', 'e')}"
    )
    definition = read_process(bpmn(body, root, more='xmlns:t="urn:test"'))

    assert definition.node("b").event == ErrorEvent(code="E1", name="Out of stock")
    assert definition.node("b").attached_to == "x"
    assert isinstance(definition.node("c").event, TimerEvent)


def test_nested_lanes_give_the_innermost_name() -> None:
    lanes = (
        '<laneSet><lane id="l1" name="Plant"><flowNodeRef>s</flowNodeRef><childLaneSet><lane id="l2" name="Planner">'
        "<flowNodeRef>x</flowNodeRef></lane></childLaneSet></lane></laneSet>"
    )
    definition = read_process(bpmn(lanes + around('<userTask id="x"/>')))

    assert (definition.node("s").lane, definition.node("x").lane) == ("Plant", "Planner")


# --- properties --------------------------------------------------------------------------------------------------

NODES = st.lists(
    st.sampled_from(
        [
            "task",
            "userTask",
            "manualTask",
            "exclusiveGateway",
            "parallelGateway",
            "inclusiveGateway",
            "intermediateThrowEvent",
            "subProcess",
        ]
    ),
    min_size=1,
    max_size=8,
)


@st.composite
def drawings(draw: st.DrawFn) -> tuple[bytes, set[str]]:
    """Readable drawings with arbitrary flows between arbitrary nodes, and their node ids."""
    kinds = draw(NODES)
    ids = [f"n{index}" if index else "Start" for index, _ in enumerate(kinds)]
    count = draw(st.integers(min_value=0, max_value=12))
    pick = st.sampled_from(ids)
    flows = [(draw(pick), draw(pick), draw(st.sampled_from([None, "a > 1"]))) for _ in range(count)]
    entered = {target for _, target, _ in flows}
    nodes = "".join(
        f'<{"task" if kind == "intermediateThrowEvent" and key not in entered else kind} id="{key}"/>'
        if kind != "intermediateThrowEvent" or key not in entered
        else f'<intermediateThrowEvent id="{key}"/>'
        for key, kind in zip(ids, kinds, strict=True)
    )
    lines = "".join(flow(a, b, c, f"f{index}") for index, (a, b, c) in enumerate(flows))
    return bpmn(nodes + lines), set(ids)


def every_drawn_id(definition: Definition) -> set[str]:
    return {node.drawn_id for node in definition.nodes.values()}


@settings(max_examples=150, deadline=None)
@given(drawings())
def test_normalising_keeps_every_drawn_id_and_leaves_a_closed_graph(drawing: tuple[bytes, set[str]]) -> None:
    xml, ids = drawing
    definition = read_process(xml)

    assert ids <= every_drawn_id(definition)
    for scope in (definition.process, *(node.inner for node in definition.nodes.values() if node.inner)):
        for key, each in scope.flows.items():
            assert key in scope.nodes[each.source].outgoing
            assert key in scope.nodes[each.target].incoming
        for node in scope.nodes.values():
            assert node.kind is NodeKind.END_EVENT or node.outgoing
            if node.kind not in (NodeKind.PARALLEL_GATEWAY, NodeKind.INCLUSIVE_GATEWAY, NodeKind.EXCLUSIVE_GATEWAY):
                assert len(node.outgoing) <= 1
            if node.kind is NodeKind.START_EVENT:
                assert isinstance(node.event, NoneEvent)
