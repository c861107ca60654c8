"""The extension elements of namespace ``urn:vermilion:bpmn:1`` as data: one schema for checker, editor and documents.

``docs/schemas/vermilion-bpmn.json`` is this table written out (a test keeps the two equal).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

#: The namespace, and the prefix it is written with.
NAMESPACE = "urn:vermilion:bpmn:1"
PREFIX = "vermilion"


class ValueKind(StrEnum):
    """What an attribute or a text may hold."""

    #: A FEEL expression; a leading ``=`` is optional.
    EXPRESSION = "expression"
    #: The name of a variable.
    VARIABLE = "variable"
    #: ``name`` or ``name@version`` of an operation of the catalogue.
    OPERATION = "operation"
    #: An ISO 8601 duration without years and months.
    DURATION = "duration"
    #: A whole number from 1.
    COUNT = "count"
    #: A whole number from 0 to 100.
    PRIORITY = "priority"
    #: ``true`` or ``false``.
    TRUTH = "truth"
    #: A business status of ``process.yaml``.
    STATUS = "status"
    #: A role of ``process.yaml``.
    ROLE = "role"
    #: File name below ``forms/`` without its extension.
    FORM = "form"
    #: Name or id of a decision in the process's DMN files.
    DECISION = "decision"
    #: Name of an input, a payload field or the like.
    NAME = "name"
    #: ``en`` or ``zh``.
    LANGUAGE = "language"
    #: Any text.
    TEXT = "text"


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One attribute of an extension element."""

    name: str
    kind: ValueKind
    title: str
    is_required: bool = False


@dataclass(frozen=True, kw_only=True)
class Extension:
    """One extension element.

    Attributes
    ----------
    allowed_in
        The BPMN elements whose ``extensionElements`` may hold it; empty for an element that stands inside another
        extension only.
    content
        What its text holds; None when it has none.
    children
        Names of the extension elements inside it.
    is_repeatable
        Whether it may stand more than once in one place.
    """

    name: str
    title: str
    allowed_in: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    content: ValueKind | None = None
    children: tuple[str, ...] = ()
    is_repeatable: bool = False


FLOW_NODES = (
    "startEvent",
    "endEvent",
    "intermediateCatchEvent",
    "intermediateThrowEvent",
    "boundaryEvent",
    "task",
    "manualTask",
    "userTask",
    "serviceTask",
    "sendTask",
    "receiveTask",
    "scriptTask",
    "businessRuleTask",
    "subProcess",
    "callActivity",
    "exclusiveGateway",
    "parallelGateway",
    "inclusiveGateway",
    "eventBasedGateway",
)
_CATCHES = ("messageEventDefinition", "intermediateCatchEvent", "boundaryEvent", "startEvent", "receiveTask")
_THROWS = ("messageEventDefinition", "intermediateThrowEvent", "endEvent", "sendTask")


def _duration(name: str, title: str, *more: Attribute) -> Extension:
    return Extension(
        name=name,
        title=title,
        allowed_in=("userTask",),
        attributes=(
            Attribute(name="duration", kind=ValueKind.DURATION, title="After this time.", is_required=True),
            Attribute(
                name="working",
                kind=ValueKind.TRUTH,
                title="Whether it counts working time of the process's calendar; true when left out.",
            ),
            *more,
        ),
    )


