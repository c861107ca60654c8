"""What every page view works with: the runtime, and what differs between installations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.contract.ids import TenantId, WorkflowType
from engine.identity import Actor
from engine.runtime import Runtime


@dataclass(frozen=True, kw_only=True)
class DemoPerson:
    """Somebody whom a demo offers to sign in as, with one click."""

    login: str
    actor: Actor
    password: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What a demo shows to everybody.

    Attributes
    ----------
    sandbox
        The address of each sandbox system's page, by its name.
    watcher
        In whose name the welcome page looks at the purchase that the guided path follows.
    process
        The process whose newest instance the guided path follows.
    """

    people: tuple[DemoPerson, ...]
    sandbox: Mapping[str, str]
    watcher: Actor
    process: WorkflowType


@dataclass(frozen=True, kw_only=True)
class PageSettings:
    """What differs between installations.

    Attributes
    ----------
    tenant_id
        Whose people sign in here.
    zone
        The IANA time zone in which exact times are written.
    is_secure
        Whether people come by HTTPS only, so that cookies never travel without it.
    demo
        None: a real installation.
    """

    tenant_id: TenantId
    zone: str = "UTC"
    is_secure: bool = False
    demo: Demo | None = None


@dataclass(frozen=True, kw_only=True)
class Site:
    """The runtime with the settings of the pages."""

    runtime: Runtime
    settings: PageSettings
