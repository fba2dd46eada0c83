"""Connections to public machines only. In: a host's name. Out: a connection to what was checked.

A name is resolved once, everything it resolves to is checked, and the connection goes to the very
address that was checked: a name that resolves to a public address first and to one inside the
network a moment later (DNS rebinding) gains nothing. TLS still proves the name.

A request has one deadline, from connecting to the last byte: a server that sends a byte of its
headers a second, or one interim answer after another, is never silent for long.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import certifi
import httpcore
import httpx

from memeloc.collect.fetching.addresses import is_public


class InsideNetworkError(Exception):
    """A name leads to a machine inside the network."""


class UnknownNameError(Exception):
    """A name leads nowhere."""


class TooSlowError(Exception):
    """A request's deadline has passed."""


class Deadline(threading.local):
    """When the request that this thread is about has to be done, by `time.monotonic`."""

    moment: float | None = None

    def within(self, timeout: float | None) -> float | None:
        """The seconds that are left, `timeout` at most."""
        if self.moment is None:
            return timeout
        left = self.moment - time.monotonic()
        if left <= 0:
            raise TooSlowError("it takes longer than a request may take")
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
        try:
            self._stream.write(buffer, self._deadline.within(timeout))
        except httpcore.WriteTimeout:
            self._deadline.within(None)
            raise

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


class PublicOnly(httpcore.NetworkBackend):
    """Connects to public addresses only.

    Args:
        allowed: `host:port` that may be inside the network all the same.
        deadline: when the request has to be done.
    """

    def __init__(self, allowed: frozenset[str], deadline: Deadline | None = None) -> None:
        self._allowed = allowed
        self._deadline = deadline or Deadline()
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
        try:
            found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise httpcore.ConnectError(f"the name {host} cannot be looked up") from error
            raise UnknownNameError(f"there is no machine called {host}") from error
        except (OSError, UnicodeError) as error:
            raise UnknownNameError(f"there is no machine called {host}") from error
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        bare = host.strip("[]")
        name = f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"
        if name.lower() not in self._allowed:
            inside = [address for address in addresses if not is_public(address)]
            if inside or not addresses:
                raise InsideNetworkError(f"{host} leads to {', '.join(inside) or 'nothing'}")
        failure: Exception | None = None
        for address in addresses:
            try:
                left = self._deadline.within(timeout)
                stream = self._sockets.connect_tcp(
                    address, port, left, local_address, socket_options
                )
                return _Timed(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        """Refused: no page is read from a socket of this machine."""
        raise InsideNetworkError("sockets of this machine are not read")

    def sleep(self, seconds: float) -> None:
        """Wait between two attempts to connect."""
        self._sockets.sleep(seconds)


class _Body(httpx.SyncByteStream):
    """An answer's body as it comes, with the network's errors as httpx names them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except httpcore.TimeoutException as error:
            raise httpx.ReadTimeout(str(error) or "the answer took too long") from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise httpx.ReadError(str(error) or "the connection was cut") from error

    def close(self) -> None:
        """Let go of the connection."""
        if hasattr(self._stream, "close"):
            self._stream.close()


class PublicTransport(httpx.BaseTransport):
    """Carries httpx's requests over `PublicOnly`.

    Proxies that the environment names are not used: what a proxy connects to cannot be checked.
    The request's extension `deadline` is when all of it has to be done, by `time.monotonic`.
    """

    def __init__(self, allowed: frozenset[str]) -> None:
        self._deadline = Deadline()
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context(cafile=certifi.where()),
            max_connections=4,
            keepalive_expiry=30.0,
            network_backend=PublicOnly(allowed, self._deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of the answer is still to be read."""
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        self._deadline.moment = request.extensions.get("deadline")
        try:
            answer = self._pool.handle_request(asked)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise httpx.ConnectError(str(error) or "no connection", request=request) from error
        except httpcore.TimeoutException as error:
            raise httpx.ReadTimeout(str(error) or "no answer in time", request=request) from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise httpx.ReadError(str(error) or "no answer", request=request) from error
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), request=request
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
