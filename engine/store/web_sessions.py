"""Sessions of people in browsers, and failed sign-ins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from engine.contract.ids import PersonId, TenantId
from engine.store.clock import now_for_row
from engine.store.statements import Change, InsertIfAbsent, Query, new, same
from engine.store.tables import failed_sign_in, person, web_session


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """Whose session a secret opens, and until when."""

    session_id: str
    seen_at: datetime
    expires_at: datetime
    tenant_id: TenantId
    person_id: PersonId
    login: str
    name: str
    language: str
    roles: Any
    groups: Any
    is_active: bool
    is_service: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """Failed sign-ins in a row for one login."""

    failure_count: int
    blocked_until: datetime | None


_OF_LOGIN = same(failed_sign_in, "tenant_id", "login")

INSERT = Change("web_session.insert", "Open a session.", insert(web_session))
READER = Query(
    "web_session.reader",
    "Who reads with a session. Parameter: session_hash.",
    select(
        web_session.c.session_id,
        web_session.c.seen_at,
        web_session.c.expires_at,
        person.c.tenant_id,
        person.c.person_id,
        person.c.login,
        person.c.name,
        person.c.language,
        person.c.roles,
        person.c.groups,
        person.c.is_active,
        person.c.is_service,
    )
    .join_from(
        web_session,
        person,
        (person.c.tenant_id == web_session.c.tenant_id) & (person.c.person_id == web_session.c.person_id),
    )
    .where(*same(web_session, "session_hash")),
    SessionRow,
    tells_time=True,
)
SEEN = Change(
    "web_session.seen",
    "A session was used now. Parameter: session_id.",
    update(web_session).where(*same(web_session, "session_id")).values({web_session.c.seen_at: now_for_row()}),
)
END = Change(
    "web_session.end",
    "End a session. Parameter: session_hash.",
    delete(web_session).where(*same(web_session, "session_hash")),
)
END_OTHERS = Change(
    "web_session.end_others",
    "End a person's sessions but one ('': all). Parameters: tenant_id, person_id, kept.",
    delete(web_session).where(
        *same(web_session, "tenant_id", "person_id"),
        web_session.c.session_id != bindparam("kept", type_=web_session.c.session_id.type),
    ),
)

# --- failed sign-ins ---------------------------------------------------------------------------------------------

FAILURES = Query(
    "failed_sign_in.of_login",
    "Failed sign-ins of a login. Parameters: tenant_id, login.",
    select(failed_sign_in.c.failure_count, failed_sign_in.c.blocked_until).where(*_OF_LOGIN),
    FailureRow,
)
INSERT_FAILURE = InsertIfAbsent("failed_sign_in.insert", "The first failed sign-in of a login.", failed_sign_in)
COUNT_FAILURE = Change(
    "failed_sign_in.count",
    "One more failed sign-in of a login. Parameters: tenant_id, login, new_failed_at.",
    update(failed_sign_in)
    .where(*_OF_LOGIN)
    .values({failed_sign_in.c.failure_count: failed_sign_in.c.failure_count + 1, **new(failed_sign_in, "failed_at")}),
)
BLOCK = Change(
    "failed_sign_in.block",
    "Refuse a login for a while. Parameters: tenant_id, login, new_blocked_until.",
    update(failed_sign_in).where(*_OF_LOGIN).values(new(failed_sign_in, "blocked_until")),
)
FORGET_FAILURES = Change(
    "failed_sign_in.forget",
    "A login signed in. Parameters: tenant_id, login.",
    delete(failed_sign_in).where(*_OF_LOGIN),
)
