"""Small DMN files for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

NAMESPACE = "https://www.omg.org/spec/DMN/20230324/MODEL/"


def file(*elements: str, namespace: str = NAMESPACE) -> bytes:
    """Return a file of some elements."""
    inside = "".join(elements)
    return f'<definitions xmlns="{namespace}" id="d" name="d" namespace="urn:test">{inside}</definitions>'.encode()


def input_data(name: str, type_reference: str = "") -> str:
    """Return an input."""
    return f'<inputData id="i_{name}" name="{name}"><variable name="{name}" typeRef="{type_reference}"/></inputData>'


def decision(name: str, logic: str, *, requires: Sequence[str] = (), type_reference: str = "") -> str:
    """Return a decision with the id ``d_<name>`` that requires other ids."""
    links = "".join(_requirement(one) for one in requires)
    variable = f'<variable name="{name}" typeRef="{type_reference}"/>'
    return f'<decision id="d_{name}" name="{name}">{variable}{links}{logic}</decision>'


def _requirement(target: str) -> str:
    if target.startswith("b_"):
        return f'<knowledgeRequirement><requiredKnowledge href="#{target}"/></knowledgeRequirement>'
    tag = "requiredInput" if target.startswith("i_") else "requiredDecision"
    return f'<informationRequirement><{tag} href="#{target}"/></informationRequirement>'


def literal(text: str) -> str:
    """Return a literal expression."""
    return f"<literalExpression><text>{escape(text)}</text></literalExpression>"


def table(
    inputs: Sequence[str],
    outputs: Sequence[str],
    rules: Sequence[str],
    *,
    policy: str = "UNIQUE",
    aggregation: str = "",
    output_values: Sequence[str] = (),
    defaults: Sequence[str] = (),
    input_values: Sequence[str] = (),
) -> str:
    """Return a decision table; a rule is ``cell | cell : output | output`` with ids r1, r2 and so on."""
    parts = [f'<decisionTable id="t" hitPolicy="{policy}"' + (f' aggregation="{aggregation}">' if aggregation else ">")]
    for place, text in enumerate(inputs):
        allowed = _text("inputValues", input_values[place]) if place < len(input_values) else ""
        parts.append(
            f'<input label="The {text}"><inputExpression>{_text("text", text, "")}</inputExpression>{allowed}</input>'
        )
    for place, name in enumerate(outputs):
        allowed = _text("outputValues", output_values[place]) if place < len(output_values) else ""
        default = _text("defaultOutputEntry", defaults[place]) if place < len(defaults) else ""
        parts.append(f'<output name="{name}">{allowed}{default}</output>')
    parts.append('<annotation name="why"/>')
    for number, rule in enumerate(rules, 1):
        cells, _, results = rule.partition(" : ")
        parts.append(f'<rule id="r{number}">')
        parts += [_text("inputEntry", cell.strip()) for cell in cells.split("|") if inputs]
        parts += [_text("outputEntry", result.strip()) for result in results.split("|")]
        parts.append(f"<annotationEntry><text>note {number}</text></annotationEntry></rule>")
    return "".join((*parts, "</decisionTable>"))


def _text(tag: str, text: str, inner: str = "text") -> str:
    return f"<{tag}><{inner}>{escape(text)}</{inner}></{tag}>" if inner else f"<{tag}>{escape(text)}</{tag}>"
