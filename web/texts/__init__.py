"""What pages say, in the reader's language."""

from __future__ import annotations
