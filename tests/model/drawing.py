"""Small BPMN files for the tests of the model room."""

from __future__ import annotations

from itertools import pairwise

from engine.model import check_drawing
from engine.model.findings import Finding

HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:vermilion="urn:vermilion:bpmn:1"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="definitions" targetNamespace="urn:test" {more}>'
)


def bpmn(body: str, root: str = "", *, process: str = 'isExecutable="true"', more: str = "") -> bytes:
    """Return a file with one process ``p``; ``root`` stands before it."""
    head = HEAD.replace("{more}", more)
    return f'{head}{root}<process id="p" name="P" {process}>{body}</process></definitions>'.encode()


def flow(source: str, target: str, condition: str | None = None, flow_id: str | None = None) -> str:
    """Return a sequence flow; its id is ``source-target`` unless given."""
    inside = f"<conditionExpression>{condition}</conditionExpression>" if condition is not None else ""
    return (
        f'<sequenceFlow id="{flow_id or f"{source}-{target}"}" sourceRef="{source}" targetRef="{target}">'
        f"{inside}</sequenceFlow>"
    )


def line(*steps: str) -> str:
    """Return flows from the start ``s`` through these ids to the end ``e``."""
    ids = ("s", *steps, "e")
    return "".join(flow(first, second) for first, second in pairwise(ids))


START = '<startEvent id="s"/>'
END = '<endEvent id="e"/>'


def around(element: str, element_id: str = "x") -> str:
    """Return a process body with this element between start and end."""
    return f"{START}{element}{END}{line(element_id)}"


def findings(body: str, root: str = "", **more: str) -> tuple[Finding, ...]:
    """Return what the checker says of a drawing without operations."""
    return check_drawing({"process.bpmn": bpmn(body, root, **more)})


def errors(body: str, root: str = "", **more: str) -> set[tuple[str, str]]:
    """Return rule and element of each error of a drawing."""
    return {(each.rule, each.element_id) for each in findings(body, root, **more) if each.is_error}
