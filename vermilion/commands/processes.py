"""``vermilion deploy`` and ``vermilion start``."""

from __future__ import annotations

from pathlib import Path

import click

from engine.contract.ids import BusinessKey, WorkflowType
from engine.runtime.commands import StartRequest
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import print_json, say
from vermilion.commands.variables import read_values
from vermilion.people import DEPLOYER_LOGIN


@click.command("deploy")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--as", "login", default=DEPLOYER_LOGIN, show_default=True, help="In whose name.")
@with_shared
def deploy_command(shared: Shared, folder: Path, login: str) -> None:
    """Deploy a process folder: checked first, refused whole when anything is wrong."""
    with shared.installation() as here:
        version = here.deploy(here.actor(login), folder)
    what = "Deployed" if version.is_new else "Already deployed:"
    say(f"{what} {version.workflow_type} version {version.number} ({version.digest[:12]}).")


@click.command("start")
@click.argument("key")
@click.option("--input", "file", type=click.Path(path_type=Path, dir_okay=False), help="A JSON object of variables.")
@click.option("--business-key", help="Left out: the process's own expression gives it, if it has one.")
@click.option("--as", "login", required=True, help="Who starts it.")
@with_shared
def start_command(shared: Shared, key: str, file: Path | None, business_key: str | None, login: str) -> None:
    """Start the process KEY, or show the instance that holds its business key already."""
    request = StartRequest(
        workflow_type=WorkflowType(key),
        variables=read_values(file) if file is not None else {},
        business_key=BusinessKey(business_key) if business_key is not None else None,
    )
    with shared.installation() as here:
        print_json(here.runtime.start(here.actor(login), request))
