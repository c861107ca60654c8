"""``vermilion people``, ``add-person``, ``change-person``, ``password``, ``token`` and ``tokens``."""

from __future__ import annotations

import secrets
from datetime import timedelta

import click

from engine.identity import NewPerson, Role
from engine.runtime.people import PersonChange
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import moment, print_table, say
from vermilion.commands.variables import HEX_ID
from vermilion.people import DEPLOYER_LOGIN

#: Bytes of a password that is made up.
_RANDOM_BYTES = 18


@click.command("people")
@with_shared
def people_command(shared: Shared) -> None:
    """List who there is, with roles and groups."""
    with shared.installation() as here:
        people = here.runtime.people(here.actor(DEPLOYER_LOGIN))
        print_table(
            ("login", "name", "roles", "groups", ""),
            [
                (
                    each.login,
                    each.name,
                    ", ".join(each.roles),
                    ", ".join(each.groups),
                    "" if each.is_active else "barred",
                )
                for each in people
            ],
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


@click.command("change-person")
@click.argument("login")
@click.option("--name", help="What to call the person.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=click.Choice([each.value for each in Role]),
    help="What the person may do from now on, instead of before; give it again for more.",
)
@click.option("--group", "groups", multiple=True, help="A group of the person from now on, instead of before.")
@click.option("--no-groups", is_flag=True, help="The person is in no group any more.")
@click.option("--language", type=click.Choice(["en", "zh"]))
@click.option("--active/--barred", "is_active", default=None, help="Whether the person may sign in.")
@with_shared
def change_person_command(
    shared: Shared,
    login: str,
    name: str | None,
    roles: tuple[str, ...],
    groups: tuple[str, ...],
    no_groups: bool,
    language: str | None,
    is_active: bool | None,
) -> None:
    """Change a person; what is left out stays. A barred person's tokens sign in no more."""
    change = PersonChange(
        name=name,
        language=language,
        roles=roles or None,
        groups=() if no_groups else groups or None,
        is_active=is_active,
    )
    with shared.installation() as here:
        person = here.runtime.change_person(here.actor(DEPLOYER_LOGIN), login, change)
    held = f"roles {', '.join(person.roles)}; groups {', '.join(person.groups) or 'none'}"
    say(f"{person.name} ({person.login}): {held}{'' if person.is_active else '; barred'}.")


@click.command("password")
@click.argument("login")
@click.option("--generate", is_flag=True, help="Make one up and print it, this once.")
@with_shared
def password_command(shared: Shared, login: str, generate: bool) -> None:
    """Give a person a password for the pages; their open sessions end."""
    password = secrets.token_urlsafe(_RANDOM_BYTES) if generate else _asked_password()
    with shared.installation() as here:
        here.runtime.set_password(here.actor(DEPLOYER_LOGIN), login, password)
    say(password if generate else f"The password of {login} is set.")


def _asked_password() -> str:
    return str(click.prompt("New password", hide_input=True, confirmation_prompt="The same once more"))


@click.command("token")
@click.argument("login", required=False)
@click.option("--name", default="command line", help="What the token is for.")
@click.option("--days", type=click.IntRange(min=1), default=90, show_default=True, help="How long it signs in.")
@click.option("--revoke", "revoked", type=HEX_ID, help="End this token instead; `vermilion tokens LOGIN` lists them.")
@with_shared
def token_command(shared: Shared, login: str | None, name: str, days: int, revoked: str | None) -> None:
    """Make a bearer token for a person and print it: this once, it cannot be shown again. Or end one."""
    if (login is None) == (revoked is None):
        raise click.UsageError("Give either the LOGIN that gets a token, or --revoke with a token's id.")
    with shared.installation() as here:
        if revoked is not None:
            here.runtime.revoke_token(here.actor(DEPLOYER_LOGIN), revoked)
            say(f"The token {revoked} signs in no more.")
        elif login is not None:
            say(here.new_token(login, name, timedelta(days=days)))


@click.command("tokens")
@click.argument("login")
@with_shared
def tokens_command(shared: Shared, login: str) -> None:
    """List a person's tokens, without their secrets."""
    with shared.installation() as here:
        found = here.runtime.tokens(here.actor(DEPLOYER_LOGIN), login)
    print_table(
        ("id", "for", "made", "until", "revoked"),
        [
            (each.token_id, each.name, moment(each.created_at), moment(each.expires_at), moment(each.revoked_at))
            for each in found
        ],
    )
