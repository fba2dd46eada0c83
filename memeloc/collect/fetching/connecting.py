"""Connections to public machines only. In: a host's name. Out: a connection to what was checked.

A name is resolved once, everything it resolves to is checked, and the connection goes to the very
address that was checked: a name that resolves to a public address first and to one inside the
network a moment later (DNS rebinding) gains nothing. TLS still proves the name.

A request has one deadline, from connecting to the last byte: a server that sends a byte of its
headers a second, or one interim answer after another, is never silent for long.
"""

from __future__ import annotations

import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable
from typing import Any

import certifi
import httpcore

from memeloc.collect.fetching.addresses import FetchRefused, host_port, is_public
from memeloc.collect.fetching.settings import MOST_AT_ONCE


class Deadline(threading.local):
    """When the request of the current thread has to be done, by `time.monotonic`."""

    moment = math.inf

    def within(self, timeout: float | None) -> float:
        """Return the seconds that are left, `timeout` at most, or raise FetchRefused."""
        left = self.moment - time.monotonic()
        if left <= 0:
            raise FetchRefused("", "too slow", "it takes longer than a request may take")
        return left if timeout is None else min(timeout, left)


class _Timed(httpcore.NetworkStream):
    """A connection that keeps to the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return self._stream.read(max_bytes, self._deadline.within(timeout))
        except httpcore.ReadTimeout:
            self._deadline.within(None)
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.within(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.within(timeout)
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _PublicOnly(httpcore.NetworkBackend):
    def __init__(self, allowed: frozenset[str], deadline: Deadline) -> None:
        self._allowed = allowed
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to one of the addresses of a host, all of which must be public."""
        host = host.strip("[]")
        name = host_port(host.lower(), port)
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
                raise httpcore.ConnectError(f"the name {host} cannot be looked up") from error
            raise FetchRefused(name, "not reached", f"there is no machine called {host}") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
        inside = [address for address in addresses if not is_public(address)]
        if inside and name not in self._allowed:
            sentence = f"{host} leads to {', '.join(inside)}"
            raise FetchRefused(name, "inside the network", sentence)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                left = self._deadline.within(timeout)
                stream = self._sockets.connect_tcp(
                    address, port, left, local_address, socket_options
                )
                return _Timed(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


def public_pool(allowed: frozenset[str], deadline: Deadline) -> httpcore.ConnectionPool:
    """Connections that go to public addresses only; a request to another raises `FetchRefused`.

    Proxies that the environment names are not used: what a proxy connects to cannot be checked.

    Args:
        allowed: `host:port` that may be inside the network all the same.
        deadline: of each thread's request.
    """
    return httpcore.ConnectionPool(
        ssl_context=ssl.create_default_context(cafile=certifi.where()),
        max_connections=2 * MOST_AT_ONCE,
        keepalive_expiry=30.0,
        network_backend=_PublicOnly(allowed, deadline),
    )
