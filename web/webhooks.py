"""Verifies that an event was sent by a system we know (Standard Webhooks)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from standardwebhooks import Webhook, WebhookVerificationError

from engine.identity import Actor
from web.problems import Refused


@dataclass(frozen=True, kw_only=True)
class EventSender:
    """A system that may send events: its secret (``whsec_…``), and the identity it acts as."""

    name: str
    secret: str = field(repr=False)
    actor: Actor


class SignatureCheck:
    """Finds the sender whose secret signed a body."""

    def __init__(self, senders: tuple[EventSender, ...]) -> None:
        self._senders = tuple((sender, Webhook(sender.secret)) for sender in senders)

    def sender_of(self, body: bytes, headers: Mapping[str, str]) -> EventSender:
        """Return who signed ``body``; the signature covers the id, the timestamp and every byte.

        Raises
        ------
        Refused
            401 when the signature is missing, wrong or older than five minutes.
        """
        lowered = {name.lower(): value for name, value in headers.items()}
        if "webhook-signature" not in lowered:
            raise Refused(
                HTTPStatus.UNAUTHORIZED,
                "unsigned_event",
                "This event is not signed. Send `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard "
                "Webhooks describes, with the secret that the administrator gave you.",
            )
        for sender, webhook in self._senders:
            try:
                webhook.verify(body, lowered, json_parse=False)
            except (WebhookVerificationError, ValueError):
                # A signature that is not even well formed raises ValueError inside the library.
                continue
            return sender
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "wrong_signature",
            "The signature fits no sender we know, or it is older than five minutes. Check the secret and the clock.",
        )
