"""What all commands share: where the settings are, and whether to print JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from engine.identity import LoginTaken, NotSignedIn, PasswordRefused, PermissionDenied, UnknownRole
from engine.model import DefinitionRefused
from engine.runtime.errors import Refused
from engine.store import StoreError
from vermilion.commands.output import Mistake
from vermilion.company_process import CompanyFailed
from vermilion.demonstration import DemonstrationStuck
from vermilion.hosting import PortTaken
from vermilion.installation import Installation, NotAProcessFolder
from vermilion.own_operations import OperationsNotLoaded
from vermilion.settings import Settings, SettingsRefused, load_settings
from vermilion.workplace import FolderRefused

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: Refusals whose text is a sentence for a person.
_SENTENCES = (
    CompanyFailed,
    DefinitionRefused,
    DemonstrationStuck,
    FolderRefused,
    LoginTaken,
    NotAProcessFolder,
    NotSignedIn,
    OperationsNotLoaded,
    PasswordRefused,
    PermissionDenied,
    PortTaken,
    Refused,
    SettingsRefused,
    StoreError,
    UnknownRole,
)


@dataclass(frozen=True, kw_only=True)
class Shared:
    """The options before the command's name."""

    settings_file: Path | None

    def settings(self) -> Settings:
        """Read the settings. Raises SettingsRefused."""
        return load_settings(self.settings_file)

    def installation(self) -> Installation:
        """Build what the settings describe. Raises SettingsRefused."""
        return Installation(self.settings())


def with_shared(
    command: Callable[Concatenate[Shared, Parameters], Result],
) -> Callable[Parameters, Result]:
    """Give a command the shared options, and turn refusals into sentences."""

    @click.pass_obj
    @wraps(command)
    def wrapped(shared: Any, *arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        try:
            return command(shared, *arguments, **options)
        except _SENTENCES as refusal:
            raise Mistake(str(refusal)) from refusal

    return wrapped
