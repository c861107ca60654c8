"""From a DMN file to its decisions (DMN 1.5, clauses 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.decision.definitions import Decision, DecisionModel, DecisionService, InputData, KnowledgeModel
from engine.decision.documents import Element, read_document
from engine.decision.errors import DecisionRefused
from engine.decision.item_types import ANY, ItemType
from engine.decision.logic_reader import LogicReader


def read_decisions(xml: bytes, *, path: str) -> DecisionModel:
    """Return the decisions of a DMN file.

    Raises DecisionRefused for the first thing in it that is no DMN or cannot be run exactly as drawn.
    """
    model = examine_decisions(xml, path=path)
    for fault in model.faults:
        raise fault
    return model


def examine_decisions(xml: bytes, *, path: str) -> DecisionModel:
    """Return the decisions of a DMN file with all that cannot be run in ``faults``: for checking a draft.

    A decision that is at fault refuses when it is decided. Raises DecisionRefused for a file that is no DMN, or whose
    requirements lead nowhere or in a circle.
    """
    return _FileReader(read_document(xml, path)).model()


class _FileReader:
    def __init__(self, root: Element) -> None:
        self.root = root
        self.faults: list[DecisionRefused] = []
        self.logic = LogicReader({element.name: element for element in root.children("itemDefinition")})
        self.inputs = {_id(element): element for element in root.children("inputData")}
        self.decisions = {_id(element): element for element in root.children("decision")}
        self.knowledge = {
            _id(element): element for element in root.children("businessKnowledgeModel", "decisionService")
        }
        self.input_names = frozenset(_variable(element) for element in self.inputs.values())

    def model(self) -> DecisionModel:
        for element in self.root.children("import"):
            if "DMN" in element.get("importType"):
                raise element.refused(f"the import {element.name!r} is not read", "Put the decisions into one file.")
        self._refuse_circles()
        knowledge = {key: self._knowledge_model(element) for key, element in self.knowledge.items()}
        decisions = {key: self._decision(key, element) for key, element in self.decisions.items()}
        inputs = {
            key: InputData(name=_variable(element), type=self._type(element)) for key, element in self.inputs.items()
        }
        return DecisionModel(
            path=self.root.path,
            names=frozenset(decisions) | {decision.name for decision in decisions.values()},
            faults=tuple(self.faults),
            decisions=MappingProxyType(decisions),
            inputs=MappingProxyType(inputs),
            knowledge=MappingProxyType(knowledge),
        )

    def _type(self, element: Element) -> ItemType:
        variable = element.child("variable")
        try:
            return self.logic.type_of(element, variable.get("typeRef") if variable is not None else "")
        except DecisionRefused as refusal:
            self.faults.append(refusal)
            return ANY

    def _decision(self, key: str, element: Element) -> Decision:
        required = _required(element, "informationRequirement", "requiredDecision")
        knowledge = _required(element, "knowledgeRequirement", "requiredKnowledge")
        names = self.input_names | self._names(required, self.decisions) | self._names(knowledge, self.knowledge)
        refusal = None
        logic = None
        try:
            logic = self.logic.within(element, names)
        except DecisionRefused as caught:
            refusal = caught
            self.faults.append(caught)
        return Decision(
            decision_id=key,
            name=_variable(element),
            type=self._type(element),
            logic=logic,
            refusal=refusal,
            decisions=required,
            inputs=_required(element, "informationRequirement", "requiredInput"),
            knowledge=knowledge,
        )

    def _knowledge_model(self, element: Element) -> KnowledgeModel | DecisionService:
        if element.tag == "decisionService":
            return DecisionService(
                name=_variable(element),
                outputs=_references(element.children("outputDecision")),
                input_decisions=_references(element.children("inputDecision")),
                inputs=_references(element.children("inputData")),
            )
        required = _required(element, "knowledgeRequirement", "requiredKnowledge")
        own = _variable(element)
        refusal = None
        logic = None
        try:
            body = element.child("encapsulatedLogic")
            if body is None:
                raise element.refused("the business knowledge model has no logic", "Define its function.")
            logic = self.logic.function(body, self._names(required, self.knowledge) | {own}, own)
        except DecisionRefused as caught:
            refusal = caught
            self.faults.append(caught)
        return KnowledgeModel(name=own, logic=logic, refusal=refusal, knowledge=required)

    def _names(self, keys: Iterable[str], elements: Mapping[str, Element]) -> frozenset[str]:
        return frozenset(_variable(elements[key]) for key in keys)

    def _refuse_circles(self) -> None:
        """Refuse requirements that lead nowhere, and decisions that require each other in a circle (6.2.1)."""
        for element in (*self.decisions.values(), *self.knowledge.values()):
            self._refuse_dangling(element)
        done: set[str] = set()
        for key in self.decisions:
            self._follow(key, [], done)

    def _refuse_dangling(self, element: Element) -> None:
        services = element.tag == "decisionService"
        targets: tuple[tuple[tuple[str, ...], Mapping[str, Element]], ...] = (
            (_required(element, "informationRequirement", "requiredDecision"), self.decisions),
            (_required(element, "informationRequirement", "requiredInput"), self.inputs),
            (_required(element, "knowledgeRequirement", "requiredKnowledge"), self.knowledge),
            (_references(element.children("outputDecision", "inputDecision")) if services else (), self.decisions),
            (_references(element.children("inputData")) if services else (), self.inputs),
        )
        for keys, elements in targets:
            for key in keys:
                if key not in elements:
                    raise element.refused(f"it requires {key!r}, which the file does not have", "Remove or add it.")

    def _follow(self, key: str, way: list[str], done: set[str]) -> None:
        if key in way:
            circle = " - ".join((*way[way.index(key) :], key))
            raise self.decisions[key].refused(f"decisions require each other: {circle}", "Break the circle.")
        if key in done:
            return
        for required in _required(self.decisions[key], "informationRequirement", "requiredDecision"):
            self._follow(required, [*way, key], done)
        done.add(key)


def _id(element: Element) -> str:
    return element.get("id") or element.name


def _variable(element: Element) -> str:
    """Return the name that expressions know an element by."""
    variable = element.child("variable")
    return (variable.name if variable is not None else "") or element.name


def _required(element: Element, requirement: str, target: str) -> tuple[str, ...]:
    return _references(found for one in element.children(requirement) for found in one.children(target))


def _references(elements: Iterable[Element]) -> tuple[str, ...]:
    return tuple(element.get("href").rpartition("#")[2] for element in elements)
