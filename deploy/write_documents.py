"""Writes the tables of `docs/` that follow from the product itself, between their marks, and leaves the rest alone.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end of NAME -->``. Run it after a change to the checker's
tables: ``.venv/bin/python deploy/write_documents.py``. A test keeps documents and tables equal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from engine.decision.hit_policies import HitPolicy
from engine.feel.builtin import BUILTINS
from engine.model import bpmn_allowed, check_rules, rules
from engine.model.bpmn_events import ALLOWED
from engine.model.extensions import EXTENSIONS, PREFIX, Attribute, Extension, ValueKind
from engine.model.findings import Rule
from engine.model.forms import ComponentKind
from engine.model.graph import NodeKind

ROOT = Path(__file__).resolve().parent.parent
#: Documents that hold generated tables.
DOCUMENTS = ("docs/authoring-a-process.md", "docs/bpmn-support.md")
_PLACE = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end of (?P=name) -->)", re.DOTALL)

_NODES: Mapping[NodeKind, str] = {
    NodeKind.START_EVENT: "starts an instance by hand, by the API or by an event",
    NodeKind.END_EVENT: "ends a token; terminate ends the instance; an error goes outwards; a message is sent",
    NodeKind.INTERMEDIATE_CATCH_EVENT: "waits for a message or a time; a link continues here",
    NodeKind.INTERMEDIATE_THROW_EVENT: "marks a point; sends a message; a link jumps from here",
    NodeKind.BOUNDARY_EVENT: "reacts while its activity is open; neither a timer nor a message need end it",
    NodeKind.TASK: "passes at once",
    NodeKind.MANUAL_TASK: "a task in somebody's list, without a form",
    NodeKind.USER_TASK: "a task in somebody's list, with a form",
    NodeKind.SERVICE_TASK: "a job: a worker calls an operation",
    NodeKind.SEND_TASK: "sends a message, or calls an operation",
    NodeKind.RECEIVE_TASK: "waits for a message",
    NodeKind.SCRIPT_TASK: 'Python in a sandbox, or FEEL with `scriptFormat="feel"`',
    NodeKind.BUSINESS_RULE_TASK: "evaluates a decision of the folder's DMN files, or calls an operation",
    NodeKind.SUB_PROCESS: "a scope of its own inside the process",
    NodeKind.CALL_ACTIVITY: "another process of the same folder, inside the caller's instance",
    NodeKind.EXCLUSIVE_GATEWAY: "one way out, by conditions in FEEL; or a merge",
    NodeKind.PARALLEL_GATEWAY: "all ways out; or a join that waits for every way in",
    NodeKind.INCLUSIVE_GATEWAY: "every way out whose condition holds; or a join of what is under way",
    NodeKind.EVENT_BASED_GATEWAY: "the first of several messages and times",
}

_KINDS: Mapping[ValueKind, str] = {
    ValueKind.EXPRESSION: "FEEL; a leading `=` is optional",
    ValueKind.VARIABLE: "a variable's name: letters, digits and underscores",
    ValueKind.OPERATION: "an operation, as `name` or `name@version`",
    ValueKind.DURATION: "an ISO 8601 duration without years and months: `PT16H`, `P2D`",
    ValueKind.COUNT: "a whole number from 1 to 1000",
    ValueKind.PRIORITY: "a whole number from 0 to 100",
    ValueKind.TRUTH: "`true` or `false`",
    ValueKind.STATUS: "a status of `process.yaml`",
    ValueKind.ROLE: "a role of `process.yaml`",
    ValueKind.FORM: "a file of `forms/`, without `.form`",
    ValueKind.DECISION: "the name or id of a decision in the folder's DMN files",
    ValueKind.NAME: "a name",
    ValueKind.LANGUAGE: "`en` or `zh`",
    ValueKind.TEXT: "any text",
}

#: Refused ways to use elements that otherwise run.
_REFUSED_USES: tuple[tuple[str, Rule], ...] = (
    ("an event with several definitions", rules.MULTIPLE),
    ("an event sub-process (`triggeredByEvent`)", rules.EVENT_SUB_PROCESS),
    ("`isForCompensation`", rules.COMPENSATION),
    ("a timer that repeats (`timeCycle`)", rules.TIMER_CYCLE),
    ("a timer start event", rules.TIMER_START),
    ("a message, timer or error start inside a sub-process", rules.SEQUENTIAL_START),
    ("an error boundary event that does not interrupt", rules.ERROR_NEVER_CONTINUES),
    ("a receive task behind an event-based gateway", check_rules.EVENT_GATEWAY_TARGET),
    ("a receive task that starts an instance", rules.INSTANTIATING_RECEIVE),
    ("an event-based gateway that starts an instance", rules.INSTANTIATING_GATEWAY),
    ("`startQuantity`, `completionQuantity` other than 1", rules.TOKEN_QUANTITY),
    ("a multi-instance `behavior` other than All", rules.MULTI_INSTANCE_BEHAVIOR),
    ("a loop without condition and maximum", rules.LOOP_WITHOUT_CONDITION),
    ("a script in another language", rules.SCRIPT_LANGUAGE),
    ("an expression declared in another language", rules.FOREIGN_LANGUAGE),
    ("a process that calls itself", rules.CALL_RECURSION),
)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# --- extensions --------------------------------------------------------------------------------------------------


def extensions() -> str:
    """Return the extension elements with their attributes."""
    return table(("element", "stands in", "attributes and text"), [_extension(each) for each in EXTENSIONS])


def _extension(extension: Extension) -> tuple[str, str, str]:
    holders = [f"`{PREFIX}:{each.name}`" for each in EXTENSIONS if extension.name in each.children]
    is_anywhere = NodeKind.SUB_PROCESS in extension.allowed_in
    places = "any flow node" if is_anywhere else _code(extension.allowed_in) or ", ".join(holders)
    parts = [_attribute(each) for each in extension.attributes]
    if extension.content is not None:
        parts.append(f"text: {_KINDS[extension.content]}")
    if extension.is_repeatable:
        parts.append("may be repeated")
    return f"`{PREFIX}:{extension.name}`", places, f"{extension.title} " + "; ".join(parts)


def _attribute(attribute: Attribute) -> str:
    needed = ", required" if attribute.is_required else ""
    return f"`{attribute.name}` ({_KINDS[attribute.kind]}{needed}): {attribute.title.rstrip('.')}"


# --- BPMN --------------------------------------------------------------------------------------------------------


def nodes() -> str:
    """Return the flow nodes that run."""
    return table(
        ("element", "event definitions", "what it does"),
        [(f"`{kind}`", _code(ALLOWED.get(kind, ())), meaning) for kind, meaning in _NODES.items()],
    )


def other_elements() -> str:
    """Return what else may stand in a file, as two lists."""
    shapes = {name: shape for name, shape in bpmn_allowed.SHAPES.items() if name not in {str(kind) for kind in _NODES}}
    read = [name for name, shape in shapes.items() if not shape.is_opaque]
    silent = [name for name, shape in shapes.items() if shape.is_opaque]
    return f"Read: {_code(read)}.\n\nAllowed, with nothing more than a name or a reference: {_code(silent)}.\n"


def refused_elements() -> str:
    """Return the elements that are refused wherever they stand."""
    by_rule: dict[str, tuple[Rule, list[str]]] = {}
    for name, rule in bpmn_allowed.REFUSED.items():
        by_rule.setdefault(rule.code, (rule, []))[1].append(name)
    rows = [(_code(names), rule.reason, rule.remedy) for rule, names in by_rule.values()]
    return table(("element", "why it is refused", "what to draw instead"), rows)


def refused_uses() -> str:
    """Return the refused ways to use elements that otherwise run."""
    rows = [(what, _open(rule.reason), _open(rule.remedy)) for what, rule in _REFUSED_USES]
    return table(("what is drawn", "why it is refused", "what to draw instead"), rows)


def findings() -> str:
    """Return every finding that the checker knows."""
    found = _rules(rules, check_rules)
    rows = [(f"`{each.code}`", each.severity.value, _open(each.reason), _open(each.remedy)) for each in found]
    return table(("code", "severity", "reason", "remedy"), rows)


def _open(sentence: str) -> str:
    """Return a rule's sentence with three dots where a finding names what it found."""
    return re.sub(r"\{[^}]*\}", "…", sentence)


