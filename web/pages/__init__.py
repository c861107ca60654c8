"""What people see: pages that work without JavaScript, in the reader's language."""

from __future__ import annotations
