"""Deterministic rules: pure operations that compute, check and compare; none of them reaches outside."""

from __future__ import annotations
