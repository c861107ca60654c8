"""Why something went wrong, in words: what an incident is about, and the rule that a case broke."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.runtime.views import InstanceView
from web.texts.language import current_language, gettext

_CAUSES: Mapping[str, Callable[[], str]] = {
    "worker_lost": lambda: gettext("The program that did the step disappeared"),
    "outcome_unknown": lambda: gettext("Nobody knows whether the document exists"),
    "retries_exhausted": lambda: gettext("It was tried too often"),
    "failed": lambda: gettext("The process failed"),
    "no_permission": lambda: gettext("A permission is missing"),
    "bad_parameters": lambda: gettext("The other system does not take what it was given"),
    "rule_broken": lambda: gettext("A rule does not allow it"),
    "not_final": lambda: gettext("It ended without a result"),
    "illegal_transition": lambda: gettext("What came does not fit how it stands"),
}


def cause_word(code: str) -> str:
    """Return what an incident is about, by its code."""
    found = _CAUSES.get(code)
    return found() if found is not None else code.replace("_", " ").capitalize()


def broken_rules(view: InstanceView) -> tuple[str, ...]:
    """Return the rules that a case broke, each as the sentence that the rule itself gave."""
    said: list[str] = []
    for value in view.variables.values():
        if not isinstance(value, Mapping) or not value.get("broken_rule"):
            continue
        reason = value.get("reason")
        language = "zh" if current_language() == "zh" else "en"
        in_words = reason.get(language) or reason.get("en") if isinstance(reason, Mapping) else reason
        said.append(str(in_words or value["broken_rule"]))
    return tuple(said)
