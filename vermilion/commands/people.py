"""``vermilion people`` and ``vermilion token``."""

from __future__ import annotations

from datetime import timedelta

import click

from engine.contract.ids import PersonId
from engine.identity import list_people
from engine.store.statements import FIRST
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import print_table, say

_MOST = 200


@click.command("people")
@with_shared
def people_command(shared: Shared) -> None:
    """List who there is, with roles and groups."""
    with shared.installation() as here:
        with here.store.reading() as session:
            people = list_people(session, here.tenant_id, after=PersonId(FIRST), limit=_MOST)
        print_table(
            ("login", "name", "roles", "groups"),
            [(each.login, each.name, ", ".join(each.roles), ", ".join(each.groups)) for each in people],
        )


@click.command("token")
@click.argument("login")
@click.option("--name", default="command line", help="What the token is for.")
@click.option("--days", type=click.IntRange(min=1), default=90, show_default=True, help="How long it signs in.")
@with_shared
def token_command(shared: Shared, login: str, name: str, days: int) -> None:
    """Make a bearer token for a person and print it: this once, it cannot be shown again."""
    with shared.installation() as here:
        say(here.new_token(login, name, timedelta(days=days)))
