"""A whole installation behind its API, with the sandbox company; everything in this process and without threads."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from pydantic import SecretStr
from standardwebhooks import Webhook
from werkzeug.test import TestResponse

from engine.contract.connection import Connection, RepeatRecognition
from engine.work import Worker
from sandbox import Company
from tests.processes.shipped import files_of
from vermilion.installation import Installation
from vermilion.people import DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import EventSender, Settings

API = "/api/v1"
#: Materials like MAT-001, one for each purchase: a second one of the same material would find nothing short.
_COPIES = 60


class House:
    """What a test of the API works with."""

    def __init__(self, here: Installation, worker: Worker, company: Company, secret: str) -> None:
        self.here = here
        self.company = company
        self.worker = worker
        self.client: FlaskClient = here.application().test_client()
        self._webhook = Webhook(secret)
        self._tokens: dict[str, str] = {}
        self._delivered: set[str] = set()
        self._materials = (f"MAT-001-{number:04}" for number in range(1, _COPIES + 1))

    def token(self, login: str) -> str:
        """Return a bearer token of a person."""
        if login not in self._tokens:
            self._tokens[login] = self.here.new_token(login, "test", None)
        return self._tokens[login]

    def headers(self, login: str | None) -> dict[str, str]:
        """Return the headers that sign a person in; none for nobody."""
        return {} if login is None else {"Authorization": f"Bearer {self.token(login)}"}

    def get(self, path: str, login: str | None = "omar") -> TestResponse:
        """Ask for a page of the API."""
        return self.client.get(API + path, headers=self.headers(login))

    def post(
        self, path: str, body: Any, login: str | None, *, key: str | None = None, raw: bytes | None = None
    ) -> TestResponse:
        """Send a command."""
        headers = self.headers(login) | ({"Idempotency-Key": key} if key is not None else {})
        content = raw if raw is not None else json.dumps(body).encode()
        return self.client.post(API + path, data=content, headers=headers, content_type="application/json")

    def send(
        self,
        data: Mapping[str, Any],
        *,
        event_id: str = "event-1",
        event_type: str = "material.shortage",
        changed: bytes | None = None,
        at: datetime | None = None,
        is_signed: bool = True,
    ) -> TestResponse:
        """Send a signed event; ``changed`` replaces the body after it was signed."""
        body = json.dumps(
            {"specversion": "1.0", "id": event_id, "source": "/planning", "type": event_type, "data": data}
        )
        now = at or datetime.now(UTC)
        headers = {
            "webhook-id": event_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._webhook.sign(event_id, now, body),
        }
        return self.client.post(
            f"{API}/events",
            data=changed if changed is not None else body.encode(),
            headers=headers if is_signed else {},
            content_type="application/cloudevents+json",
        )

    def shortage(self, material_id: str = "MAT-001", risk: str = "RISK-1", **more: Any) -> dict[str, Any]:
        """Return the data of a shortage."""
        return {"material_risk_id": risk, "material_id": material_id, "reported_by": "planning", **more}

    def deliver(self) -> int:
        """Bring what the ERP tells since the last time, signed; return how many events."""
        erp = self.company.erp
        erp.settle_due()
        told = [row for row in erp.database.rows("select id, body from events") if row["id"] not in self._delivered]
        for row in told:
            now = datetime.now(UTC)
            headers = {
                "webhook-id": row["id"],
                "webhook-timestamp": str(int(now.timestamp())),
                "webhook-signature": self._webhook.sign(row["id"], now, row["body"]),
            }
            self.client.post(
                f"{API}/events",
                data=row["body"].encode(),
                headers=headers,
                content_type="application/cloudevents+json",
            )
            self._delivered.add(row["id"])
        return len(told)

    def approval(self, risk: str) -> dict[str, Any]:
        """Return a fresh approval that waits for Li Wei, whole."""
        self.send(self.shortage(next(self._materials), risk), event_id=risk)
        self.worker.run_until_idle()
        items = self.get("/tasks?limit=200", "wei").get_json()["items"]
        (own,) = [each for each in items if each["business_key"] == risk]
        return self.get(f"/tasks/{own['task_id']}", "wei").get_json()


@contextmanager
def open_house(folder: Path, url: str) -> Generator[House]:
    """Open a house on a database."""
    secret = base64.b64encode(secrets.token_bytes(24)).decode()
    settings = Settings(
        database=url,
        script_processes=1,
        event_senders={"planning": EventSender(secret=SecretStr(secret), login=SERVICE_LOGIN)},
    )
    with Company(folder / "company", confirmation="at_once", copies=_COPIES) as company, Installation(settings) as here:
        here.seed(DEMO_PEOPLE)
        here.runtime.deploy(here.actor(DEPLOYER_LOGIN), files_of("procurement"))
        connections = [
            Connection(
                system=name,
                base_url=reach.url,
                token=reach.service,
                recognition=RepeatRecognition.NATIVE_KEY,
            )
            for name, reach in company.reach.items()
        ]
        yield House(here, here.worker(connections), company, secret)
