"""A read DMN file, ready to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from engine.decision.errors import DecisionRefused, UnknownDecision
from engine.decision.item_types import ItemType
from engine.decision.logic import FunctionLogic, Logic, admitted, begins_with, by_position
from engine.decision.trace import Plain, Trace, plain
from engine.feel import FeelLimitExceeded, Function, Run, Value
from engine.feel.errors import Fault


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionResult:
    """What a decision gave, and how.

    ``explanation`` is plain data: ``decision``, ``id``, ``value`` and ``decisions``, one record per decision that was
    made on the way, required ones first. A record has ``id``, ``name``, ``value``, the ``inputs`` it read, its
    ``tables`` (inputs with label and value, the rules that fired with number, id, outputs and annotations) and the
    ``reasons`` for which a part of it was null.
    """

    value: Value
    explanation: dict[str, Plain]


@dataclass(frozen=True, kw_only=True, slots=True)
class InputData:
    """A value that the model takes from outside."""

    name: str
    type: ItemType


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A decision. ``logic`` is None where it cannot be run, for the reason in ``refusal``.

    ``name`` is the variable that holds its value; ``decisions``, ``inputs`` and ``knowledge`` are the ids it requires.
    """

    decision_id: str
    name: str
    type: ItemType
    logic: Logic | None
    refusal: DecisionRefused | None
    decisions: tuple[str, ...]
    inputs: tuple[str, ...]
    knowledge: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeModel:
    """A business knowledge model: a function that decisions invoke. ``logic`` is None where it cannot be run."""

    name: str
    logic: FunctionLogic | None
    refusal: DecisionRefused | None
    knowledge: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionService:
    """A part of the graph that is invoked as a function (DMN 1.5, 5.2.2 and 10.4)."""

    name: str
    outputs: tuple[str, ...]
    input_decisions: tuple[str, ...]
    inputs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DecisionModel:
    """The decisions of one DMN file; immutable.

    ``path`` is the file's name inside its process folder; ``names`` holds the ids and the names of its decisions;
    ``faults`` says what in it cannot be run.
    """

    path: str
    names: frozenset[str]
    faults: tuple[DecisionRefused, ...] = ()
    decisions: Mapping[str, Decision] = field(default_factory=lambda: MappingProxyType({}))
    inputs: Mapping[str, InputData] = field(default_factory=lambda: MappingProxyType({}))
    knowledge: Mapping[str, KnowledgeModel | DecisionService] = field(default_factory=lambda: MappingProxyType({}))

    def decide(self, decision: str, inputs: Mapping[str, Value], *, now: datetime | None = None) -> DecisionResult:
        """Return the value of a decision, named by id or name, over some variables, with its explanation.

        ``now`` is the instant that the file's expressions see. Raises UnknownDecision; DecisionFailed when the values
        contradict a table's hit policy or allowed values; DecisionRefused when the decision cannot be run;
        FeelLimitExceeded when it takes more than an evaluation may.
        """
        chosen = self.decision(decision)
        making = _Making(self, Trace(Run({}, 0, now)))
        try:
            value = making.decision(chosen, making.admitted(inputs, self.paths(decision)))
        except RecursionError:
            raise FeelLimitExceeded("call depth", 0) from None
        return DecisionResult(
            value=value,
            explanation={
                "decision": chosen.name,
                "id": chosen.decision_id,
                "value": plain(value),
                "decisions": making.trace.decisions,
            },
        )

    def invoke(self, name: str, inputs: Mapping[str, Value], *, now: datetime | None = None) -> Value:
        """Return what a business knowledge model or decision service gives for arguments by name.

        Raises UnknownDecision, and what :meth:`decide` raises.
        """
        making = _Making(self, Trace(Run({}, 0, now)))
        found = next((key for key, model in self.knowledge.items() if name in (key, model.name)), None)
        if found is None:
            raise UnknownDecision(self.path, name)
        run = making.trace.run
        try:
            function = making.function(found)
            return function.call(run, (), {key: run.convert(value, 0) for key, value in inputs.items()})
        except Fault as fault:
            return run.null(0, str(fault))
        except RecursionError:
            raise FeelLimitExceeded("call depth", 0) from None

    def decision(self, decision: str) -> Decision:
        """Return a decision by its id or name. Raises UnknownDecision."""
        if decision in self.decisions:
            return self.decisions[decision]
        for candidate in self.decisions.values():
            if candidate.name == decision:
                return candidate
        raise UnknownDecision(self.path, decision)

    def paths(self, decision: str) -> frozenset[str]:
        """Return the dotted paths of the outside variables that a decision and those it requires read.

        Raises UnknownDecision.
        """
        chosen = self.decision(decision)
        if chosen.logic is None:
            return frozenset()
        own = {self.decisions[key].name: key for key in chosen.decisions}
        known = {self.knowledge[key].name for key in chosen.knowledge}
        read: set[str] = set()
        for path in chosen.logic.paths:
            if not any(begins_with(path, name) for name in (*own, *known)):
                read.add(path)
        return frozenset(read.union(*(self.paths(key) for key in chosen.decisions)))


