"""The command line: ``vermilion COMMAND``."""

from __future__ import annotations

from pathlib import Path

import click

from vermilion.commands.check import check_command
from vermilion.commands.context import Shared
from vermilion.commands.demo import demo_command
from vermilion.commands.instances import cancel_command, instances_command, repair_command, show_command
from vermilion.commands.people import (
    add_person_command,
    change_person_command,
    password_command,
    people_command,
    token_command,
    tokens_command,
)
from vermilion.commands.processes import deploy_command, start_command
from vermilion.commands.servers import run_command, serve_command, worker_command
from vermilion.commands.tasks import decide_command, tasks_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file; left out: VERMILION_SETTINGS, or .data/vermilion.toml.",
)
@click.pass_context
def main(context: click.Context, settings_file: Path | None) -> None:
    """BPMN workflows where an AI proposes, people approve, and business systems execute.

    Exit codes: 0 done; 1 refused, the sentence says why; 2 the command was not understood; 3 what was run ended
    otherwise than it should have.
    """
    context.obj = Shared(settings_file=settings_file)


for _command in (
    run_command,
    serve_command,
    worker_command,
    deploy_command,
    check_command,
    start_command,
    instances_command,
    tasks_command,
    decide_command,
    show_command,
    cancel_command,
    repair_command,
    people_command,
    add_person_command,
    change_person_command,
    password_command,
    token_command,
    tokens_command,
    demo_command,
):
    main.add_command(_command)


if __name__ == "__main__":
    main()
