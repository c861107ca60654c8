"""``vermilion people``, ``add-person`` and ``token``."""

from __future__ import annotations

from datetime import timedelta

import click

from engine.identity import NewPerson, Role
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import print_table, say
from vermilion.people import DEPLOYER_LOGIN


@click.command("people")
@with_shared
def people_command(shared: Shared) -> None:
    """List who there is, with roles and groups."""
    with shared.installation() as here:
        people = here.runtime.people(here.actor(DEPLOYER_LOGIN))
        print_table(
            ("login", "name", "roles", "groups"),
            [(each.login, each.name, ", ".join(each.roles), ", ".join(each.groups)) for each in people],
        )


@click.command("add-person")
@click.argument("login")
@click.option("--name", required=True, help="What to call the person.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice([each.value for each in Role]),
    help="What the person may do; give it again for more.",
)
@click.option(
    "--group", "groups", multiple=True, help="A group that process.yaml maps roles to; give it again for more."
)
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@with_shared
def add_person_command(
    shared: Shared, login: str, name: str, roles: tuple[str, ...], groups: tuple[str, ...], language: str
) -> None:
    """Add a person who may start, decide or mend, by roles and groups."""
    new = NewPerson(login=login, name=name, roles=roles, groups=groups, language=language)
    with shared.installation() as here:
        person = here.runtime.add_person(here.actor(DEPLOYER_LOGIN), new)
    say(f"Added {person.name} ({person.login}).")


@click.command("token")
@click.argument("login")
@click.option("--name", default="command line", help="What the token is for.")
@click.option("--days", type=click.IntRange(min=1), default=90, show_default=True, help="How long it signs in.")
@with_shared
def token_command(shared: Shared, login: str, name: str, days: int) -> None:
    """Make a bearer token for a person and print it: this once, it cannot be shown again."""
    with shared.installation() as here:
        say(here.new_token(login, name, timedelta(days=days)))
