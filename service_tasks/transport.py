"""A pool of connections on which a read time-out bounds the whole answer, not the pause between two bytes.

``httpx`` applies its read time-out to each piece received, so a system that sends one byte a second would hold a worker
for ever. Here the time-out given for a request counts from the last byte of that request.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from typing import cast

import httpcore
import httpx


class _Stream(httpcore.NetworkStream):
    """A socket whose reads share one time-out, which starts anew with every write."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self._written_at = time.monotonic()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if timeout is not None:
            timeout -= time.monotonic() - self._written_at
            if timeout <= 0:
                raise httpcore.ReadTimeout("The answer took longer than its time-out.")
        return self._inner.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)
        self._written_at = time.monotonic()

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Network(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, timeout, local_address, socket_options))


class _Body(httpx.SyncByteStream):
    def __init__(self, inner: httpcore.Response) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner.iter_stream()

    def close(self) -> None:
        self._inner.close()


class BoundedTransport(httpx.BaseTransport):
    """The transport of every adapter. Thread-safe; network faults are raised as ``httpcore`` classes."""

    def __init__(self, *, connections: int) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=15,
            network_backend=_Network(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=cast(Iterable[bytes], request.stream),
                extensions=request.extensions,
            )
        )
        return httpx.Response(status_code=answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        self._pool.close()
