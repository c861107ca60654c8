"""People and tokens as commands: taken away as well as given, by those who may."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.identity import NewPerson, NotSignedIn, UnknownRole
from engine.identity.permissions import PermissionDenied
from engine.runtime import errors
from engine.runtime.people import PersonChange
from tests.runtime.company import Company


def test_a_revoked_token_signs_in_no_more(everywhere: Company) -> None:
    runtime, admin = everywhere.runtime, everywhere.operator
    lost = runtime.issue_token(admin, "manager", name="laptop", lifetime=timedelta(days=90))
    kept = runtime.issue_token(admin, "manager", name="desk", lifetime=None)

    runtime.revoke_token(admin, lost.token_id)

    with pytest.raises(NotSignedIn):
        runtime.sign_in(lost.secret)
    assert runtime.sign_in(kept.secret).person_id == everywhere.manager.person_id
    listed = {each.name: each.revoked_at is not None for each in runtime.tokens(admin, "manager")}
    assert listed == {"laptop": True, "desk": False}
    with pytest.raises(errors.UnknownToken):
        runtime.revoke_token(admin, lost.token_id)


def test_a_changed_person_may_at_once_what_the_change_says(everywhere: Company) -> None:
    runtime, admin = everywhere.runtime, everywhere.operator
    token = runtime.issue_token(admin, "manager", name="desk", lifetime=None)

    changed = runtime.change_person(admin, "manager", PersonChange(roles=("auditor",), groups=("audit",)))

    assert (changed.name, changed.roles, changed.groups) == ("Mei Lin", ("auditor",), ("audit",))
    actor = runtime.sign_in(token.secret)
    assert "task:decide" not in actor.permissions
    assert actor.groups == {"audit"}
    runtime.change_person(admin, "manager", PersonChange(is_active=False))
    with pytest.raises(NotSignedIn):
        runtime.sign_in(token.secret)
    runtime.change_person(admin, "manager", PersonChange(is_active=True))
    assert runtime.sign_in(token.secret)


@pytest.mark.parametrize("change", [PersonChange(is_active=False), PersonChange(roles=("operator",))])
def test_nobody_locks_themselves_out(company: Company, change: PersonChange) -> None:
    with pytest.raises(errors.OwnAccess):
        company.runtime.change_person(company.operator, "operator", change)

    (still,) = [each for each in company.runtime.people(company.operator) if each.login == "operator"]
    assert still.is_active
    assert "admin" in still.roles


def test_a_change_is_refused_for_nobody_and_for_an_unknown_role(company: Company) -> None:
    with pytest.raises(errors.UnknownPerson):
        company.runtime.change_person(company.operator, "ghost", PersonChange(name="Boo"))
    with pytest.raises(UnknownRole):
        company.runtime.change_person(company.operator, "manager", PersonChange(roles=("emperor",)))
    with pytest.raises(errors.UnknownPerson):
        company.runtime.tokens(company.operator, "ghost")


def test_only_who_manages_people_and_tokens_does_so(company: Company) -> None:
    with pytest.raises(PermissionDenied):
        company.runtime.change_person(company.manager, "second", PersonChange(is_active=False))
    with pytest.raises(PermissionDenied):
        company.runtime.tokens(company.manager, "manager")
    with pytest.raises(PermissionDenied):
        company.runtime.revoke_token(company.manager, "0" * 32)


def test_a_service_identity_is_not_changed_by_hand(company: Company) -> None:
    admin = company.operator
    company.runtime.add_person(admin, NewPerson(login="robot", name="Robot", roles=("service",), is_service=True))

    for change in (PersonChange(is_active=False), PersonChange(roles=("auditor",))):
        with pytest.raises(errors.ServiceIdentity, match="robot"):
            company.runtime.change_person(admin, "robot", change)
