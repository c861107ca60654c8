"""``vermilion demo``: one purchase from the shortage to the requisition, headless."""

from __future__ import annotations

import sys

import click

from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import FAILED, Mistake, moment, print_json, print_table, progress, say
from vermilion.demonstration import Fault, Play, Played, play
from vermilion.logs import log_to_stderr

_SUCCEEDED = "SUCCEEDED"


@click.command("demo")
@click.option("--material", default="MAT-001", show_default=True, help="Which material runs short.")
@click.option("--fault", "faults", multiple=True, metavar="OPERATION:NAME=COUNT", help="Arm a fault of the sandbox.")
@click.option("--no-keys", is_flag=True, help="Play an ERP that knows no idempotency keys.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--verbose", is_flag=True, help="Log every step on the error stream.")
@with_shared
def demo_command(
    _shared: Shared, material: str, faults: tuple[str, ...], no_keys: bool, as_json: bool, verbose: bool
) -> None:
    """Play a purchase in a temporary database and sandbox company, deciding as the demo manager.

    Exit code 0: SUCCEEDED. 3: it ended otherwise, or a person has to go on; the output says which.
    """
    log_to_stderr(is_verbose=verbose)
    what = Play(material_id=material, faults=tuple(_parse_fault(each) for each in faults), keys_on=not no_keys)
    played = play(what, progress if as_json else say)
    if as_json:
        print_json(played)
    else:
        _say_played(played)
    if played.status != _SUCCEEDED:
        sys.exit(FAILED)


def _parse_fault(text: str) -> Fault:
    """Read ``OPERATION:NAME=COUNT``. Raises Mistake."""
    operation, _, rest = text.partition(":")
    name, _, count = rest.partition("=")
    if not (operation and name and count.isdigit()):
        raise Mistake(f"`{text}` is not OPERATION:NAME=COUNT, like create_requisition:cut_after=2.")
    return Fault(operation=operation, name=name, count=int(count))


def _say_played(played: Played) -> None:
    print_table(
        ("when", "step", "event"),
        [(moment(each["time"]), each["step"] or "", each["event"]) for each in played.timeline],
    )
    say(f"\n{played.status} after {played.seconds} s.")
    for document in played.erp_documents:
        say(f"In the ERP: {document['number']}, {document['quantity']} of {document['material_id']}.")
    for each in played.waiting_for:
        say(f"Waits for {each}")
