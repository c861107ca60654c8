"""Words for what the engine names by codes: how an instance stands, what became of a step, a call or a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from web.texts.language import gettext

#: How an instance or a step stands, by its code: the kind that pages colour, and the word.
_STANDINGS: Mapping[str, Callable[[], str]] = {
    "running": lambda: gettext("running"),
    "waiting": lambda: gettext("waiting"),
    "done": lambda: gettext("done"),
    "stopped": lambda: gettext("stopped"),
    "failed": lambda: gettext("failed"),
    "attention": lambda: gettext("needs an operator"),
}
_STEPS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "pending": ("waiting", lambda: gettext("waiting")),
    "running": ("running", lambda: gettext("running")),
    "succeeded": ("done", lambda: gettext("done")),
    "retry_wait": ("attention", lambda: gettext("trying again")),
    "failed": ("failed", lambda: gettext("failed")),
    "unknown": ("attention", lambda: gettext("outcome unknown")),
    "skipped": ("stopped", lambda: gettext("left out")),
}
_DOCUMENTS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "sent": ("running", lambda: gettext("under way")),
    "unknown": ("attention", lambda: gettext("outcome unknown")),
    "done": ("done", lambda: gettext("stands in the system")),
    "absent": ("stopped", lambda: gettext("does not exist")),
    "compensated": ("stopped", lambda: gettext("undone")),
}
_CALLS: Mapping[str, Callable[[], str]] = {
    "done": lambda: gettext("answered"),
    "found": lambda: gettext("found"),
    "absent": lambda: gettext("not found"),
    "refused": lambda: gettext("refused"),
    "failed": lambda: gettext("failed"),
    "retried": lambda: gettext("failed, tried again"),
    "unknown": lambda: gettext("no answer"),
}


def standing_word(code: str) -> str:
    """Return how an instance stands, in a word."""
    found = _STANDINGS.get(code)
    return found() if found is not None else code


def step_word(code: str) -> tuple[str, str]:
    """Return the kind and the word for the status of a step."""
    kind, found = _STEPS.get(code, ("waiting", lambda: code))
    return kind, found()


def document_word(code: str) -> tuple[str, str]:
    """Return the kind and the word for what is known of a document."""
    kind, found = _DOCUMENTS.get(code, ("waiting", lambda: code))
    return kind, found()


def call_word(code: str | None) -> str:
    """Return what became of a call."""
    if code is None:
        return gettext("no answer yet")
    found = _CALLS.get(code)
    return found() if found is not None else code.replace("_", " ")
