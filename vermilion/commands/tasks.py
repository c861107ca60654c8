"""``vermilion tasks`` and ``vermilion decide``."""

from __future__ import annotations

from pathlib import Path

import click

from engine.contract.ids import EventId, TaskId
from engine.runtime.commands import DecideRequest
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import moment, print_json, print_table, say
from vermilion.commands.variables import HEX_ID, parse_settings, read_values


@click.command("tasks")
@click.option("--as", "login", required=True, help="Whose inbox.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True)
@with_shared
def tasks_command(shared: Shared, login: str, limit: int, as_json: bool) -> None:
    """List what waits for somebody's decision."""
    with shared.installation() as here:
        page = here.runtime.tasks(here.actor(login), limit=limit)
    if as_json:
        print_json(page)
        return
    if not page.items:
        say(f"Nothing waits for {login}. A task appears here as soon as a process needs a decision from this person.")
        return
    print_table(
        ("task", "what", "process", "business key", "role", "since", "due"),
        [
            (
                each.task_id,
                each.label,
                each.workflow_type,
                each.business_key,
                each.role,
                moment(each.opened_at),
                moment(each.due_at),
            )
            for each in page.items
        ],
    )


@click.command("decide")
@click.argument("task_id", type=HEX_ID)
@click.option("--as", "login", required=True, help="Who decides.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A field of the form.")
@click.option("--input", "file", type=click.Path(path_type=Path, dir_okay=False), help="The form's values as JSON.")
@click.option("--event-id", help="Makes a repeat of this very decision harmless for ever.")
@with_shared
def decide_command(
    shared: Shared, task_id: str, login: str, settings: tuple[str, ...], file: Path | None, event_id: str | None
) -> None:
    """Decide a task on the facts as they are shown now. Without values it shows the task and its form."""
    values = {**(read_values(file) if file is not None else {}), **parse_settings(settings)}
    with shared.installation() as here:
        actor = here.actor(login)
        task = here.runtime.task(actor, TaskId(task_id))
        if not values:
            print_json(task)
            return
        request = DecideRequest(
            task_id=task.task_id,
            values=values,
            bound_digest=task.bound_digest,
            workflow_id=task.workflow_id,
            event_id=EventId(event_id) if event_id is not None else None,
        )
        print_json(here.runtime.decide(actor, request))
