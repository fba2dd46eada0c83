"""How much is taken of whom. In: an ASGI application. Out: the same with limits.

Counts are kept in this process: the server is one process, and a restart forgets them.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_CLIENTS = 50_000
"""Clients that are remembered; those that came longest ago are forgotten first."""


class Rate:
    """So many a minute for each name, as a bucket that holds a minute's worth; 0 for any number."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By name what was left, and when."""

    def wait(self, name: str) -> float:
        """Count one; 0.0 if it may pass, else the seconds until one may."""
        if not self._most:
            return 0.0
        now, a_second = self._clock(), self._most / 60
        left, since = self._left.pop(name, (float(self._most), now))
        left = min(self._most, left + (now - since) * a_second)
        waits = 0.0 if left >= 1 else (1 - left) / a_second
        self._left[name] = (left if waits else left - 1, now)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return waits


def too_many(seconds: float) -> Response:
    """The reply to a client that has to wait."""
    headers = {"Retry-After": str(math.ceil(seconds))}
    return JSONResponse({"error": "too many requests"}, 429, headers)


class RateLimit:
    """Refuses what a client sends too fast; a client is an IPv4 address, or a /64 of IPv6."""

    def __init__(self, app: ASGIApp, rate: Rate) -> None:
        self.app, self._rate = app, rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        wait = self._rate.wait(client_of(scope)) if scope["type"] == "http" else 0.0
        await (too_many(wait) if wait else self.app)(scope, receive, send)


def client_of(scope: Scope) -> str:
    """Return whom a request comes from; uvicorn has looked at what trusted proxies say."""
    client = HTTPConnection(scope).client
    host = client.host if client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


class BodyLimit:
    """Refuses requests with more than `largest` bytes."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app, self._largest = app, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = HTTPConnection(scope).headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._largest:
            await JSONResponse({"error": "the request is too large"}, 413)(scope, receive, send)
            return
        size = 0

        async def receive_bounded() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._largest:  # a body in pieces says no length
                raise HTTPException(413, "the request is too large")
            return message

        await self.app(scope, receive_bounded, send)
