"""The diagram interchange of a BPMN file as boxes and lines, for tests of layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
DI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
DC = "{http://www.omg.org/spec/DD/20100524/DC}"
DD = "{http://www.omg.org/spec/DD/20100524/DI}"

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Box:
    """Where a shape stands."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, other: Box) -> bool:
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.x + other.width <= self.x + self.width
            and other.y + other.height <= self.y + self.height
        )

    def overlaps(self, other: Box) -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def is_on_border(self, point: Point) -> bool:
        x, y = point
        is_on_side = x in (self.x, self.x + self.width) and self.y <= y <= self.y + self.height
        is_on_end = y in (self.y, self.y + self.height) and self.x <= x <= self.x + self.width
        return is_on_side or is_on_end

    def is_crossed_by(self, start: Point, end: Point) -> bool:
        """Whether an axis-parallel line has a part inside."""
        left, right = sorted((start[0], end[0]))
        top, bottom = sorted((start[1], end[1]))
        is_across = (left < self.x + self.width and self.x < right) or self.x < left == right < self.x + self.width
        is_along = (top < self.y + self.height and self.y < bottom) or self.y < top == bottom < self.y + self.height
        return is_across and is_along


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Boxes and labels by element, lines by sequence flow, and what the drawing says about both."""

    boxes: Mapping[str, Box]
    labels: Mapping[str, Box]
    lines: Mapping[str, tuple[Point, ...]]
    kinds: Mapping[str, str]
    names: Mapping[str, str]
    lanes: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, str]
    hosts: Mapping[str, str]
    flows: Mapping[str, tuple[str, str]]

    def segments(self) -> Iterator[tuple[str, Point, Point]]:
        for flow, points in self.lines.items():
            for start, end in pairwise(points):
                yield flow, start, end


def read_diagram(xml: bytes) -> Diagram:
    """Read a BPMN file with one process."""
    root = ElementTree.fromstring(xml)  # noqa: S314 - our own file
    process = root.find(f"{BPMN}process")
    assert process is not None
    nodes = {
        element.get("id", ""): element
        for element in process.iter()
        if element.tag.startswith(BPMN) and (element.find(f"{BPMN}incoming") is not None or _is_node(element))
    }
    boxes: dict[str, Box] = {}
    labels: dict[str, Box] = {}
    for shape in root.iter(f"{DI}BPMNShape"):
        key = shape.get("bpmnElement", "")
        boxes[key] = _box(shape.find(f"{DC}Bounds"))
        label = shape.find(f"{DI}BPMNLabel/{DC}Bounds")
        if label is not None:
            labels[key] = _box(label)
    lines: dict[str, tuple[Point, ...]] = {}
    for edge in root.iter(f"{DI}BPMNEdge"):
        key = edge.get("bpmnElement", "")
        lines[key] = tuple((float(p.get("x", "")), float(p.get("y", ""))) for p in edge.iter(f"{DD}waypoint"))
        label = edge.find(f"{DI}BPMNLabel/{DC}Bounds")
        if label is not None:
            labels[key] = _box(label)
    return Diagram(
        boxes=boxes,
        labels=labels,
        lines=lines,
        kinds={key: element.tag.removeprefix(BPMN) for key, element in nodes.items()},
        names={
            element.get("id", ""): element.get("name", "")
            for element in process.iter()
            if element.get("name") and element.tag.startswith(BPMN) and not element.tag.endswith("EventDefinition")
        },
        lanes={
            lane.get("id", ""): tuple(reference.text or "" for reference in lane.iter(f"{BPMN}flowNodeRef"))
            for lane in process.iter(f"{BPMN}lane")
        },
        parents={
            child.get("id", ""): scope.get("id", "")
            for scope in process.iter(f"{BPMN}subProcess")
            for child in scope
            if child.get("id", "") in nodes
        },
        hosts={key: element.get("attachedToRef", "") for key, element in nodes.items() if element.get("attachedToRef")},
        flows={
            flow.get("id", ""): (flow.get("sourceRef", ""), flow.get("targetRef", ""))
            for flow in process.iter(f"{BPMN}sequenceFlow")
        },
    )


def _is_node(element: ElementTree.Element) -> bool:
    kind = element.tag.removeprefix(BPMN)
    return kind.endswith(("Event", "Gateway", "Task", "task", "subProcess", "callActivity"))


def _box(bounds: ElementTree.Element | None) -> Box:
    assert bounds is not None
    x, y, width, height = (float(bounds.get(name, "")) for name in ("x", "y", "width", "height"))
    return Box(x=x, y=y, width=width, height=height)
