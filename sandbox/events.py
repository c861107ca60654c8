"""Signed events that a system sends: CloudEvents 1.0 in structured mode, signed as Standard Webhooks 1.0 ask.

An event is a row, written in the transaction of what it tells, and sent until somebody takes it.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property

import httpx
from standardwebhooks import Webhook

from sandbox.clock import Clock
from sandbox.data import Record
from sandbox.database import Database

EVENTS_TABLE = (
    "create table if not exists events (id text primary key, type text not null, subject text not null,"
    " body text not null, state text not null, attempts integer not null, due real not null, last_answer text)"
)
#: Pauses between attempts double from the first up to the longest, in seconds.
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 30.0
#: After so many attempts a person has to ask for another one with ``POST /repeat/<event>``.
_ATTEMPTS = 100
_TIMEOUT_SECONDS = 5.0


class Shortage(Record):
    """What ``POST /report/<material>`` takes: under which number the shortage is to be handled."""

    material_risk_id: str
    horizon_days: int | None = None


class EventSender:
    """A system's outgoing events. ``url`` None: they are kept and shown, and go nowhere."""

    def __init__(self, *, source: str, database: Database, clock: Clock, url: str | None, secret: str) -> None:
        self.source = source
        self._database = database
        self._clock = clock
        self._url = url
        self._webhook = Webhook(secret)
        self._wake: Callable[[], None] = lambda: None
        database.run(EVENTS_TABLE)

    def on_new(self, wake: Callable[[], None]) -> None:
        """Have ``wake`` called when there is something to send."""
        self._wake = wake

    def post(self, kind: str, subject: str, data: Mapping[str, object]) -> str:
        """Store an event for sending; inside a transaction it goes out when that commits. Return its id."""
        event_id = uuid.uuid4().hex
        body = {
            "specversion": "1.0",
            "id": event_id,
            "source": f"/sandbox/{self.source}",
            "type": kind,
            "subject": subject,
            "time": self._clock.now().isoformat(),
            "datacontenttype": "application/json",
            "data": data,
        }
        self._database.insert(
            "events",
            id=event_id,
            type=kind,
            subject=subject,
            body=json.dumps(body, ensure_ascii=False),
            state="waiting" if self._url else "kept",
            attempts=0,
            due=time.time(),
        )
        return event_id

    def report(self, kind: str, material_id: str, shortage: Shortage) -> dict[str, object]:
        """Tell that a material runs short; return the event's id and data."""
        data = {"material_id": material_id, "reported_by": self.source, **shortage.model_dump(exclude_none=True)}
        event_id = self.post(kind, material_id, data)
        self._wake()
        return {"event_id": event_id, "type": kind, "data": data}

    def repeat(self, event_id: str) -> bool:
        """Send an event again, whether or not it was taken before; False when there is no such event."""
        found = self._database.run(
            "update events set state = 'waiting', attempts = 0, due = ? where id = ?", time.time(), event_id
        )
        self._wake()
        return bool(found)

    def send_due(self) -> float | None:
        """Send what is due; return when the next attempt is (seconds since the epoch), or None."""
        due = self._database.rows("select * from events where state = 'waiting' and due <= ? order by due", time.time())
        for event in due:
            answer = self._send(event["id"], event["body"])
            attempts = event["attempts"] + 1
            is_taken = answer.startswith("2")
            pause = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(attempts - 1, 20))
            state = "delivered" if is_taken else "given_up" if attempts >= _ATTEMPTS else "waiting"
            self._database.run(
                # A repeat that was asked for meanwhile has set a due time of its own, and stands.
                "update events set state = ?, attempts = ?, due = ?, last_answer = ? where id = ? and due = ?",
                state,
                attempts,
                time.time() + pause,
                answer,
                event["id"],
                event["due"],
            )
        following = self._database.row("select min(due) as due from events where state = 'waiting'")
        return following["due"] if following else None

    def _send(self, event_id: str, body: str) -> str:
        """Return the receiver's status, or what went wrong."""
        now = datetime.now(UTC)  # the receiver compares with real time, wherever the company's clock stands
        headers = {
            "content-type": "application/cloudevents+json",
            "webhook-id": event_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._webhook.sign(event_id, now, body),
        }
        try:
            return str(self._client.post(self._url or "", content=body.encode(), headers=headers).status_code)
        except httpx.HTTPError as error:
            return f"{type(error).__name__}: {error}"

    @cached_property
    def _client(self) -> httpx.Client:
        """The connection to the receiver, opened with the first event: most companies in tests send none."""
        return httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=False)

    def close(self) -> None:
        """Close the connection to the receiver."""
        if "_client" in self.__dict__:
            self._client.close()


class Clerk:
    """The thread that does what falls due between requests. It sleeps until the next due time or until it is woken."""

    def __init__(self, name: str, duties: Sequence[Callable[[], float | None]]) -> None:
        self._duties = duties
        self._woken = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._work, name=f"sandbox-{name}-clerk", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def wake(self) -> None:
        """Have the duties looked at now."""
        self._woken.set()

    def stop(self) -> None:
        """End the duty at hand and stop."""
        self._is_stopping = True
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while True:
            self._woken.clear()
            # Looked at after the clearing: a stop that came before it would never wake anybody again.
            if self._is_stopping:
                return
            dues = [due for duty in self._duties if (due := duty()) is not None]
            self._woken.wait(max(0.0, min(dues) - time.time()) if dues else None)
