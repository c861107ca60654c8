"""The allow-list of BPMN elements and attributes: what a drawing may hold at which place.

Everything in the BPMN namespace that is not listed is refused, because nobody knows that it runs as drawn (P9).
Elements under ``REFUSED`` get a sentence of their own. Names and nesting follow the schema of BPMN 2.0.2 (BPMN20.xsd).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model import rules
from engine.model.findings import Rule


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Which attributes and child elements an element may have.

    ``is_opaque``: what is inside says nothing about running, and is not looked at.
    """

    attributes: frozenset[str]
    children: frozenset[str] = frozenset()
    is_opaque: bool = False


_BASE = frozenset({"id", "name"})
_ANY = frozenset({"documentation", "extensionElements", "auditing", "monitoring", "categoryValueRef"})
_NODE = _ANY | {"incoming", "outgoing"}
_ACTIVITY_ATTRIBUTES = _BASE | {"default", "startQuantity", "completionQuantity", "isForCompensation"}
_ACTIVITY = _NODE | {"standardLoopCharacteristics", "multiInstanceLoopCharacteristics"}
_EVENT_DEFINITIONS = frozenset(
    {"messageEventDefinition", "timerEventDefinition", "errorEventDefinition", "terminateEventDefinition"}
    | {"linkEventDefinition", "eventDefinitionRef"}
)
_EVENT = _NODE | _EVENT_DEFINITIONS
_SERVICE = _ACTIVITY_ATTRIBUTES | {"implementation", "operationRef"}
_GATEWAY = _BASE | {"gatewayDirection"}
_FLOW_ELEMENTS = frozenset(
    {"startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent"}
    | {"task", "manualTask", "userTask", "serviceTask", "sendTask", "receiveTask", "scriptTask", "businessRuleTask"}
    | {"subProcess", "callActivity"}
    | {"exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway"}
    | {"sequenceFlow", "dataObject", "dataObjectReference"}
)
_ARTIFACTS = frozenset({"textAnnotation", "association", "group"})
_FORMAL = frozenset({"id", "language", "evaluatesToTypeRef"})


def _opaque(*attributes: str) -> Shape:
    return Shape(attributes=_BASE | set(attributes), is_opaque=True)