class _Making:
    """One call of :meth:`DecisionModel.decide`: the values found so far."""

    def __init__(self, model: DecisionModel, trace: Trace, results: Mapping[str, Value] | None = None) -> None:
        self.model = model
        self.trace = trace
        self.results = dict(results or {})
        self.functions: dict[str, Function] = {}

    def admitted(self, inputs: Mapping[str, Value], paths: frozenset[str]) -> dict[str, Value]:
        """Return the variables that are read, as FEEL has them and as their input data declare."""
        run = self.trace.run
        given = {
            name: run.convert(value, 0)
            for name, value in inputs.items()
            if any(begins_with(path, name) for path in paths)
            or any(name == data.name for data in self.model.inputs.values())
        }
        for data in self.model.inputs.values():
            if data.name in given:
                given[data.name] = admitted(given[data.name], data.type, run, f"the input {data.name}")
        return given

    def decision(self, decision: Decision, given: Mapping[str, Value]) -> Value:
        """Return a decision's value, made once."""
        if decision.decision_id in self.results:
            return self.results[decision.decision_id]
        if decision.logic is None:
            raise decision.refusal or UnknownDecision(self.model.path, decision.decision_id)
        scope = dict(given)
        for key in decision.decisions:
            scope[self.model.decisions[key].name] = self.decision(self.model.decisions[key], given)
        for key in decision.knowledge:
            scope[self.model.knowledge[key].name] = self.function(key)
        value = decision.logic.evaluate(scope, self.trace)
        value = admitted(value, decision.type, self.trace.run, f"the decision {decision.name}")
        self.results[decision.decision_id] = value
        self._record(decision, scope, value)
        return value

    def _record(self, decision: Decision, scope: Mapping[str, Value], value: Value) -> None:
        read = decision.logic.paths if decision.logic else frozenset[str]()
        names = [name for name in scope if any(begins_with(path, name) for path in read)]
        self.trace.decisions.append(
            {
                "id": decision.decision_id,
                "name": decision.name,
                "value": plain(value),
                "inputs": {name: plain(scope[name]) for name in names if not isinstance(scope[name], Function)},
                "tables": self.trace.drained_tables(),
                "reasons": self.trace.drained_reasons(),
            }
        )

    def function(self, key: str) -> Function:
        """Return a business knowledge model or decision service as a function; a model may invoke itself."""
        if key in self.functions:
            return self.functions[key]
        model = self.model.knowledge[key]
        if isinstance(model, DecisionService):
            self.functions[key] = self._service(model)
            return self.functions[key]
        if model.logic is None:
            raise model.refusal or UnknownDecision(self.model.path, key)
        scope: dict[str, Value] = {}
        self.functions[key] = scope[model.name] = model.logic.function(scope, self.trace)
        for required in model.knowledge:
            scope[self.model.knowledge[required].name] = self.function(required)
        return self.functions[key]

    def _service(self, service: DecisionService) -> Function:
        model = self.model
        names = (
            *(model.inputs[key].name for key in service.inputs),
            *(model.decisions[key].name for key in service.input_decisions),
        )

        def call(run: Run, values: Sequence[Value], by_name: Mapping[str, Value] | None) -> Value:
            if by_name is not None:
                by_name = {name: by_name.get(name) for name in names}
            arguments = by_position(service.name, names, values, by_name)
            given = dict(zip(names, arguments, strict=True))
            inner = _Making(
                model, self.trace, {key: given[model.decisions[key].name] for key in service.input_decisions}
            )
            admitted_inputs = inner.admitted(
                {model.inputs[key].name: given[model.inputs[key].name] for key in service.inputs}, frozenset()
            )
            outputs = {
                model.decisions[key].name: inner.decision(model.decisions[key], admitted_inputs)
                for key in service.outputs
            }
            return outputs if len(outputs) > 1 else next(iter(outputs.values()))

        return Function(name=service.name, parameters=names, call=call)