def _rules(*modules: ModuleType) -> list[Rule]:
    found = {each.code: each for module in modules for each in vars(module).values() if isinstance(each, Rule)}
    return sorted(found.values(), key=lambda rule: (rule.severity.value, rule.code))


# --- decisions and forms -----------------------------------------------------------------------------------------


def hit_policies() -> str:
    """Return the hit policies of decision tables."""
    return _code(each.value for each in HitPolicy) + ".\n"


def feel_functions() -> str:
    """Return the built-in functions of FEEL."""
    return _code(sorted(BUILTINS)) + ".\n"


def form_components() -> str:
    """Return the components of forms."""
    return _code(each.value for each in ComponentKind) + ".\n"


TABLES: Mapping[str, Callable[[], str]] = {
    "extensions": extensions,
    "nodes": nodes,
    "other-elements": other_elements,
    "refused-elements": refused_elements,
    "refused-uses": refused_uses,
    "findings": findings,
    "hit-policies": hit_policies,
    "feel-functions": feel_functions,
    "form-components": form_components,
}


def rewritten(text: str) -> str:
    """Return a document with its generated tables as they are now. Raises KeyError for a mark of an unknown name."""
    return _PLACE.sub(lambda found: f"{found[1]}{TABLES[found['name']]()}{found[3]}", text)


def main() -> int:
    """Write every document anew; 0."""
    for name in DOCUMENTS:
        path = ROOT / name
        path.write_text(rewritten(path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
