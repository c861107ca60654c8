"""Forms on pages: what is shown in them, what a person types, and what was wrong with it."""

from __future__ import annotations

from web.forms.rendered import RenderedForm, render_form
from web.forms.submission import field_errors, submitted_values

__all__ = ["RenderedForm", "field_errors", "render_form", "submitted_values"]
