"""Pins the operations of a definition to versions, so that a later version of an operation changes no live process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.contract.registry import OperationRegistry
from engine.model.definition import Definition
from engine.model.graph import FlowNode, OperationBinding, Scope
from engine.model.reader import every_node


def pinned_references(definition: Definition, registry: OperationRegistry) -> dict[str, str]:
    """Return ``name@version`` by each reference that the drawing uses, compensations included.

    Raises
    ------
    UnknownOperation
        When the registry lacks one.
    """
    drawn: set[str] = set()
    for node in definition.nodes.values():
        if node.operation is not None:
            drawn.add(node.operation.reference)
            if node.operation.compensate is not None:
                drawn.add(node.operation.compensate)
    return {reference: registry.find(reference).reference for reference in sorted(drawn)}


def apply_pins(definition: Definition, pins: Mapping[str, str]) -> Definition:
    """Return the definition with its operations named as pinned. Raises KeyError for a reference without a pin."""
    process = _pinned_scope(definition.process, pins)
    called = {key: _pinned_scope(scope, pins) for key, scope in definition.called.items()}
    nodes: dict[str, FlowNode] = {
        node.element_id: node for scope in (process, *called.values()) for node in every_node(scope)
    }
    return replace(definition, process=process, called=called, nodes=nodes)


def pin(definition: Definition, registry: OperationRegistry) -> Definition:
    """Return the definition with every operation named ``name@version``, the newest where no version was drawn.

    Raises
    ------
    UnknownOperation
        When the registry lacks one.
    """
    return apply_pins(definition, pinned_references(definition, registry))


def _pinned_scope(scope: Scope, pins: Mapping[str, str]) -> Scope:
    return replace(scope, nodes={key: _pinned_node(node, pins) for key, node in scope.nodes.items()})


def _pinned_node(node: FlowNode, pins: Mapping[str, str]) -> FlowNode:
    inner = _pinned_scope(node.inner, pins) if node.inner is not None else None
    operation = _pinned_binding(node.operation, pins) if node.operation is not None else None
    return replace(node, inner=inner, operation=operation)


def _pinned_binding(binding: OperationBinding, pins: Mapping[str, str]) -> OperationBinding:
    compensate = pins[binding.compensate] if binding.compensate is not None else None
    return replace(binding, reference=pins[binding.reference], compensate=compensate)
