"""Limits on how often clients may come. In: names. Out: whether they have to wait.

Counts are kept in this process: the server is one process, and a restart forgets them.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

_MOST_CLIENTS = 50_000
"""Clients that are remembered; those that came longest ago are forgotten first."""


class Rate:
    """So many a minute for each name, as a bucket that holds a minute's worth; 0 for any number."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when

    def wait(self, name: str) -> float:
        """Count one; return 0.0 if it may pass, else the seconds until one may."""
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
    headers = {"Retry-After": str(math.ceil(seconds))}
    return JSONResponse({"error": "too many requests"}, 429, headers)


def client_of(scope: Scope) -> str:
    """Return whom a request comes from, an IPv4 address or a /64 of IPv6; uvicorn has looked at
    what trusted proxies say."""
    client = HTTPConnection(scope).client
    host = client.host if client else ""
    try:
        is_new = ipaddress.ip_address(host).version == 6
    except ValueError:
        return host
    return str(ipaddress.ip_network((host, 64), strict=False)) if is_new else host
