"""What runs a process: eleven rooms, from the expression language up to the workers."""

from __future__ import annotations
