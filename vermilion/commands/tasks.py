"""``vermilion tasks`` and ``vermilion decide``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from engine.contract.ids import EventId, TaskId
from engine.interpreter.values import Value
from engine.runtime.commands import DecideRequest
from engine.runtime.views import TaskView
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import moment, plain, print_json, print_table, say
from vermilion.commands.variables import HEX_ID, parse_settings, read_values

#: Entries of a list that are shown.
_ENTRIES = 5


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
@click.option("--json", "as_json", is_flag=True, help="Show the task as one JSON document.")
@with_shared
def decide_command(
    shared: Shared,
    task_id: str,
    login: str,
    settings: tuple[str, ...],
    file: Path | None,
    event_id: str | None,
    as_json: bool,
) -> None:
    """Decide a task on the facts as they are shown now. Without values it shows the task and its form."""
    values = {**(read_values(file) if file is not None else {}), **parse_settings(settings)}
    with shared.installation() as here:
        actor = here.actor(login)
        task = here.runtime.task(actor, TaskId(task_id))
        if not values:
            print_json(task) if as_json else _say_task(task)
            return
        request = DecideRequest(
            task_id=task.task_id,
            values=values,
            bound_digest=task.bound_digest,
            workflow_id=task.workflow_id,
            event_id=EventId(event_id) if event_id is not None else None,
        )
        print_json(here.runtime.decide(actor, request))


def _say_task(task: TaskView) -> None:
    say(f"{task.label} ({task.workflow_type} {task.business_key or ''}), for {task.role_title or task.role}")
    say(f"open since {moment(task.opened_at)}, due {moment(task.due_at) or 'at no fixed time'}")
    say("\nFacts, as business systems, rules and people stated them:")
    _say_values(task.facts)
    if task.suggestions:
        say("\nSuggestions, which nobody has accepted:")
        _say_values(task.suggestions)
    if task.decision is not None:
        say(f"\nDecided by {task.decision.name} on {moment(task.decision.decided_at)}:")
        _say_values(task.decision.values)
        return
    if task.why_not is not None:
        say(f"\nYou may not decide it: {task.why_not}")
        return
    say("\nTo decide, give with --set:")
    for field in task.form.components if task.form is not None else ():
        if field.key:
            choices = ", one of " + ", ".join(option.value for option in field.options) if field.options else ""
            hidden = ", asked for in some cases only" if field.hidden_when else ""
            needed = ", required" if field.is_required else ""
            say(f"  {field.key}: {field.label}{choices}{needed}{hidden}")


def _say_values(values: Mapping[str, Value], indent: str = "  ") -> None:
    """Print values by their path, one a line; a list by its length and its first entries."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            say(f"{indent}{name}:")
            _say_values(value, indent + "  ")
        elif isinstance(value, list | tuple):
            say(f"{indent}{name}: {len(value)} entries")
            for each in value[:_ENTRIES]:
                say(f"{indent}  - {plain(each)}")
        else:
            say(f"{indent}{name}: {plain(value)}")
