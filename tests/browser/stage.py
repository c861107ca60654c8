"""A whole installation behind a real port, and windows of a browser that look at it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

from tests.browser.accessibility import violations_of
from tests.web.house import House
from vermilion.hosting import WebServer
from vermilion.people import SERVICE_LOGIN
from vermilion.shipped import PROCUREMENT
from web.pages.reader import SESSION_COOKIE
from web.pages.site import Demo, DemoPerson

PHONE = 390
DESK = 1440
#: What tests sign demo people in with.
PASSWORD = "vermilion-of-tests"
#: Tests share their machine.
_PATIENCE_MILLISECONDS = 15_000
_HEIGHTS = {PHONE: 844, DESK: 900}
Scheme = Literal["light", "dark"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a window looks at pages."""

    width: int = DESK
    scheme: Scheme = "light"
    has_scripts: bool = True
    language: str = "en"

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}-{self.language}-{'scripts' if self.has_scripts else 'plain'}"


class Stage:
    """The installation: its house, its address, and the sessions of its people."""

    def __init__(self, house: House, url: str) -> None:
        self.house = house
        self.url = url
        self._sessions: dict[str, str] = {}

    def session_of(self, login: str) -> str:
        """Return the secret of an open session of somebody."""
        if login not in self._sessions:
            here = self.house.here
            opened = here.runtime.sign_in_with_password(here.tenant_id, login, PASSWORD)
            self._sessions[login] = opened.secret
        return self._sessions[login]

    def speak(self, login: str, language: str) -> None:
        """Let somebody read another language from now on."""
        self.house.here.runtime.change_own_language(self.house.here.actor(login), language)

    def work(self) -> None:
        """Let the workers do all that is due, and the ERP tell what it did, until nothing is left."""
        self.house.worker.run_until_idle()
        while self.house.deliver():
            self.house.worker.run_until_idle()


@contextmanager
def open_stage(house: House, logins: tuple[str, ...]) -> Generator[Stage]:
    """Serve a house at a free port, with people who have passwords, as a demo."""
    here = house.here
    for login in logins:
        here.runtime.seed_password(here.tenant_id, login, PASSWORD)
    demo = Demo(
        people=tuple(DemoPerson(login=login, actor=here.actor(login), password=PASSWORD) for login in logins),
        sandbox={name: reach.url for name, reach in house.company.reach.items()},
        watcher=here.actor(SERVICE_LOGIN),
        process=PROCUREMENT,
    )
    with WebServer(here.application(demo), host="127.0.0.1", port=0) as server:
        yield Stage(house, server.url)


class Window:
    """A browser's window at a stage. It notes whatever goes wrong in it; ``check`` fails on that."""

    def __init__(self, stage: Stage, browser: Browser, look: Look) -> None:
        self.stage = stage
        self.look = look
        self.complaints: list[str] = []
        self._context: BrowserContext = browser.new_context(
            base_url=stage.url,
            viewport={"width": look.width, "height": _HEIGHTS[look.width]},
            color_scheme=look.scheme,
            java_script_enabled=look.has_scripts,
            has_touch=look.width == PHONE,
            locale="zh-CN" if look.language == "zh" else "en-GB",
            reduced_motion="reduce",
        )
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(_PATIENCE_MILLISECONDS)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        self.page.on("requestfailed", self._on_failed)
        self.page.on("response", self._on_response)

    # --- what goes wrong -----------------------------------------------------------------------------------------

    def _on_console(self, message: ConsoleMessage) -> None:
        # What could not be loaded is judged by its answer.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _on_failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.url} failed: {request.failure}")

    def _on_response(self, response: Response) -> None:
        is_page = response.request.is_navigation_request()
        if response.status >= (500 if is_page else 400):
            self.complaints.append(f"{response.url} answered {response.status}")

    def check(self) -> None:
        """Fail when anything went wrong in this window: a script, a policy, a request."""
        assert not self.complaints, "\n".join(self.complaints)

    def check_accessible(self) -> None:
        """Fail when axe finds a violation on the page as it stands, or it is wider than the window."""
        found = violations_of(self.page)
        assert not found, "\n".join(found)
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= self.look.width, f"{self.page.url} is {width} px wide in a window of {self.look.width}"

    # --- what people do ------------------------------------------------------------------------------------------

    def become(self, login: str) -> None:
        """Be signed in as somebody, reading the window's language."""
        self.stage.speak(login, self.look.language)
        self._context.clear_cookies()
        self._context.add_cookies(
            [{"name": SESSION_COOKIE, "value": self.stage.session_of(login), "url": self.stage.url}]
        )

    def sign_in(self, login: str) -> None:
        """Sign in as somebody through the form."""
        self.stage.speak(login, self.look.language)
        self._context.clear_cookies()
        self.open("/sign-in")
        self.page.fill("#login", login)
        self.page.fill("#password", PASSWORD)
        self.page.press("#password", "Enter")
        self.page.wait_for_url(lambda url: urlsplit(url).path != "/sign-in")

    def open(self, path: str) -> int:
        """Go to a page; returns the status of its answer."""
        response = self.page.goto(path, wait_until="load")
        assert response is not None
        return response.status

    @property
    def text(self) -> str:
        """What can be read on the page."""
        return self.page.inner_text("body")

    @property
    def heading(self) -> str:
        """The page's first heading."""
        return self.page.inner_text("h1")

    @property
    def path(self) -> str:
        """The address below the site's root."""
        return urlsplit(self.page.url).path

    def picture(self, file: Path, *, is_whole: bool = True) -> None:
        """Write what can be seen to a file."""
        file.parent.mkdir(parents=True, exist_ok=True)
        if is_whole:
            # The window grows instead, so that what sticks to its bottom stands at the end.
            height = self.page.evaluate("document.documentElement.scrollHeight")
            self.page.set_viewport_size({"width": self.look.width, "height": height})
        self.page.screenshot(path=file, animations="disabled")

    def close(self) -> None:
        """Close the window."""
        self._context.close()


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Opens windows at a stage, and closes them."""

    stage: Stage
    browser: Browser

    @contextmanager
    def opened(self, look: Look, login: str | None = None) -> Generator[Window]:
        """Open a window, signed in as somebody; what went wrong in it fails the test at its end."""
        window = Window(self.stage, self.browser, look)
        try:
            if login is not None:
                window.become(login)
            yield window
            window.check()
        finally:
            window.close()

    def looks(self, look: Look) -> tuple[Look, ...]:
        """Return a look with and without scripts."""
        return (look, replace(look, has_scripts=False))
