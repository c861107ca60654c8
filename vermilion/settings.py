"""Settings: one frozen object, read once when a process starts, from a TOML file and ``VERMILION_*`` variables."""

from __future__ import annotations

import base64
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from engine.contract.connection import RepeatRecognition

#: Where ``make run`` keeps its data, relative to the folder it is started in.
DATA_FOLDER = Path(".data")
SETTINGS_FILE = "vermilion.toml"
#: Standard Webhooks asks for 24 bytes at least.
_SHORTEST_SECRET = 24


class SettingsRefused(Exception):
    """The settings cannot be used. The message names the entry and what it must be."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SystemSettings(_Part):
    """How to reach one business system; each entry means what it means in ``Connection``."""

    base_url: str
    token: SecretStr
    recognition: RepeatRecognition = RepeatRecognition.NATIVE_KEY
    search_is_complete: bool = False
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    rate_per_second: Annotated[float, Field(gt=0)] | None = None
    refusals: frozenset[Annotated[int, Field(ge=500, le=599)]] = frozenset()


def _signing_secret(value: SecretStr) -> SecretStr:
    """Refuse what is no secret of Standard Webhooks; the library would read over characters that are no base64."""
    text = value.get_secret_value().removeprefix("whsec_")
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        decoded = b""
    if len(decoded) < _SHORTEST_SECRET:
        raise ValueError(
            f"a secret is base64 of at least {_SHORTEST_SECRET} random bytes, like `openssl rand -base64 32`"
        )
    return value


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError("no time zone of this name is known; write it like Europe/Berlin") from None
    return name


class EventSender(_Part):
    """A system that may send events: its Standard Webhooks secret, and the login it acts as."""

    secret: Annotated[SecretStr, AfterValidator(_signing_secret)]
    login: str


class Settings(_Part):
    """Everything that differs between installations.

    ``database`` is an SQLAlchemy URL (SQLite, PostgreSQL by psycopg, MySQL or MariaDB by PyMySQL). ``workers`` is
    the number of worker threads in a process. ``zone`` is the time zone in which pages write exact times;
    ``is_secure`` says that people come by HTTPS only. ``operations`` are modules with the installation's own
    operations, and ``service_permissions`` what its workers may do beside what the shipped operations need.
    """

    database: str = f"sqlite:///{DATA_FOLDER}/vermilion.sqlite"
    tenant: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,30}$")] = "main"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8400
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    script_processes: Annotated[int, Field(ge=1, le=32)] = 2
    zone: Annotated[str, AfterValidator(_known_zone)] = "UTC"
    is_secure: bool = False
    operations: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")], ...] = ()
    service_permissions: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*:[a-z][a-z0-9_]*$")], ...] = ()
    systems: Mapping[str, SystemSettings] = Field(default_factory=dict)
    event_senders: Mapping[str, EventSender] = Field(default_factory=dict)


def load_settings(path: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file (default ``.data/vermilion.toml``, or ``VERMILION_SETTINGS``) and the environment over it.

    Raises
    ------
    SettingsRefused
        When the file cannot be read or an entry is not valid.
    """
    variables = os.environ if environment is None else environment
    named = path or variables.get("VERMILION_SETTINGS")
    file = Path(named or DATA_FOLDER / SETTINGS_FILE)
    content: dict[str, Any] = {}
    if file.is_file():
        try:
            content = tomllib.loads(file.read_text())
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsRefused(f"{file} cannot be read: {error}. Correct the file.") from error
    elif named:
        raise SettingsRefused(
            f"There is no settings file {file}. Name another with --settings or in VERMILION_SETTINGS."
        )
    for name in ("database", "tenant", "host", "port", "workers"):
        value = variables.get(f"VERMILION_{name.upper()}")
        if value is not None:
            content[name] = int(value) if name in ("port", "workers") and value.isdecimal() else value
    try:
        return Settings.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        entry = ".".join(str(part) for part in first["loc"])
        raise SettingsRefused(f"Setting `{entry}` in {file}: {first['msg'].rstrip('.')}.") from error
