"""A real HTTP server that answers, or fails to answer, exactly as a test tells it."""

from __future__ import annotations

import io
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

#: What the server does after it has read a whole request.
Behaviour = Callable[[socket.socket], None]


@dataclass
class Received:
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    peer: int


@dataclass
class Misbehaving:
    """The server's address, what it received, and how it behaves; ``hangs`` ends behaviours that wait."""

    port: int
    behaviour: Behaviour
    received: list[Received] = field(default_factory=list[Received])
    hangs: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Root of the server."""
        return f"http://127.0.0.1:{self.port}"


def answer(status: int, body: bytes = b"", **headers: str) -> Behaviour:
    """Answer properly."""

    def behave(peer: socket.socket) -> None:
        lines = [f"HTTP/1.1 {status} Some", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        peer.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return behave


def raw(content: bytes) -> Behaviour:
    """Send these bytes and close."""

    def behave(peer: socket.socket) -> None:
        peer.sendall(content)
        raise ConnectionAbortedError

    return behave


def cut(peer: socket.socket) -> None:
    """Reset the connection without a byte of an answer."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError


@contextmanager
def misbehaving(behaviour: Behaviour = cut) -> Generator[Misbehaving]:
    """Run the server for the length of a test; connections are kept alive between requests."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            reader = self.request.makefile("rb")
            try:
                while True:
                    request = _read(reader, self.client_address[1])
                    if request is None:
                        return
                    told.received.append(request)
                    told.behaviour(self.request)
            except (OSError, ValueError):
                return
            finally:
                reader.close()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        told = Misbehaving(port=server.server_address[1], behaviour=behaviour)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            told.hangs.set()
            server.shutdown()
            thread.join()


def _read(reader: io.BufferedReader, peer: int) -> Received | None:
    line: bytes = reader.readline()
    if not line:
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (line := reader.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body: bytes = reader.read(int(headers.get("content-length", "0")))
    return Received(method=method, target=target, headers=headers, body=body, peer=peer)
