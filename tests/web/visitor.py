"""Somebody with a browser without scripts: opens pages, fills in their forms and sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from flask.testing import FlaskClient
from lxml import etree
from werkzeug.test import TestResponse

from tests.web.house import House
from web.pages.reader import SESSION_COOKIE

PASSWORD = "a password of the tests"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a form, as its page gives it."""

    name: str
    value: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class PageForm:
    """A form of a page that changes something."""

    action: str
    fields: tuple[Field, ...]

    def filled(self, chosen: Mapping[str, str | None]) -> dict[str, str]:
        """Return what a browser sends after these values were put in; None leaves a field out."""
        sent = {each.name: each.value for each in self.fields if each.name}
        for name, value in chosen.items():
            sent.pop(name, None)
            if value is not None:
                sent[name] = value
        return sent

    def value(self, name: str) -> str:
        """Return what stands in a field."""
        return next(each.value for each in self.fields if each.name == name)


class Page:
    """A page as it was answered."""

    def __init__(self, path: str, answer: TestResponse) -> None:
        self.path = path
        self.status = answer.status_code
        self.headers = answer.headers
        self.html = answer.get_data(as_text=True)
        self.tree = etree.fromstring(self.html.encode() or b"<html/>", etree.HTMLParser(encoding="utf-8"))

    def texts(self, path: str) -> list[str]:
        """Return the texts that an XPath finds, with single blanks."""
        found = cast("list[etree._Element | str]", self.tree.xpath(path))  # pyright: ignore[reportPrivateUsage]
        return [
            " ".join((each if isinstance(each, str) else "".join(map(str, each.itertext()))).split()) for each in found
        ]

    @property
    def text(self) -> str:
        """What can be read in the page's main part."""
        return " ".join(self.texts("//main"))

    @property
    def heading(self) -> str:
        """The first heading."""
        return next(iter(self.texts("//h1")), "")

    @property
    def notice(self) -> str:
        """What the page says about what was just done."""
        return " ".join(self.texts("//*[contains(concat(' ', @class, ' '), ' notice ')]"))

    @property
    def errors(self) -> list[str]:
        """What the summary of errors says, one sentence each."""
        summary = "//*[@id='errors']"
        return self.texts(f"{summary}//li") or self.texts(f"{summary}//p")

    @property
    def forms(self) -> tuple[PageForm, ...]:
        """The forms in the main part that change something."""
        found = cast("list[etree._Element]", self.tree.xpath("//main//form[@method='post']"))  # pyright: ignore[reportPrivateUsage]
        return tuple(PageForm(action=each.get("action") or self.path, fields=tuple(_fields(each))) for each in found)


def _fields(form: etree._Element) -> list[Field]:  # pyright: ignore[reportPrivateUsage]
    found: list[Field] = []
    for each in form.iter("input", "textarea", "select"):
        kind = each.get("type", each.tag)
        if kind in ("radio", "checkbox") and each.get("checked") is None:
            continue
        if each.tag == "textarea":
            value = (each.text or "").removeprefix("\n")
        elif each.tag == "select":
            options = cast("list[str]", each.xpath(".//option[@selected]/@value"))
            value = options[0] if options else ""
        else:
            value = each.get("value", "")
        found.append(Field(name=each.get("name", ""), value=value, kind=kind))
    return found


class Visitor:
    """Somebody at a house's pages; signed in when a login is given, reading one language."""

    def __init__(self, house: House, login: str | None = None, *, language: str = "en") -> None:
        self.house = house
        self._language = language
        self.client: FlaskClient = house.here.application().test_client()
        if login is not None:
            self.sign_in(login)

    def sign_in(self, login: str) -> None:
        """Begin a session as somebody."""
        here = self.house.here
        here.runtime.seed_password(here.tenant_id, login, PASSWORD)
        here.runtime.change_own_language(here.actor(login), self._language)
        opened = here.runtime.sign_in_with_password(here.tenant_id, login, PASSWORD)
        self.client.set_cookie(SESSION_COOKIE, opened.secret)

    def open(self, path: str) -> Page:
        """Open a page, wherever it leads."""
        answer = self.client.get(path, follow_redirects=True)
        return Page(answer.request.path, answer)

    def send(self, page: Page, chosen: Mapping[str, str | None], *, form: int = -1) -> Page:
        """Fill in a form of a page, the last one when none is named, send it, and see where that leads."""
        return self.post(page.forms[form].action, page.forms[form].filled(chosen))

    def post(self, path: str, fields: Mapping[str, str]) -> Page:
        """Send fields as they are."""
        answer = self.client.post(path, data=dict(fields), follow_redirects=True)
        return Page(answer.request.path, answer)
