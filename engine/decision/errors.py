"""Why a DMN file is not taken, and why a decision gives no value."""

from __future__ import annotations


class DecisionError(Exception):
    """The decision cannot be used."""


class DecisionRefused(DecisionError):
    """The file cannot be run exactly as it was drawn.

    ``path`` names the file, ``element_id`` the element at fault (empty for the file as a whole), ``reason`` what is
    wrong there, ``remedy`` what to change.
    """

    def __init__(self, path: str, element_id: str, reason: str, remedy: str) -> None:
        self.path = path
        self.element_id = element_id
        self.reason = reason
        self.remedy = remedy
        where = f"{path}, {element_id}" if element_id else path
        super().__init__(f"{where}: {reason}. {remedy}")


class UnknownDecision(DecisionError):
    """The file has no decision with this id or name."""

    def __init__(self, path: str, decision: str) -> None:
        self.path = path
        self.decision = decision
        super().__init__(f"{path} has no decision {decision!r}.")


class DecisionFailed(DecisionError):
    """The values given bring a decision table into a state that its hit policy or its allowed values exclude.

    ``table`` is the table's id; ``rules`` are the numbers of the rules concerned, counted from 1.
    """

    def __init__(self, table: str, rules: tuple[int, ...], reason: str) -> None:
        self.table = table
        self.rules = rules
        self.reason = reason
        super().__init__(f"Decision table {table}: {reason}.")
