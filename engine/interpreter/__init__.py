"""Runs processes on SpiffWorkflow, corrected: state and one happening in, state and waits out. Pure."""

from __future__ import annotations

from engine.interpreter.interpreter import Interpreter
from engine.interpreter.limits import Limits

__all__ = ["Interpreter", "Limits"]
