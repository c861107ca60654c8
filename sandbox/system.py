"""What the three systems have in common: sign-in, latency, fault switches, a log of calls, pages of answers."""

from __future__ import annotations

import logging
import random
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from pydantic import ValidationError

from sandbox.clock import Clock
from sandbox.data import Record
from sandbox.database import Database
from sandbox.events import Clerk, EventSender
from sandbox.faults import FaultOrder, Faults
from sandbox.http_server import Answer, Cut, Request, json_answer
from sandbox.tokens import Tokens

_LOGGER = logging.getLogger(__name__)

#: Entries of one page of an answer.
PAGE_SIZE = 50
#: Calls that the ledger shows.
_LEDGER_CALLS = 2000

Body = TypeVar("Body", bound=Record)


class Refusal(Exception):
    """The system says no. ``code`` and ``rule`` are stable words; unless it is in doubt, nothing was done."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        rule: str | None = None,
        headers: Mapping[str, str] | None = None,
        is_in_doubt: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.rule = rule
        self.headers = headers or {}
        self.is_in_doubt = is_in_doubt

    def answer(self) -> Answer:
        """Return the refusal as problem details (RFC 9457)."""
        rule = {"rule": self.rule} if self.rule else {}
        content = {
            "title": self.message,
            "status": self.status,
            "code": self.code,
            "in_doubt": self.is_in_doubt,
            **rule,
        }
        answer = json_answer(content, status=self.status, headers=self.headers)
        return Answer(
            status=answer.status, body=answer.body, content_type="application/problem+json", headers=answer.headers
        )


def business_rule(rule: str, message: str, *, status: int = 422) -> Refusal:
    """Return the refusal by a named business rule."""
    return Refusal(status, "business_rule", message, rule=rule)


class Access(StrEnum):
    """Who may take a route."""

    #: Anybody who can reach the port.
    OPEN = "open"
    #: Every signed-in program.
    READ = "read"
    #: Programs that may create and cancel documents.
    WRITE = "write"
    #: The company's administrator, and tests.
    ADMIN = "admin"


@dataclass(frozen=True, kw_only=True)
class Route:
    """One thing that can be asked. ``pattern`` names the variable parts of the path in braces."""

    method: str
    pattern: str
    operation: str
    access: Access
    act: Callable[[Request, Mapping[str, str]], Answer]

    @property
    def expression(self) -> re.Pattern[str]:
        """The path as a regular expression."""
        return re.compile("^" + re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.pattern) + "$")


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How all systems of a company behave towards others.

    Attributes
    ----------
    latency
        The range of seconds added to every answer, drawn evenly.
    events_url
        Where events go; None: they are kept and shown.
    events_secret
        What they are signed with, base64 with or without the prefix ``whsec_``.
    """

    latency: tuple[float, float] = (0.005, 0.030)
    events_url: str | None = None
    events_secret: str


@dataclass(kw_only=True)
class Exchange:
    """What became of one request: its answer, None for a cut connection, and the fault that was fired."""

    answer: Answer | None = None
    fault: str | None = None