#: The whole schema.
EXTENSIONS: tuple[Extension, ...] = (
    Extension(
        name="operation",
        title="The operation of the catalogue that the task calls.",
        allowed_in=("serviceTask", "sendTask", "businessRuleTask"),
        attributes=(
            Attribute(
                name="name",
                kind=ValueKind.OPERATION,
                title="The operation; without a version its newest is pinned at deployment.",
                is_required=True,
            ),
            Attribute(name="result", kind=ValueKind.VARIABLE, title="Receives the output; left out, it is discarded."),
            Attribute(
                name="intent",
                kind=ValueKind.EXPRESSION,
                title="The number of the business intent in the idempotency key; left out, executions are counted.",
            ),
            Attribute(name="retry", kind=ValueKind.COUNT, title="How often it is tried at most."),
            Attribute(name="timeout", kind=ValueKind.DURATION, title="How long one try may take."),
            Attribute(name="compensate", kind=ValueKind.OPERATION, title="The operation that undoes this one."),
        ),
        children=("input",),
    ),
    Extension(
        name="input",
        title="One input of the operation: the text is a FEEL expression.",
        attributes=(Attribute(name="name", kind=ValueKind.NAME, title="The input's name.", is_required=True),),
        content=ValueKind.EXPRESSION,
        is_repeatable=True,
    ),
    Extension(
        name="decision",
        title="The decision of the process's own DMN files that the task evaluates.",
        allowed_in=("businessRuleTask",),
        attributes=(
            Attribute(name="name", kind=ValueKind.DECISION, title="The decision.", is_required=True),
            Attribute(name="result", kind=ValueKind.VARIABLE, title="Receives the result.", is_required=True),
        ),
    ),
    Extension(
        name="form",
        title="The form that a task or a start shows.",
        allowed_in=("userTask", "startEvent"),
        attributes=(
            Attribute(name="key", kind=ValueKind.FORM, title="The form.", is_required=True),
            Attribute(
                name="result",
                kind=ValueKind.VARIABLE,
                title="Receives the submitted values as one context; left out, each field becomes a variable.",
            ),
            Attribute(
                name="binds",
                kind=ValueKind.EXPRESSION,
                title="The facts a decision is bound to: when they change, the decision is void.",
            ),
        ),
    ),
    Extension(
        name="assignment",
        title="Who may decide the task; left out, the role is the lane's.",
        allowed_in=("userTask", "manualTask"),
        attributes=(Attribute(name="role", kind=ValueKind.ROLE, title="The role; left out, the lane's."),),
        children=("excluded",),
    ),
    Extension(
        name="excluded",
        title="A FEEL expression for the id of a person, or a list of them, who may not decide the task.",
        content=ValueKind.EXPRESSION,
        is_repeatable=True,
    ),
    _duration("due", "When the task is due, counted from its opening."),
    _duration("reminder", "When the assigned people are reminded, counted from the opening."),
    _duration(
        "escalation",
        "When the task also goes to another role, counted from the opening.",
        Attribute(name="role", kind=ValueKind.ROLE, title="The role it goes to."),
    ),
    Extension(
        name="priority",
        title="The task's place in lists.",
        allowed_in=("userTask", "manualTask"),
        attributes=(
            Attribute(
                name="value", kind=ValueKind.PRIORITY, title="From 0 to 100; 50 when left out.", is_required=True
            ),
        ),
    ),
    Extension(
        name="status",
        title="The business status that the instance enters when a token enters this node.",
        allowed_in=FLOW_NODES,
        attributes=(Attribute(name="name", kind=ValueKind.STATUS, title="The status.", is_required=True),),
    ),
    Extension(
        name="documentation",
        title="Documentation in one language.",
        allowed_in=FLOW_NODES,
        attributes=(Attribute(name="language", kind=ValueKind.LANGUAGE, title="The language.", is_required=True),),
        content=ValueKind.TEXT,
        is_repeatable=True,
    ),
    Extension(
        name="schedule",
        title="How a timer's duration is counted.",
        allowed_in=("timerEventDefinition",),
        attributes=(
            Attribute(name="working", kind=ValueKind.TRUTH, title="Whether it counts working time.", is_required=True),
        ),
    ),
    Extension(
        name="correlation",
        title="The value an arriving message must carry; left out, the instance's business key.",
        allowed_in=_CATCHES,
        content=ValueKind.EXPRESSION,
    ),
    Extension(
        name="payload",
        title="One field of a sent message: the text is a FEEL expression.",
        allowed_in=_THROWS,
        attributes=(Attribute(name="name", kind=ValueKind.NAME, title="The field's name.", is_required=True),),
        content=ValueKind.EXPRESSION,
        is_repeatable=True,
    ),
    Extension(
        name="result",
        title="The variable that receives the payload of a message; left out, it is discarded.",
        allowed_in=_CATCHES,
        attributes=(Attribute(name="name", kind=ValueKind.VARIABLE, title="The variable.", is_required=True),),
    ),
)
BY_NAME = {extension.name: extension for extension in EXTENSIONS}


def schema() -> dict[str, object]:
    """Return the table as plain values, as the published file holds it."""
    return {
        "namespace": NAMESPACE,
        "prefix": PREFIX,
        "elements": [
            {
                "name": extension.name,
                "description": extension.title,
                "allowedIn": list(extension.allowed_in),
                "attributes": [
                    {
                        "name": attribute.name,
                        "kind": attribute.kind.value,
                        "required": attribute.is_required,
                        "description": attribute.title,
                    }
                    for attribute in extension.attributes
                ],
                "content": extension.content.value if extension.content else None,
                "children": list(extension.children),
                "repeatable": extension.is_repeatable,
            }
            for extension in EXTENSIONS
        ],
    }
