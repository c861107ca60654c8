"""What people do in a browser, with and without scripts, on phones and on desks."""

from __future__ import annotations
