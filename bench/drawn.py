"""Processes that are drawn by a function, because their size is what is measured."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:vermilion="urn:vermilion:bpmn:1" '
    'id="definitions" targetNamespace="urn:vermilion:bench">\n'
)


@dataclass
class Drawing:
    """A process under construction: nodes in the order they are added, and the flows between them."""

    key: str
    _nodes: list[str] = field(default_factory=list[str])
    _flows: list[str] = field(default_factory=list[str])

    def node(self, kind: str, element_id: str, inside: str = "", **attributes: str) -> str:
        """Add a node and return its id; ``inside`` is the XML that it contains."""
        given = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
        self._nodes.append(f"    <bpmn:{kind} id={quoteattr(element_id)}{given}>{inside}</bpmn:{kind}>\n")
        return element_id

    def script(self, element_id: str, text: str) -> str:
        """Add a Python script task and return its id."""
        return self.node("scriptTask", element_id, f"<bpmn:script>{escape(text)}</bpmn:script>", scriptFormat="python")

    def flow(self, source: str, target: str, condition: str | None = None) -> str:
        """Add a sequence flow, on a FEEL condition if one is given, and return its id."""
        flow_id = f"flow_{source}_{target}"
        inside = ""
        if condition is not None:
            inside = (
                '<bpmn:conditionExpression xsi:type="bpmn:tFormalExpression">'
                f"{escape(condition)}</bpmn:conditionExpression>"
            )
        self._flows.append(
            f"    <bpmn:sequenceFlow id={quoteattr(flow_id)} sourceRef={quoteattr(source)} "
            f"targetRef={quoteattr(target)}>{inside}</bpmn:sequenceFlow>\n"
        )
        return flow_id

    def line(self, ids: Sequence[str]) -> None:
        """Add flows from each node to the next one."""
        for source, target in itertools.pairwise(ids):
            self.flow(source, target)

    def files(self) -> Mapping[str, bytes]:
        """Return the process as the files of its folder."""
        process = (
            f'{_HEAD}  <bpmn:process id={quoteattr(self.key)} isExecutable="true">\n'
            f"{''.join(self._nodes)}{''.join(self._flows)}  </bpmn:process>\n</bpmn:definitions>\n"
        )
        settings = f"key: {self.key}\ntitle: {{en: {self.key}}}\nowner: bench\n"
        return {"process.bpmn": process.encode(), "process.yaml": settings.encode()}


def chain(length: int) -> Mapping[str, bytes]:
    """Return ``length`` script tasks one after the other, each setting a variable of its own."""
    drawing = Drawing(f"chain{length}")
    ids = [drawing.node("startEvent", "start")]
    ids += [drawing.script(f"step_{number}", f"x{number} = {number} * 2") for number in range(1, length + 1)]
    ids.append(drawing.node("endEvent", "end"))
    drawing.line(ids)
    return drawing.files()


def loop(rounds: int) -> Mapping[str, bytes]:
    """Return ``n = 0``, then ``n = n + 1`` in a loop through an exclusive gateway while ``n < rounds``."""
    drawing = Drawing(f"loop{rounds}")
    drawing.node("startEvent", "start")
    drawing.script("begin", "n = 0")
    drawing.node("exclusiveGateway", "again")
    drawing.script("count", "n = n + 1")
    drawing.node("exclusiveGateway", "enough", default="flow_enough_end")
    drawing.node("endEvent", "end")
    drawing.line(["start", "begin", "again", "count", "enough"])
    drawing.flow("enough", "again", f"n < {rounds}")
    drawing.flow("enough", "end")
    return drawing.files()


def parallel(branches: int) -> Mapping[str, bytes]:
    """Return ``branches`` script tasks side by side between two parallel gateways."""
    drawing = Drawing(f"parallel{branches}")
    drawing.node("startEvent", "start")
    drawing.node("parallelGateway", "split")
    drawing.node("parallelGateway", "join")
    drawing.node("endEvent", "end")
    drawing.line(["start", "split"])
    for number in range(1, branches + 1):
        branch = drawing.script(f"branch_{number}", f"x{number} = {number} * 2")
        drawing.line(["split", branch, "join"])
    drawing.line(["join", "end"])
    return drawing.files()
