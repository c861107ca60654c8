"""A page's address, and the view that answers there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Response


@dataclass(frozen=True, kw_only=True)
class PageRoute:
    """One page. Its endpoint is ``pages.<name>``.

    ``is_public``: also for those who are not signed in; every other page asks for sign-in first.
    """

    path: str
    name: str
    view: Callable[..., Response]
    methods: tuple[str, ...] = ("GET",)
    is_public: bool = False

    @property
    def rule(self) -> dict[str, Any]:
        """Return what Flask's ``add_url_rule`` takes."""
        return {"rule": self.path, "endpoint": self.name, "view_func": self.view, "methods": list(self.methods)}
