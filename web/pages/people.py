"""Administration: people with their roles and groups, their passwords and tokens."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus

from flask import Response, request, url_for

from engine.contract.ids import PersonId
from engine.identity import LoginTaken, NewPerson, PasswordRefused, Permission, Person, Role
from engine.runtime import errors
from engine.runtime.people import PersonChange
from web.addresses import id_of
from web.pages import notices
from web.pages.kept_form import is_restored
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render, see
from web.pages.site import Site
from web.texts.language import LANGUAGES, gettext
from web.texts.refusals import sentence
from web.texts.roles import role_duty, role_title

_LONGEST = 120
_ON_A_PAGE = 100
#: Days that a new token may sign in, as offered.
_TOKEN_DAYS = (30, 90, 365)
_ROLES = tuple(role.value for role in Role if role is not Role.SERVICE)


def people_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the list of people, which adds one, and the page of one, which changes them."""

    def listed(*, refusal: str = "", status: HTTPStatus = HTTPStatus.OK) -> Response:
        people = site.runtime.people(reader().actor, after=_after(), limit=_ON_A_PAGE)
        return render(
            "people.html",
            status=status,
            title=gettext("People"),
            people=people,
            next_url=url_for("pages.people", after=people[-1].person_id) if len(people) == _ON_A_PAGE else "",
            refusal=refusal,
            typed=request.form,
            typed_roles=request.form.getlist("roles"),
            roles=_ROLES,
            languages=LANGUAGES,
            role_title=role_title,
            role_duty=role_duty,
        )

    def add() -> Response:
        sent = request.form
        login, name = sent.get("login", "").strip(), sent.get("name", "").strip()
        if not _fits(login) or not _fits(name):
            text = gettext("Login and name: fill both in, with at most %(limit)s characters each.", limit=_LONGEST)
            return listed(refusal=text, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        if "/" in login or " " in login or login in (".", ".."):
            text = gettext("Login: choose one without blanks and slashes.")
            return listed(refusal=text, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        new = NewPerson(login=login, name=name, roles=_roles(), groups=_groups(), language=_language())
        try:
            site.runtime.add_person(reader().actor, new)
        except LoginTaken as refused:
            return listed(refusal=sentence(refused), status=HTTPStatus.CONFLICT)
        said = gettext("%(name)s is there now. Give them a password, so that they can sign in.", name=name)
        return notices.carry(see(url_for("pages.person", login=login)), site.settings, said)

    def list_or_add() -> Response:
        return add() if request.method == "POST" and not is_restored() else listed()

    return (PageRoute(path="/people", name="people", view=list_or_add, methods=("GET", "POST")),)


def person_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the page of one person, and what changes them."""

    def show(login: str) -> Response:
        return _person_page(site, _find(site, login))

    def change(login: str) -> Response:
        person = _find(site, login)
        name = request.form.get("name", "").strip()
        wanted = PersonChange(
            name=name,
            language=_language(),
            roles=_roles(),
            groups=_groups(),
            is_active=request.form.get("is_active") == "true",
        )
        if is_restored():
            return _person_page(site, person, typed=wanted)
        if not _fits(name):
            text = gettext("Name: fill it in, with at most %(limit)s characters.", limit=_LONGEST)
            return _person_page(site, person, typed=wanted, refusal=text, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        try:
            changed = site.runtime.change_person(reader().actor, login, wanted)
        except errors.OwnAccess as refused:
            return _person_page(site, person, typed=wanted, refusal=sentence(refused), status=HTTPStatus.CONFLICT)
        return _done(site, changed, gettext("Changed. It holds at once, also where they are signed in."))

    def set_password(login: str) -> Response:
        person = _find(site, login)
        if is_restored():
            return _person_page(site, person)
        try:
            site.runtime.set_password(reader().actor, login, request.form.get("password", ""))
        except PasswordRefused as refused:
            return _person_page(site, person, refusal=sentence(refused), status=HTTPStatus.UNPROCESSABLE_ENTITY)
        said = gettext("The password is set. Wherever they were signed in, they have to sign in again.")
        return _done(site, person, said)

    root = "/people/<login>"
    return (
        PageRoute(path=root, name="person", view=show),
        PageRoute(path=f"{root}/change", name="change_person", view=change, methods=("POST",)),
        PageRoute(path=f"{root}/password", name="set_password", view=set_password, methods=("POST",)),
    )


def token_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return what makes and takes away tokens on the page of a person."""

    def add_token(login: str) -> Response:
        person = _find(site, login)
        if is_restored():
            return _person_page(site, person)
        days = request.form.get("days", "")
        lifetime = timedelta(days=int(days)) if days in {str(each) for each in _TOKEN_DAYS} else timedelta(days=30)
        name = _printable(request.form.get("name", ""))[:_LONGEST] or gettext("without a name")
        issued = site.runtime.issue_token(reader().actor, login, name=name, lifetime=lifetime)
        return _person_page(site, person, secret=issued.secret)

    def revoke_token(login: str) -> Response:
        person = _find(site, login)
        if is_restored():
            return _person_page(site, person)
        token_id = id_of(request.form.get("token", ""))
        if all(each.token_id != token_id for each in site.runtime.tokens(reader().actor, login)):
            raise errors.UnknownToken(token_id=token_id)
        site.runtime.revoke_token(reader().actor, token_id)
        return _done(site, person, gettext("The token signs in no more."))

    root = "/people/<login>/tokens"
    return (
        PageRoute(path=root, name="add_token", view=add_token, methods=("POST",)),
        PageRoute(path=f"{root}/revoke", name="revoke_token", view=revoke_token, methods=("POST",)),
    )


def _find(site: Site, login: str) -> Person:
    if len(login) > _LONGEST or not login.isprintable():
        raise errors.UnknownPerson(login=_printable(login)[:_LONGEST])
    return site.runtime.person(reader().actor, login)


def _person_page(
    site: Site,
    person: Person,
    *,
    typed: PersonChange | None = None,
    refusal: str = "",
    secret: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    may_see_tokens = Permission.MANAGE_TOKENS in reader().actor.permissions
    return render(
        "person.html",
        status=status,
        title=person.name,
        person=person,
        typed=typed or person,
        tokens=site.runtime.tokens(reader().actor, person.login) if may_see_tokens else (),
        may_see_tokens=may_see_tokens,
        refusal=refusal,
        secret=secret,
        roles=_ROLES,
        languages=LANGUAGES,
        token_days=_TOKEN_DAYS,
        role_title=role_title,
        role_duty=role_duty,
    )


def _done(site: Site, person: Person, said: str) -> Response:
    return notices.carry(see(url_for("pages.person", login=person.login)), site.settings, said)


def _fits(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable()


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable()).strip()


def _after() -> PersonId | None:
    given = request.args.get("after", "")
    return PersonId(id_of(given)) if given else None


def _roles() -> tuple[str, ...]:
    return tuple(each for each in request.form.getlist("roles") if each in _ROLES)


def _groups() -> tuple[str, ...]:
    given = _printable(request.form.get("groups", "")).replace("，", ",").split(",")
    return tuple(dict.fromkeys(each.strip()[:_LONGEST] for each in given if each.strip()))


def _language() -> str:
    wanted = request.form.get("language", "")
    return wanted if wanted in LANGUAGES else LANGUAGES[0]
