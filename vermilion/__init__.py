"""The composition root and the command line: builds everything from settings; nobody imports it."""

from __future__ import annotations
