"""Dice that shorten a test without touching time."""

from __future__ import annotations

import random


class NoPause(random.Random):
    """Draws nought: a pause with full jitter is then none at all; what a system asks for by Retry-After stays."""

    def random(self) -> float:
        """Return nought."""
        return 0.0
