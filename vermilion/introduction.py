"""What ``make run`` prints when it is ready: where to look, who can sign in, what waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.identity import Actor, NewPerson
from engine.runtime.views import TaskSummary
from vermilion.people import DEMO_PASSWORD

_MOST_TASKS = 3


def introduce(
    tell: Callable[[str], None],
    *,
    url: str,
    sandbox: Mapping[str, str],
    people: Sequence[NewPerson],
    waiting: Sequence[tuple[Actor, TaskSummary]],
) -> None:
    """Say where to look first, who can sign in, and what waits for whom; short, however much waits."""
    tell(f"Open this page: {url}/")
    tell("It says who can sign in, what waits, and leads from the shortage to the requisition in five steps.\n")
    tell(f"Everybody's password is {DEMO_PASSWORD}. Logins:")
    tell("  " + ", ".join(f"{each.login} ({each.name})" for each in people) + "\n")
    for line in _waiting_lines(url, waiting):
        tell(line)
    tell("")
    for name, address in sandbox.items():
        tell(f"The sandbox {name.upper()}'s page: {address}/")
    tell(f"The API:                {url}/api/v1/openapi.json")
    tell("\nStop here with Ctrl-C.")


def _waiting_lines(url: str, waiting: Sequence[tuple[Actor, TaskSummary]]) -> Iterator[str]:
    if not waiting:
        yield "Nothing waits for anybody. What there is stands under Work, for example for zhao."
    for actor, task in waiting[:_MOST_TASKS]:
        yield f"{task.label} ({task.business_key}) waits for {actor.name}:"
        yield f"  {url}/tasks/{task.task_id}"
    if len(waiting) > _MOST_TASKS:
        yield f"More waits: {len(waiting) - _MOST_TASKS} further tasks stand in the inboxes."
