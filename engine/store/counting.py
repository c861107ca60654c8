"""What a stretch of work cost the database, by name: for tests and measurements."""

from __future__ import annotations

from collections import Counter


class Counts:
    """What drivers were asked to do while this was open, over all threads of one store.

    ``by_name`` counts statements by their name, clock reads included; a statement run for many parameter sets is one
    statement and that many ``executions``. BEGIN, COMMIT and ROLLBACK are no statements; ``rollbacks`` are the ends of
    readings and of writings that failed.
    """

    def __init__(self) -> None:
        self.by_name: Counter[str] = Counter()
        self.executions = 0
        self.commits = 0
        self.rollbacks = 0

    @property
    def statements(self) -> int:
        """Return how many statements ran."""
        return self.by_name.total()

    def __getitem__(self, name: str) -> int:
        return self.by_name[name]

    def __repr__(self) -> str:
        return f"<Counts {self.statements} statements, {self.commits} commits, {dict(self.by_name)}>"
