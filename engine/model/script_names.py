"""Which variables a script reads and writes, found without running it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from engine.feel import FeelSyntaxError, compile_expression
from engine.model.graph import ScriptLanguage

_ENTRY = re.compile(r'(?<!\w)([A-Za-z_]\w*+)"?\s*+:')


@dataclass(frozen=True, kw_only=True)
class ScriptNames:
    """Names of variables. ``replaced`` are written as a whole; ``changed`` may keep a part of their old value."""

    reads: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()


def script_names(script: str, language: ScriptLanguage) -> ScriptNames:
    """Return what a script reads and writes; nothing for one that does not parse.

    A FEEL script writes the entries of the context it gives: every name before a colon counts, as a change.
    """
    if language is ScriptLanguage.FEEL:
        return _feel_names(script)
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ScriptNames()
    names = _PythonNames()
    names.visit(tree)
    return ScriptNames(
        reads=frozenset(names.reads),
        replaced=frozenset(names.replaced - names.changed),
        changed=frozenset(names.changed),
    )


def _feel_names(script: str) -> ScriptNames:
    try:
        expression = compile_expression(script)
    except FeelSyntaxError:
        return ScriptNames()
    reads = {path.partition(".")[0] for path in expression.paths | expression.possible_paths}
    return ScriptNames(reads=frozenset(reads), changed=frozenset(_ENTRY.findall(script)))


class _PythonNames(ast.NodeVisitor):
    """Collects names; one that is only assigned under a condition counts as changed, not as replaced."""

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.replaced: set[str] = set()
        self.changed: set[str] = set()
        self._depth = 0

    def generic_visit(self, node: ast.AST) -> None:
        is_optional = isinstance(node, (ast.If, ast.For, ast.While, ast.Try, ast.FunctionDef, ast.With))
        self._depth += is_optional
        super().generic_visit(node)
        self._depth -= is_optional

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.reads.add(node.id)
        elif self._depth:
            self.changed.add(node.id)
        else:
            self.replaced.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        root = _root(node.target)
        if root is not None:
            self.reads.add(root)
            self.changed.add(root)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._part(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._part(node)

    def visit_Call(self, node: ast.Call) -> None:
        # A method may change what it is called on: rows.append(suggestion).
        if isinstance(node.func, ast.Attribute):
            root = _root(node.func)
            if root is not None:
                self.changed.add(root)
        self.generic_visit(node)

    def _part(self, node: ast.Subscript | ast.Attribute) -> None:
        root = _root(node)
        if root is not None and not isinstance(node.ctx, ast.Load):
            self.changed.add(root)
        self.generic_visit(node)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