#: Attributes and children by element.
SHAPES: Mapping[str, Shape] = {
    "definitions": Shape(
        attributes=_BASE | {"targetNamespace", "expressionLanguage", "typeLanguage", "exporter", "exporterVersion"},
        children=_ANY
        | _EVENT_DEFINITIONS
        | {"process", "collaboration", "message", "error", "signal", "escalation", "itemDefinition", "interface"}
        | {"category", "import", "extension", "relationship", "resource", "endPoint", "partnerEntity", "partnerRole"},
    ),
    "process": Shape(
        attributes=_BASE | {"isExecutable", "isClosed", "processType", "definitionalCollaborationRef"},
        children=_ANY | _FLOW_ELEMENTS | _ARTIFACTS | {"laneSet", "supportedInterfaceRef"},
    ),
    "collaboration": Shape(
        attributes=_BASE | {"isClosed"},
        children=_ANY | _ARTIFACTS | {"participant", "messageFlow", "participantAssociation", "messageFlowAssociation"},
    ),
    "participant": _opaque("processRef"),
    "messageFlow": _opaque("sourceRef", "targetRef", "messageRef"),
    "participantAssociation": _opaque(),
    "messageFlowAssociation": _opaque("innerMessageFlowRef", "outerMessageFlowRef"),
    "message": Shape(attributes=_BASE | {"itemRef"}, children=_ANY),
    "error": Shape(attributes=_BASE | {"errorCode", "structureRef"}, children=_ANY),
    "signal": _opaque("structureRef"),
    "escalation": _opaque("escalationCode", "structureRef"),
    "itemDefinition": _opaque("isCollection", "itemKind", "structureRef"),
    "interface": _opaque("implementationRef"),
    "category": _opaque(),
    "import": _opaque("importType", "location", "namespace"),
    "relationship": _opaque("type", "direction"),
    "resource": _opaque(),
    "endPoint": _opaque(),
    "partnerEntity": _opaque(),
    "partnerRole": _opaque(),
    "extension": _opaque("definition", "mustUnderstand"),
    "supportedInterfaceRef": _opaque(),
    "documentation": _opaque("textFormat"),
    "extensionElements": _opaque(),
    "auditing": _opaque(),
    "monitoring": _opaque(),
    "categoryValueRef": _opaque(),
    "incoming": _opaque(),
    "outgoing": _opaque(),
    "laneSet": Shape(attributes=_BASE, children=_ANY | {"lane"}),
    "childLaneSet": Shape(attributes=_BASE, children=_ANY | {"lane"}),
    "lane": Shape(
        attributes=_BASE | {"partitionElementRef"},
        children=_ANY | {"flowNodeRef", "childLaneSet", "partitionElement"},
    ),
    "flowNodeRef": _opaque(),
    "partitionElement": _opaque(),
    "textAnnotation": _opaque("textFormat"),
    "association": _opaque("sourceRef", "targetRef", "associationDirection"),
    "group": _opaque("categoryValueRef"),
    "dataObject": Shape(attributes=_BASE | {"itemSubjectRef", "isCollection"}, children=_ANY | {"dataState"}),
    "dataObjectReference": Shape(attributes=_BASE | {"itemSubjectRef", "dataObjectRef"}, children=_ANY | {"dataState"}),
    "dataState": _opaque(),
    "sequenceFlow": Shape(
        attributes=_BASE | {"sourceRef", "targetRef", "isImmediate"}, children=_ANY | {"conditionExpression"}
    ),
    "conditionExpression": Shape(attributes=_FORMAL),
    "startEvent": Shape(attributes=_BASE | {"isInterrupting", "parallelMultiple"}, children=_EVENT),
    "endEvent": Shape(attributes=_BASE, children=_EVENT),
    "intermediateCatchEvent": Shape(attributes=_BASE | {"parallelMultiple"}, children=_EVENT),
    "intermediateThrowEvent": Shape(attributes=_BASE, children=_EVENT),
    "boundaryEvent": Shape(attributes=_BASE | {"attachedToRef", "cancelActivity", "parallelMultiple"}, children=_EVENT),
    "eventDefinitionRef": _opaque(),
    "messageEventDefinition": Shape(attributes=_BASE | {"messageRef"}, children=_ANY | {"operationRef"}),
    "operationRef": _opaque(),
    "timerEventDefinition": Shape(attributes=_BASE, children=_ANY | {"timeDate", "timeDuration", "timeCycle"}),
    "timeDate": Shape(attributes=_FORMAL),
    "timeDuration": Shape(attributes=_FORMAL),
    "timeCycle": Shape(attributes=_FORMAL),
    "errorEventDefinition": Shape(attributes=_BASE | {"errorRef"}, children=_ANY),
    "terminateEventDefinition": Shape(attributes=_BASE, children=_ANY),
    "linkEventDefinition": Shape(attributes=_BASE, children=_ANY | {"source", "target"}),
    "source": _opaque(),
    "target": _opaque(),
    "task": Shape(attributes=_ACTIVITY_ATTRIBUTES, children=_ACTIVITY),
    "manualTask": Shape(attributes=_ACTIVITY_ATTRIBUTES, children=_ACTIVITY),
    "userTask": Shape(attributes=_ACTIVITY_ATTRIBUTES | {"implementation"}, children=_ACTIVITY),
    "serviceTask": Shape(attributes=_SERVICE, children=_ACTIVITY),
    "sendTask": Shape(attributes=_SERVICE | {"messageRef"}, children=_ACTIVITY),
    "receiveTask": Shape(attributes=_SERVICE | {"messageRef", "instantiate"}, children=_ACTIVITY),
    "businessRuleTask": Shape(attributes=_ACTIVITY_ATTRIBUTES | {"implementation"}, children=_ACTIVITY),
    "scriptTask": Shape(attributes=_ACTIVITY_ATTRIBUTES | {"scriptFormat"}, children=_ACTIVITY | {"script"}),
    "script": _opaque(),
    "callActivity": Shape(attributes=_ACTIVITY_ATTRIBUTES | {"calledElement"}, children=_ACTIVITY),
    "subProcess": Shape(
        attributes=_ACTIVITY_ATTRIBUTES | {"triggeredByEvent"},
        children=_ACTIVITY | _FLOW_ELEMENTS | _ARTIFACTS | {"laneSet"},
    ),
    "standardLoopCharacteristics": Shape(
        attributes=_BASE | {"testBefore", "loopMaximum"}, children=_ANY | {"loopCondition"}
    ),
    "loopCondition": Shape(attributes=_FORMAL),
    "multiInstanceLoopCharacteristics": Shape(
        attributes=_BASE | {"isSequential", "behavior", "oneBehaviorEventRef", "noneBehaviorEventRef"},
        children=_ANY
        | {"loopCardinality", "loopDataInputRef", "loopDataOutputRef", "inputDataItem", "outputDataItem"}
        | {"completionCondition"},
    ),
    "loopCardinality": Shape(attributes=_FORMAL),
    "completionCondition": Shape(attributes=_FORMAL),
    "loopDataInputRef": _opaque(),
    "loopDataOutputRef": _opaque(),
    "inputDataItem": _opaque("itemSubjectRef", "isCollection"),
    "outputDataItem": _opaque("itemSubjectRef", "isCollection"),
    "exclusiveGateway": Shape(attributes=_GATEWAY | {"default"}, children=_NODE),
    "inclusiveGateway": Shape(attributes=_GATEWAY | {"default"}, children=_NODE),
    "parallelGateway": Shape(attributes=_GATEWAY, children=_NODE),
    "eventBasedGateway": Shape(attributes=_GATEWAY | {"instantiate", "eventGatewayType"}, children=_NODE),
}