class System:
    """One business system. Subclasses name themselves, their tables and their routes.

    ``operations`` are the names that fault switches know; those of the product's operations where there are any.
    """

    name: str = ""
    title: tuple[str, str] = ("", "")
    schema: Sequence[str] = ()

    def __init__(self, folder: Path, clock: Clock, tokens: Tokens, manner: Manner) -> None:
        self.clock = clock
        self.tokens = tokens
        self.neighbours: dict[str, str] = {}
        self.faults = Faults()
        self.database = Database(folder / f"{self.name}.sqlite", self.schema)
        self.sender = EventSender(
            source=self.name,
            database=self.database,
            clock=clock,
            url=manner.events_url,
            secret=manner.events_secret,
        )
        self.clerk = Clerk(self.name, [self.settle_due, self.sender.send_due])
        self.sender.on_new(self.clerk.wake)
        self._manner = manner
        self._dice = random.Random(0)  # noqa: S311 - latency is no secret
        self._stopping = threading.Event()
        self._routes = [(route, route.expression) for route in (*self.routes(), *self._common_routes())]

    @property
    def operations(self) -> list[str]:
        """The names that fault switches know here, sorted."""
        return sorted({route.operation for route, _ in self._routes if route.operation})

    def routes(self) -> Sequence[Route]:
        """Return the system's own routes."""
        raise NotImplementedError

    def page(self) -> str:
        """Return the system's documents as a page for people."""
        raise NotImplementedError

    def documents(self) -> dict[str, object]:
        """Return the system's documents for the ledger."""
        raise NotImplementedError

    def settle_due(self) -> float | None:
        """Do what is due between requests; return when the next thing is (seconds since the epoch), or None."""
        return None

    def start(self) -> None:
        """Begin what goes on between requests."""
        self.clerk.start()

    def interrupt(self) -> None:
        """Let requests that are being delayed go on at once."""
        self._stopping.set()

    def stop(self) -> None:
        """End everything; nothing may be asked afterwards."""
        self._stopping.set()
        self.clerk.stop()
        self.sender.close()
        self.database.close()

    def order_fault(self, order: FaultOrder) -> None:
        """Arm a fault switch; ``operation`` may carry the system's name in front, as the product writes it.

        Raises
        ------
        Refusal
            When the system has no such operation.
        """
        operation = order.operation.removeprefix(f"{self.name}.")
        if operation not in self.operations:
            known = ", ".join(self.operations)
            raise Refusal(400, "bad_parameters", f"{self.name} has no operation {operation!r}. It has: {known}.")
        self.faults.set(order.model_copy(update={"operation": operation}))

    # --- answering ------------------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Answer:
        """Answer a request, or fail as a switch orders.

        Raises
        ------
        Cut
            When the connection is to be closed without an answer.
        """
        began = time.perf_counter()
        route, parts, status = self._find(request)
        if route is None:
            return Refusal(status, "not_found", f"{self.name} has nothing at {request.method} {request.path}.").answer()
        caller = self.tokens.caller(request.headers.get("authorization"))
        exchange = Exchange()
        try:
            exchange.answer = self._carry_out(route, caller, request, parts, exchange)
        except Refusal as refusal:
            exchange.answer = refusal.answer()
        except Exception:
            _LOGGER.exception("%s failed at %s %s", self.name, request.method, request.path)
            exchange.answer = Refusal(500, "internal", f"{self.name} failed.", is_in_doubt=True).answer()
        if route.operation and not self._stopping.is_set():
            self._log(request, route, exchange, caller, (time.perf_counter() - began) * 1000)
        if exchange.answer is None:
            raise Cut
        return exchange.answer

    def _find(self, request: Request) -> tuple[Route | None, Mapping[str, str], int]:
        status = 404
        for route, expression in self._routes:
            match = expression.match(request.path)
            if match and route.method == request.method:
                return route, {name: unquote(part) for name, part in match.groupdict().items()}, 200
            if match:
                status = 405
        return None, {}, status

    def _admit(self, route: Route, caller: str | None) -> None:
        if route.access is Access.OPEN:
            return
        if caller is None:
            raise Refusal(401, "not_permitted", f"Sign in to {self.name} with a bearer token.")
        if not self.tokens.may(caller, route.access):
            raise Refusal(
                403, "not_permitted", f"{caller} may not do this in {self.name}: it needs {route.access} access."
            )

    def _carry_out(
        self, route: Route, caller: str | None, request: Request, parts: Mapping[str, str], exchange: Exchange
    ) -> Answer | None:
        """Return the answer, None for a connection that is cut."""
        self._admit(route, caller)
        if not route.operation:
            return route.act(request, parts)
        self._stopping.wait(self._dice.uniform(*self._manner.latency))
        fired = self.faults.take(route.operation)
        if fired is None:
            return route.act(request, parts)
        order, count = fired
        exchange.fault = order.name
        match order.name:
            case "unavailable":
                raise Refusal(503, "unavailable", f"{self.name} is being maintained.")
            case "rate_limited":
                wait = {"retry-after": str(order.retry_after)}
                raise Refusal(429, "rate_limited", f"{self.name} asks to be called less often.", headers=wait)
            case "cut_before":
                return None
            case "cut_after":
                route.act(request, parts)
                return None
            case "delay":
                answer = route.act(request, parts)
                self._stopping.wait(order.seconds)
                return answer
            case "wrong_json":
                return _spoilt(route.act(request, parts), count)

    def _log(self, request: Request, route: Route, exchange: Exchange, caller: str | None, milliseconds: float) -> None:
        headers = request.headers
        ids = sorted((name[2:], value) for name, value in headers.items() if name.startswith("x-"))
        self.database.insert(
            "calls",
            at=self.clock.now().isoformat(),
            operation=route.operation,
            method=request.method,
            path=request.path,
            status=None if exchange.answer is None else exchange.answer.status,
            caller=caller,
            key=headers.get("idempotency-key"),
            trace=headers.get("traceparent"),
            correlation=" ".join(f"{name}={value}" for name, value in ids),
            fault=exchange.fault,
            milliseconds=round(milliseconds, 2),
        )

    # --- routes that every system has -----------------------------------------------------------------------------

    def _common_routes(self) -> Sequence[Route]:
        def route(method: str, pattern: str, act: Callable[[Request], Answer], access: Access = Access.ADMIN) -> Route:
            return Route(
                method=method, pattern=pattern, operation="", access=access, act=lambda request, _parts: act(request)
            )

        return (
            route("GET", "/", self._show_page, Access.OPEN),
            route("GET", "/healthz", lambda _: json_answer({"status": "ok"}), Access.OPEN),
            route("GET", "/ledger", self._show_ledger),
            route("GET", "/faults", lambda _: json_answer({"faults": self.faults.counts()})),
            route("POST", "/faults", self._set_fault),
            route("DELETE", "/faults", self._clear_faults),
            route("POST", "/clock", self._move_clock),
            Route(method="POST", pattern="/repeat/{event}", operation="", access=Access.ADMIN, act=self._repeat),
        )

    def _show_page(self, request: Request) -> Answer:
        return Answer(body=self.page().encode(), content_type="text/html; charset=utf-8")

    def _show_ledger(self, request: Request) -> Answer:
        calls = self.database.rows("select * from calls order by id desc limit ?", _LEDGER_CALLS)
        events = self.database.rows("select * from events order by rowid")
        shown = {**self.documents(), "events": [dict(each) for each in events]}
        return json_answer({**shown, "calls": [dict(each) for each in reversed(calls)]})

    def _set_fault(self, request: Request) -> Answer:
        self.order_fault(read_body(request, FaultOrder))
        return json_answer({"faults": self.faults.counts()}, status=201)

    def _clear_faults(self, request: Request) -> Answer:
        self.faults.clear()
        return json_answer({"faults": []})

    def _move_clock(self, request: Request) -> Answer:
        self.clock.move(timedelta(seconds=read_body(request, ClockMove).seconds))
        return json_answer({"now": self.clock.now().isoformat()})

    def _repeat(self, request: Request, parts: Mapping[str, str]) -> Answer:
        if not self.sender.repeat(parts["event"]):
            raise Refusal(404, "not_found", f"{self.name} has sent no event {parts['event']}.")
        return json_answer({"repeated": True}, status=202)


