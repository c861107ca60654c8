"""Who commands: an identity with its permissions, as every command of the runtime takes it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contract.ids import PersonId, TenantId


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who commands. The tenant comes from the identity alone (P14).

    ``permissions`` are those of the actor's roles; ``groups`` decide which process roles the actor holds.
    """

    tenant_id: TenantId
    person_id: PersonId
    name: str
    permissions: frozenset[str]
    groups: frozenset[str]
    is_service: bool = False