#: Elements that do not run, wherever they stand, with the rule that says why and what to draw instead.
REFUSED: Mapping[str, Rule] = {
    "signalEventDefinition": rules.SIGNAL,
    "escalationEventDefinition": rules.ESCALATION,
    "compensateEventDefinition": rules.COMPENSATION,
    "conditionalEventDefinition": rules.CONDITIONAL,
    "cancelEventDefinition": rules.CANCEL,
    "transaction": rules.TRANSACTION,
    "adHocSubProcess": rules.AD_HOC,
    "complexGateway": rules.COMPLEX_GATEWAY,
    "implicitThrowEvent": rules.MULTI_INSTANCE_BEHAVIOR,
    "complexBehaviorDefinition": rules.MULTI_INSTANCE_BEHAVIOR,
    **dict.fromkeys(
        ("choreography", "globalChoreographyTask", "choreographyTask", "subChoreography", "callChoreography"),
        rules.CHOREOGRAPHY,
    ),
    **dict.fromkeys(
        ("conversation", "subConversation", "callConversation", "globalConversation", "conversationLink"),
        rules.CHOREOGRAPHY,
    ),
    **dict.fromkeys(
        ("globalTask", "globalUserTask", "globalManualTask", "globalScriptTask", "globalBusinessRuleTask"),
        rules.GLOBAL_TASK,
    ),
    "dataStore": rules.DATA_STORE,
    "dataStoreReference": rules.DATA_STORE,
    **dict.fromkeys(("ioSpecification", "ioBinding", "property", "dataInput", "dataOutput"), rules.DATA_ASSOCIATION),
    **dict.fromkeys(("dataInputAssociation", "dataOutputAssociation"), rules.DATA_ASSOCIATION),
    **dict.fromkeys(
        ("resourceRole", "performer", "humanPerformer", "potentialOwner", "rendering"), rules.RESOURCE_ROLE
    ),
    **dict.fromkeys(("correlationProperty", "correlationKey", "correlationSubscription"), rules.CORRELATION_ELEMENT),
}

#: Elements that findings name: what an analyst can point at in the drawing.
NAMED = frozenset(
    _FLOW_ELEMENTS
    | _ARTIFACTS
    | {"process", "lane", "participant", "messageFlow", "message", "error", "collaboration"}
    | {"transaction", "adHocSubProcess", "complexGateway", "dataStoreReference", "dataStore"}
    | {"choreographyTask", "subChoreography", "callChoreography", "choreography", "globalChoreographyTask"}
    | {"globalTask", "globalUserTask", "globalManualTask", "globalScriptTask", "globalBusinessRuleTask"}
    | {"conversation", "subConversation", "callConversation", "globalConversation", "signal", "escalation"}
)
