"""The built-in functions of FEEL (DMN 1.5, 10.3.4); importing this package makes all of them known."""

from __future__ import annotations

from engine.feel.builtin import contexts, conversion, intervals, lists, numeric, strings, temporals
from engine.feel.builtin.registry import BUILTINS

__all__ = ["BUILTINS", "contexts", "conversion", "intervals", "lists", "numeric", "strings", "temporals"]
