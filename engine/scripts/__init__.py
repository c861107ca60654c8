"""Runs the Python of script tasks in a sandbox; handed to the interpreter as an argument."""

from __future__ import annotations

from engine.scripts.monty_scripts import MontyScripts

__all__ = ["MontyScripts"]
