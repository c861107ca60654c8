"""FEEL, the expression language of DMN 1.5, on decimal numbers."""

from __future__ import annotations

from engine.feel.errors import FeelError, FeelLimitExceeded, FeelSyntaxError, Reason
from engine.feel.expression import Expression, UnaryTests, compile_expression, compile_unary_tests
from engine.feel.run import Run
from engine.feel.types import Type, conforms, simple_type
from engine.feel.values import Function, Range, Value, YearMonthDuration, kind
from engine.feel.writing import text_of

__all__ = [
    "Expression",
    "FeelError",
    "FeelLimitExceeded",
    "FeelSyntaxError",
    "Function",
    "Range",
    "Reason",
    "Run",
    "Type",
    "UnaryTests",
    "Value",
    "YearMonthDuration",
    "compile_expression",
    "compile_unary_tests",
    "conforms",
    "kind",
    "simple_type",
    "text_of",
]
