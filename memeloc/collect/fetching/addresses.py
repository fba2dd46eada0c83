"""Addresses that may be asked. In: a URL, an IP address, a host. Out: a connection, or why not.

Pages name other pages and pictures, and a name on the network may mean any machine: so only http
and https are followed, on ports where the web is served, and never to a machine inside the network.
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
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

import certifi
import httpcore
import httpx

from memeloc.collect.fetching.settings import MOST_AT_ONCE
from memeloc.errors import MemelocError

LONGEST = 4000  # characters that an address may have

_PORTS = {"http": 80, "https": 443}
_FIRST_FREE_PORT = 1024  # below it are services that no picture is fetched from
_PORTS_IN_ALL = 65_536  # a port has 16 bits
_UNICAST = IPv6Network("2000::/3")  # all that IANA gives out for the public network
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052; the local prefixes of RFC 8215 are not public
_PROTOCOLS = IPv4Network("192.0.0.0/24")  # RFC 6890, likewise
_DOCUMENTATION = IPv6Network("3fff::/20")  # RFC 9637; Python's table does not have it everywhere


class FetchRefused(MemelocError):  # noqa: N818 - a refusal, not a fault
    """Something was not fetched, or not taken: its url, a short key that can be counted (`reason`)
    and a sentence (`message`).
    """

    def __init__(self, url: str, reason: str, message: str) -> None:
        self.url = url
        self.reason = reason
        self.message = message
        super().__init__(f"{url[:200]}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        """Cross a process boundary whole."""
        return (FetchRefused, (self.url, self.reason, self.message))


def host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def check_address(url: str) -> tuple[httpx.URL, str]:
    """Return a URL without its fragment, and its `host:port`, or raise FetchRefused."""
    if len(url) > LONGEST:
        raise FetchRefused(url, "not an address", f"it has over {LONGEST:,} characters")
    try:
        parsed = httpx.URL(url).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise FetchRefused(url, "not an address", f"it is no address ({error})") from error
    if parsed.scheme not in _PORTS:
        raise FetchRefused(
            url, "not http", f"only http and https are followed, not {parsed.scheme or 'nothing'!r}"
        )
    if parsed.userinfo:
        raise FetchRefused(url, "not an address", "it has a name or password in it")
    host = parsed.raw_host.decode("ascii", "replace").lower().rstrip(".")
    if not host:
        raise FetchRefused(url, "not an address", "it names no host")
    port = parsed.port or _PORTS[parsed.scheme]
    if not (port in _PORTS.values() or _FIRST_FREE_PORT <= port < _PORTS_IN_ALL):
        raise FetchRefused(
            url, "not a web port", f"port {port} is not one that the web is served on"
        )
    return parsed, host_port(host, port)


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public network.

    An IPv6 address is public within 2000::/3. One that stands for an IPv4 address (6to4, Teredo,
    NAT64) is public when that one is, too; one that only maps it is not, for no server of the
    public network is called so. Text that is no IP address is not public.

    >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner: list[IPv4Address] = []
    if isinstance(parsed, IPv6Address):
        if parsed in _NAT64:
            return is_public(str(IPv4Address(int(parsed) & 0xFFFFFFFF)))
        if parsed not in _UNICAST or parsed in _DOCUMENTATION:
            return False
        inner = [parsed.sixtofour] if parsed.sixtofour else list(parsed.teredo or ())
    elif parsed in _PROTOCOLS:
        return False
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified:
        return False
    return all(is_public(str(each)) for each in inner)


class Deadline(threading.local):
    """The time when the request of the current thread has to be done, by `time.monotonic`."""

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
    """Return connections that go to public addresses only; a request to another is refused.

    Proxies that the environment names are not used: what a proxy connects to cannot be checked.
    """
    return httpcore.ConnectionPool(
        ssl_context=_certificates(),
        max_connections=2 * MOST_AT_ONCE,
        keepalive_expiry=30.0,
        network_backend=_PublicOnly(allowed, deadline),
    )


@cache  # to read all that are trusted takes a tenth of a second
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certifi.where())
