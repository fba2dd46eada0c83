"""Connections to a server. In: headers, a timeout. Out: a client of httpx for each thread.

httpx looks at all connections of a client for each request, which costs more than the request where
dozens are in flight. So each request has a client of its own, with the one connection that it keeps
for the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx


class Connections:
    """Clients that are made when all others are in use. May be used from several threads."""

    def __init__(self, headers: Mapping[str, str], timeout: float) -> None:
        import httpx

        self._headers, self._timeout = dict(headers), timeout
        self._certificates = httpx.create_ssl_context()  # slow to make, and the same for all
        self._free: list[httpx.Client] = []
        self._closed = False
        self._lock = Lock()

    @contextmanager
    def client(self) -> Iterator[httpx.Client]:
        """A client that nobody else uses meanwhile."""
        with self._lock:
            client = self._free.pop() if self._free else None
        client = client or self._new()
        try:
            yield client
        finally:
            with self._lock:
                if not self._closed:
                    self._free.append(client)
            if self._closed:
                client.close()

    def close(self) -> None:
        """Close them all; those in use, when they are given back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for client in free:
            client.close()

    def _new(self) -> httpx.Client:
        import httpx

        return httpx.Client(headers=self._headers, timeout=self._timeout, verify=self._certificates)
