"""``vermilion instances``, ``show``, ``cancel`` and ``repair``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from engine.contract.ids import ApprovalId, WorkflowId
from engine.runtime import InstanceFilter
from engine.runtime.commands import CancelRequest, RepairRequest
from engine.runtime.views import InstanceView
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import moment, plain, print_json, print_table, say
from vermilion.commands.variables import HEX_ID, parse_settings, read_text
from vermilion.people import DEPLOYER_LOGIN


@click.command("instances")
@click.option("--process", help="Only of this process.")
@click.option("--status", help="Only in this business status.")
@click.option("--state", type=click.Choice(["running", "waiting", "paused", "incident", "finished"]))
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)
@click.option("--as", "login", default=DEPLOYER_LOGIN, show_default=True, help="Who asks.")
@click.option("--json", "as_json", is_flag=True)
@with_shared
def instances_command(
    shared: Shared, process: str | None, status: str | None, state: str | None, limit: int, login: str, as_json: bool
) -> None:
    """List instances, the newest first."""
    wanted = InstanceFilter(workflow_type=process, business_status=status, execution_state=state)
    with shared.installation() as here:
        actor = here.actor(login)
        page = here.runtime.instances(actor, wanted, limit=limit)
        found = () if page.items or process is None else here.runtime.processes(actor)
    known: list[str] = sorted(each.workflow_type for each in found)
    if process is not None and not page.items and process not in known:
        names = ", ".join(known) or "none"
        raise click.UsageError(f'There is no process "{process}". Those there are: {names}.')
    if as_json:
        print_json(page)
        return
    if not page.items:
        say("No instance. `vermilion start KEY --as LOGIN` or an event starts one.")
        return
    print_table(
        ("id", "process", "business key", "status", "state", "at", "since"),
        [
            (
                each.workflow_id,
                each.workflow_type,
                each.business_key,
                each.business_status,
                each.execution_state,
                each.current_label,
                moment(each.updated_at),
            )
            for each in page.items
        ],
    )


@click.command("show")
@click.argument("workflow_id", type=HEX_ID)
@click.option("--as", "login", default=DEPLOYER_LOGIN, show_default=True, help="Who asks.")
@click.option("--json", "as_json", is_flag=True)
@with_shared
def show_command(shared: Shared, workflow_id: str, login: str, as_json: bool) -> None:
    """Show everything about an instance: what happened, what it waits for, its documents and incidents."""
    with shared.installation() as here:
        view = here.runtime.instance(here.actor(login), WorkflowId(workflow_id))
        names: dict[str, str] = {each.person_id: each.name for each in here.runtime.people(here.actor(DEPLOYER_LOGIN))}
    if as_json:
        print_json(view)
    else:
        _say_instance(view, names)


def _say_instance(view: InstanceView, names: Mapping[str, str]) -> None:
    decided = {each.approval_id: each.values for each in view.decisions}
    say(f"{view.workflow_type} version {view.definition_number}, business key {view.business_key or 'none'}")
    say(f"status {view.business_status or 'none'}, {view.execution_state}, started {moment(view.created_at)}")
    say("\nWhat happened:")
    print_table(
        ("when", "event", "step", "who", "detail"),
        [
            (
                moment(each.at),
                each.event,
                each.label,
                names.get(each.actor, each.actor),
                _brief({**each.detail, **decided.get(ApprovalId(each.ids.get("approval_id", "")), {})}),
            )
            for each in view.timeline
        ],
    )
    if view.waits:
        say("\nIt waits for:")
        print_table(("kind", "step", "detail"), [(each.kind, each.label, _brief(each.detail)) for each in view.waits])
    if view.documents:
        say("\nDocuments:")
        print_table(
            ("system", "operation", "state", "key", "result"),
            [(each.system, each.operation, each.state, each.sent_key, _brief(each.result)) for each in view.documents],
        )
    open_incidents = [each for each in view.incidents if each.closed_at is None]
    if open_incidents:
        say("\nFor an operator:")
        for each in open_incidents:
            say(f"  {each.incident_id}  {each.code}: {each.message}")


def _brief(value: Any) -> str:
    return plain(value)[:160]


@click.command("cancel")
@click.argument("workflow_id", type=HEX_ID)
@click.option("--reason", required=True)
@click.option("--as", "login", required=True, help="Who cancels.")
@with_shared
def cancel_command(shared: Shared, workflow_id: str, reason: str, login: str) -> None:
    """Cancel an instance, with a reason that the audit trail keeps."""
    request = CancelRequest(workflow_id=WorkflowId(workflow_id), reason=reason)
    with shared.installation() as here:
        print_json(here.runtime.cancel(here.actor(login), request))


@click.command("repair")
@click.argument("workflow_id", type=HEX_ID)
@click.option("--incident", "incident_id", type=HEX_ID, help="The incident; left out, the instance's only open one.")
@click.option("--found", "document", type=click.Path(path_type=Path, dir_okay=False), help="The document, as JSON.")
@click.option("--absent", is_flag=True, help="The unknown outcome was looked up by hand: there is no document.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Correct a variable.")
@click.option("--status", help="For a failed instance: the status to move to.")
@click.option("--reason", required=True)
@click.option("--as", "login", required=True, help="Who mends: somebody with the role operator.")
@with_shared
def repair_command(
    shared: Shared,
    workflow_id: str,
    incident_id: str | None,
    document: Path | None,
    absent: bool,
    settings: tuple[str, ...],
    status: str | None,
    reason: str,
    login: str,
) -> None:
    """Apply again what an incident kept, retry a parked job, or say what became of an unknown outcome."""
    request = RepairRequest(
        workflow_id=WorkflowId(workflow_id),
        incident_id=incident_id,
        resolution="found" if document is not None else "absent" if absent else None,
        document=read_text(document) if document is not None else None,
        values=parse_settings(settings),
        status=status,
        reason=reason,
    )
    with shared.installation() as here:
        print_json(here.runtime.repair(here.actor(login), request))