class ClockMove(Record):
    """How far the company's clock goes forward."""

    seconds: float


def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the request's JSON as a record.

    Raises
    ------
    Refusal
        400 with the fields that do not fit.
    """
    try:
        return kind.model_validate_json(request.body or b"{}")
    except ValidationError as error:
        fields = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in error.errors())
        raise Refusal(400, "bad_parameters", f"The request does not have the agreed form: {fields}.") from error


def paged(
    database: Database, request: Request, statement: str, *values: str, show: Callable[[sqlite3.Row], object]
) -> dict[str, object]:
    """Return one page of what the statement selects, with the cursor of the next page or None.

    The statement orders by a total order; the cursor is the count of entries before the page.

    Raises
    ------
    Refusal
        400 when the cursor is none of ours.
    """
    cursor = request.parameters.get("cursor", "0")
    if not cursor.isdigit():
        raise Refusal(400, "bad_parameters", f"{cursor!r} is no cursor. Pass the one that the page before named.")
    before = int(cursor)
    rows = database.rows(f"{statement} limit {PAGE_SIZE + 1} offset {before}", *values)
    following = str(before + PAGE_SIZE) if len(rows) > PAGE_SIZE else None
    return {"items": [show(row) for row in rows[:PAGE_SIZE]], "next": following}


def _spoilt(answer: Answer, count: int) -> Answer:
    """Return JSON that is broken off the first time, whole but something else the second, and so on in turn."""
    body = answer.body[: len(answer.body) // 2] if count % 2 else b'{"unexpected": [1, 2, 3]}'
    return Answer(status=answer.status, body=body, headers=answer.headers)
