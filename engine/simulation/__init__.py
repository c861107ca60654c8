"""Plays a process without touching anything: own store, a clock that is moved, operations that answer as scripted."""

from __future__ import annotations

from engine.simulation.play import Simulation

__all__ = ["Simulation"]
