"""Serves the web application with waitress, in a thread of this process."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Any, Self

from flask import Flask
from waitress.server import create_server  # pyright: ignore[reportMissingTypeStubs]
from waitress.wasyncore import close_all  # pyright: ignore[reportMissingTypeStubs]

#: Requests served at once.
THREADS = 8
_SECONDS_TO_STOP = 10.0


class PortTaken(Exception):
    """Something else uses the port. End it, or choose another port."""


def free_or_refused(host: str, port: int, *, option: str) -> None:
    """Make sure that a port can be opened.

    Raises
    ------
    PortTaken
        With the option that chooses another.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} on {host} cannot be opened ({error.strerror}). End what uses it, or choose another with "
                f"{option}."
            ) from error


class WebServer:
    """An open port and the thread that serves it. ``port`` 0 takes a free one.

    Raises
    ------
    PortTaken
        When the port cannot be opened.
    """

    def __init__(self, application: Flask, *, host: str, port: int) -> None:
        try:
            self._server: Any = create_server(
                application,
                host=host,
                port=port,
                threads=THREADS,
                ident="vermilion",
                clear_untrusted_proxy_headers=True,
            )
        except OSError as error:
            raise PortTaken(f"Port {port} on {host} cannot be opened ({error.strerror}). Choose another.") from error
        self.port: int = self._server.effective_port
        self.url = f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.run, name="vermilion-web", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Sockets belong to the serving thread: it closes them itself, and its loop ends with the last of them.
        self._server.trigger.pull_trigger(lambda: close_all(self._server._map))
        self._thread.join(_SECONDS_TO_STOP)
        self._server.task_dispatcher.shutdown()
