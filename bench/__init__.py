"""Measurements of Vermilion: what its budgets say, counted and timed on real databases."""

from __future__ import annotations
