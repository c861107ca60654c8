"""A small HTTP server that can do what frameworks protect one from: drop a connection in the middle of a request.

It stands on ``http.server`` because a cut must be a real reset of the socket at a chosen moment, and there the socket
is at hand; a WSGI server owns the socket and answers for the application whatever it does.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

#: Larger bodies are refused.
LARGEST_BODY_BYTES = 1_000_000
#: How often the listening thread looks whether it should stop, in seconds.
_STOP_POLL_SECONDS = 0.05


class Cut(Exception):
    """Close the connection without an answer."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What arrived; header names in lower case."""

    method: str
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What goes back."""

    status: int = 200
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def json_answer(content: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an answer with JSON; decimals and dates become strings."""
    body = json.dumps(content, ensure_ascii=False, default=str).encode()
    return Answer(status=status, body=body, headers=headers or {})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sandbox"
    disable_nagle_algorithm = True

    def _handle(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        if length > LARGEST_BODY_BYTES:
            self.close_connection = True
            self._send(Answer(status=413, body=b"{}"))
            return
        address = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=address.path,
            parameters=dict(parse_qsl(address.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        try:
            answer = self._owner.application(request)
        except Cut:
            self._reset()
            return
        self._send(answer)

    # The base class calls methods by these names.
    do_GET = do_POST = do_DELETE = _handle  # noqa: N815

    @property
    def _owner(self) -> _Server:
        return cast(_Server, self.server)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def _reset(self) -> None:
        """Make the next close send RST: linger on, zero seconds."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._owner.resets.add(self.connection)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: calls are logged in the database."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int, application: Callable[[Request], Answer]) -> None:
        self.application = application
        self.resets: set[socket.socket] = set()
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        if request in self.resets:
            self.resets.discard(request)
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event; the application answers for everything else."""

    def drop_connections(self) -> None:
        """End the conversations that clients keep open."""
        with self._guard:
            for each in self._open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


class HttpServer:
    """A listening server with its thread. ``port`` 0 takes a free one, known after construction."""

    def __init__(self, host: str, port: int, application: Callable[[Request], Answer]) -> None:
        self._server = _Server(host, port, application)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_STOP_POLL_SECONDS,), name=f"sandbox-{self.port}", daemon=True
        )

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and drop open connections."""
        self._server.shutdown()
        self._thread.join()
        self._server.drop_connections()
        self._server.server_close()
