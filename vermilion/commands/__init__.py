"""The commands of the command line, one module per group."""

from __future__ import annotations
