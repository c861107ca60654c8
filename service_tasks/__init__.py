"""The operations that service tasks call: AI, business systems and rules, each declared with its contract."""

from __future__ import annotations
