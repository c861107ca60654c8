"""The JSON API: what programs see."""

from __future__ import annotations
