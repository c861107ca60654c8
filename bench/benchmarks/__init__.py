"""The benchmarks, a module each."""

from __future__ import annotations
