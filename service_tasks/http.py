"""The HTTP border of all adapters: one call's requests to one business system.

It signs in, sends the correlation ids and the idempotency key, keeps to the call's deadline, bounds the answer's size,
and turns every outcome into a typed answer or an error class of ``engine.contract``.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TypeVar
from urllib.parse import quote

import httpcore
import httpx
from pydantic import BaseModel, ValidationError

from engine.contract import (
    BadParameters,
    Call,
    Connection,
    NotFound,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    Temporary,
    Unreadable,
)
from service_tasks.answers import classify, read_problem, read_retry_after
from service_tasks.transport import BoundedTransport

#: Bytes of an answer that are read at most.
ANSWER_LIMIT = 8 * 1024 * 1024

#: Faults that surely happen before the first byte of a request has left.
_BEFORE_SENDING = (
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.PoolTimeout,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpcore.LocalProtocolError,
)
_NETWORK = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)

Answer = TypeVar("Answer", bound=BaseModel)


class _TooLarge(Exception):
    """The answer is larger than ``ANSWER_LIMIT``."""


def path(*segments: str) -> str:
    """Return the path of these segments, each quoted, so that a document number cannot lead anywhere else.

    Raises
    ------
    BadParameters
        When a segment is empty or stands for the same or the parent folder.
    """
    for segment in segments:
        if segment in ("", ".", ".."):
            raise BadParameters(f"{segment!r} cannot be part of an address. Name the thing by its number.")
    return "/" + "/".join(quote(segment, safe="") for segment in segments)


class SystemClient:
    """The requests of one call. Build one in the operation and drop it with the call.

    ``get``, ``find`` and ``search`` read; ``write`` changes something and carries the idempotency key. All raise a
    class of ``engine.contract.errors``. A network fault while reading is ``Temporary``; while writing, anything after
    the request may have left is ``OutcomeUnknown``, and an answer that cannot be understood is ``Unreadable``.

    Raises
    ------
    NotPermitted
        When the call has no connection: the system is not configured.
    """

    def __init__(self, call: Call, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        if call.connection is None:
            raise NotPermitted("This installation has no connection to the operation's system. Configure one.")
        self._call = call
        self._connection = call.connection
        self._monotonic = monotonic
        self._began = monotonic()
        self._client = call.connection.kept_open.of(httpx.Client, lambda: _open(self._connection))

    def get(self, path: str, answer: type[Answer], *, params: Mapping[str, str] | None = None) -> Answer:
        """Read ``path``."""
        return self._ask("GET", path, answer, params=params, body=None, is_write=False)

    def find(self, path: str, answer: type[Answer], *, params: Mapping[str, str] | None = None) -> Answer | None:
        """Read ``path``; None when the system answers that there is no such thing."""
        try:
            return self.get(path, answer, params=params)
        except NotFound:
            return None

    def search(self, path: str, answer: type[Answer], *, body: BaseModel) -> Answer:
        """Read by a request that carries its question in its body."""
        return self._ask("POST", path, answer, params=None, body=body, is_write=False)

    def write(self, path: str, answer: type[Answer], *, body: BaseModel, method: str = "POST") -> Answer:
        """Change something, under the call's idempotency key."""
        return self._ask(method, path, answer, params=None, body=body, is_write=True)

    def _ask(
        self,
        method: str,
        path: str,
        answer: type[Answer],
        *,
        params: Mapping[str, str] | None,
        body: BaseModel | None,
        is_write: bool,
    ) -> Answer:
        said = f"{self._connection.system}, asked for {method} {path}"
        remaining = self._remaining(said)
        request = self._client.build_request(
            method,
            self._connection.base_url + path,
            params=params,
            content=None if body is None else body.model_dump_json(),
            headers=self._headers(has_body=body is not None, is_write=is_write),
            timeout=httpx.Timeout(remaining, connect=min(remaining, self._connection.connect_timeout.total_seconds())),
            extensions={"trace": self._traced},
        )
        try:
            status, headers, content = self._exchange(request)
        except _BEFORE_SENDING as fault:
            raise Temporary(f"{said}: no connection ({_name(fault)}).", detail=str(fault)) from fault
        except _NETWORK as fault:
            lost = OutcomeUnknown if is_write else Temporary
            raise lost(f"{said}: the answer was lost ({_name(fault)}).", detail=str(fault)) from fault
        except _TooLarge as fault:
            raise _unreadable(is_write)(f"{said}: the answer is larger than {ANSWER_LIMIT} bytes.") from fault
        if not 200 <= status < 300:
            raise classify(
                status=status,
                problem=read_problem(content),
                is_write=is_write,
                refusals=self._connection.refusals,
                retry_after=read_retry_after(headers.get("Retry-After"), self._call.now + self._elapsed()),
                said=said,
            )
        try:
            return answer.model_validate_json(content or b"{}")
        except ValidationError as error:
            raise _unreadable(is_write)(
                f"{said}: the answer does not have the agreed form.",
                detail="; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5]),
            ) from error

    def _exchange(self, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        response = self._client.send(request, stream=True, follow_redirects=False)
        try:
            content = bytearray()
            for piece in response.iter_raw():
                content += piece
                if len(content) > ANSWER_LIMIT:
                    raise _TooLarge
            return response.status_code, response.headers, bytes(content)
        finally:
            response.close()

    def _traced(self, event: str, info: Mapping[str, object]) -> None:
        """Take part in the transport's progress; ``event`` is named as httpcore's trace extension names it."""
        del info
        if event == "http11.send_request_body.complete":
            self._call.recorder.request_sent()

    def _elapsed(self) -> timedelta:
        return timedelta(seconds=self._monotonic() - self._began)

    def _remaining(self, said: str) -> float:
        remaining = (self._call.deadline - self._call.now - self._elapsed()).total_seconds()
        if remaining <= 0:
            raise Temporary(f"{said}: the call's time was over before the request was sent.")
        return remaining

    def _headers(self, *, has_body: bool, is_write: bool) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._connection.token}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            **correlation_headers(self._call),
        }
        if has_body:
            headers["Content-Type"] = "application/json"
        if is_write:
            headers["Idempotency-Key"] = self._call.sent_key
        return headers


def correlation_headers(call: Call) -> dict[str, str]:
    """Return the correlation ids of a call as request headers (W22); ``traceparent`` as W3C Trace Context writes it."""
    ids = call.correlation
    span = hashlib.sha256(f"{ids.execution_id}:{call.attempt}".encode()).hexdigest()[:16]
    named = {
        "traceparent": f"00-{ids.trace_id}-{span}-01",
        "X-Workflow-Id": ids.workflow_id,
        "X-Business-Key": ids.business_key,
        "X-Step-Key": ids.step_key,
        "X-Execution-Id": ids.execution_id,
        "X-Approval-Id": ids.approval_id,
        "X-Event-Id": ids.event_id,
    }
    # Business keys and element ids may hold any character; a header may not.
    return {name: quote(value, safe=" !#$&'()*+,/:;=?@[]") for name, value in named.items() if value is not None}


def _open(connection: Connection) -> httpx.Client:
    return httpx.Client(
        transport=BoundedTransport(connections=2 * connection.concurrency),
        headers={"User-Agent": "vermilion"},
        follow_redirects=False,
        trust_env=False,
    )


def _unreadable(is_write: bool) -> type[OperationError]:
    return Unreadable if is_write else Temporary


def _name(fault: Exception) -> str:
    return type(fault).__name__
