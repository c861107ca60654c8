"""Tests of the measurements, and the budgets that can be held as counts."""

from __future__ import annotations
