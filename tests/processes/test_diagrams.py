"""The shipped diagrams are examples that analysts copy: complete, on the grid, without overlaps or crossings."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.processes.diagram import Diagram, Point, read_diagram
from tests.processes.shipped import files_of

GRID = 10

#: The way of a purchase that nothing disturbs, as far as it stays in the lane of the systems.
STRAIGHT = (
    "open_purchase",
    "merge_facts",
    "read_facts",
    "compute_requirement",
    "is_short",
    "merge_supplier",
    "choose_policy",
    "choose_supplier",
    "is_chosen",
    "accept_risk",
    "merge_check",
    "check_order",
    "is_in_order",
    "draft_requisition",
    "decide_approval",
    "is_by_rule",
    "approve_by_rule",
    "merge_approved",
    "reread_facts",
    "what_checks_say",
    "is_there_already",
    "use_approval",
    "create_requisition",
    "merge_wait",
    "wait_for_erp",
    "erp_confirmed",
    "merge_answer",
    "read_back",
    "verify_document",
    "is_answered",
    "does_it_stand",
    "merge_success",
    "tell_planner",
    "tell_buyer",
    "close_shortage",
)


@pytest.fixture(scope="module")
def diagram() -> Diagram:
    return read_diagram(files_of("procurement")["process.bpmn"])


def test_every_node_every_lane_and_every_flow_is_drawn(diagram: Diagram) -> None:
    assert set(diagram.kinds) | set(diagram.lanes) <= set(diagram.boxes)
    assert set(diagram.flows) == set(diagram.lines)


def test_every_node_stands_within_its_lane(diagram: Diagram) -> None:
    lane_of = {node: lane for lane, nodes in diagram.lanes.items() for node in nodes}
    outside = [
        node
        for node in diagram.kinds
        if not diagram.boxes[lane_of[diagram.parents.get(node, node)]].holds(diagram.boxes[node])
    ]
    assert outside == []


def test_what_is_inside_a_sub_process_is_drawn_inside(diagram: Diagram) -> None:
    assert [node for node, parent in diagram.parents.items() if not _holds(diagram, parent, node)] == []


def _holds(diagram: Diagram, outer: str, inner: str) -> bool:
    return diagram.boxes[outer].holds(diagram.boxes[inner])


def test_no_two_nodes_overlap(diagram: Diagram) -> None:
    overlapping = [
        (one, other)
        for one, other in combinations(diagram.kinds, 2)
        if diagram.boxes[one].overlaps(diagram.boxes[other])
        and diagram.parents.get(one) != other
        and diagram.parents.get(other) != one
        and diagram.hosts.get(one) != other
        and diagram.hosts.get(other) != one
    ]
    assert overlapping == []


def test_no_label_lies_on_a_node_or_another_label(diagram: Diagram) -> None:
    shapes = {node: box for node, box in diagram.boxes.items() if diagram.kinds.get(node) not in (None, "subProcess")}
    on_nodes = [
        (label, node)
        for label, box in diagram.labels.items()
        for node, shape in shapes.items()
        if node != label and box.overlaps(shape)
    ]
    on_labels = [
        (one, other)
        for one, other in combinations(diagram.labels, 2)
        if diagram.labels[one].overlaps(diagram.labels[other])
    ]
    assert (on_nodes, on_labels) == ([], [])


def test_centres_stand_on_the_grid(diagram: Diagram) -> None:
    off = [node for node in diagram.kinds if any(value % GRID for value in diagram.boxes[node].center)]
    assert off == []


def test_the_undisturbed_way_is_straight(diagram: Diagram) -> None:
    assert len({diagram.boxes[node].center[1] for node in STRAIGHT}) == 1
    xs = [diagram.boxes[node].center[0] for node in STRAIGHT]
    assert xs == sorted(xs)


def test_flows_are_rectangular_and_begin_and_end_at_their_nodes(diagram: Diagram) -> None:
    for flow, (source, target) in diagram.flows.items():
        points = diagram.lines[flow]
        assert diagram.boxes[source].is_on_border(points[0]), flow
        assert diagram.boxes[target].is_on_border(points[-1]), flow
    slanted = [flow for flow, start, end in diagram.segments() if start[0] != end[0] and start[1] != end[1]]
    assert slanted == []


def test_no_flow_runs_through_a_node(diagram: Diagram) -> None:
    through = [
        (flow, node)
        for flow, start, end in diagram.segments()
        for node, kind in diagram.kinds.items()
        if node not in diagram.flows[flow]
        and not (kind == "subProcess" and node in {diagram.parents.get(each) for each in diagram.flows[flow]})
        and diagram.hosts.get(diagram.flows[flow][0]) != node
        and diagram.boxes[node].is_crossed_by(start, end)
    ]
    assert through == []


def test_no_two_flows_cross(diagram: Diagram) -> None:
    crossing = [
        (one, other)
        for (one, *first), (other, *second) in combinations(diagram.segments(), 2)
        if one != other and _cross(first[0], first[1], second[0], second[1])
    ]
    assert crossing == []


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether a horizontal and a vertical line have an inner point in common."""
    if (a[0] == b[0]) == (c[0] == d[0]):
        return False
    (upright, flat) = ((a, b), (c, d)) if a[0] == b[0] else ((c, d), (a, b))
    x, y = upright[0][0], flat[0][1]
    top, bottom = sorted((upright[0][1], upright[1][1]))
    left, right = sorted((flat[0][0], flat[1][0]))
    return left < x < right and top < y < bottom


def test_splitting_gateways_ask_and_their_flows_answer(diagram: Diagram) -> None:
    leaving: dict[str, list[str]] = {}
    for flow, (source, _) in diagram.flows.items():
        leaving.setdefault(source, []).append(flow)
    for node, kind in diagram.kinds.items():
        flows = leaving.get(node, [])
        if kind in ("exclusiveGateway", "eventBasedGateway") and len(flows) > 1:
            assert diagram.names.get(node, "").endswith("?"), node
            if kind == "exclusiveGateway":
                assert all(flow in diagram.names for flow in flows), node
