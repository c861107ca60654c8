"""Which variables a script reads and sets, found in its text before it runs."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import lru_cache

from engine.interpreter.scripting import ScriptFailed

#: Characters of one script.
MAXIMUM_LENGTH = 65_536
_CACHE_SIZE = 2_048


@dataclass(frozen=True, kw_only=True)
class Names:
    """``read`` are all names whose value may be used or changed in place, ``assigned`` those that are given a value.

    The variables of ``for``, ``with`` and ``except``, of comprehensions and functions, and names that begin with an
    underscore are the script's own business and no process variables.
    """

    read: frozenset[str]
    assigned: frozenset[str]


@lru_cache(_CACHE_SIZE)
def names_of(script: str) -> Names:
    """Return the names in a script.

    Raises
    ------
    ScriptFailed
        When it is no Python, too long, or nested too deep.
    """
    if len(script) > MAXIMUM_LENGTH:
        raise ScriptFailed(f"The script is longer than {MAXIMUM_LENGTH:,} characters.")
    finder = _Finder()
    try:
        finder.visit(ast.parse(script))
    except SyntaxError as wrong:
        raise ScriptFailed(f"Line {wrong.lineno}: {wrong.msg}.", line=wrong.lineno) from None
    except (RecursionError, MemoryError):
        raise ScriptFailed("The script is nested too deep.") from None
    except ValueError as wrong:
        raise ScriptFailed(f"The script is no text of Python: {wrong}.") from None
    private = {name for name in finder.read | finder.assigned if name.startswith("_")}
    return Names(read=frozenset(finder.read - private), assigned=frozenset(finder.assigned - private))


@dataclass
class _Finder(ast.NodeVisitor):
    """Collects names; scopes of their own (functions, comprehensions) set nothing outside."""

    read: set[str] = field(default_factory=set[str])
    assigned: set[str] = field(default_factory=set[str])
    depth: int = 0
    globals: set[str] = field(default_factory=set[str])

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read.add(node.id)
        elif self.depth == 0 or node.id in self.globals:
            self.assigned.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.read.add(node.target.id)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._inside(node.target)
        for part in (node.iter, *node.body, *node.orelse):
            self.visit(part)

    def visit_withitem(self, node: ast.withitem) -> None:
        self.visit(node.context_expr)
        if node.optional_vars is not None:
            self._inside(node.optional_vars)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inside(node)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._inside(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._inside(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._inside(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._inside(node)

    def _inside(self, node: ast.AST) -> None:
        self.depth += 1
        if isinstance(node, ast.Name):
            self.visit_Name(node)
        else:
            self.generic_visit(node)
        self.depth -= 1
