"""Connections to a server. In: its address. Out: a pool of urllib3, through the team's proxy.

urllib3 takes half of httpx's CPU time for a request, which is measured in bench/: the client's time
for a question is mostly its.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from memeloc.errors import ServiceError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPConnectionPool

MAX_BODY = 4_000_000
"""Bytes of an answer's body at the most."""
_CHUNK = 1 << 16  # bytes read at a time, so that too large a body is noticed
_KEPT = 256
"""Connections that are kept open for further requests."""


class UnansweredError(ServiceError):
    """A request that was sent and got no whole answer: a service may bill it all the same.

    It is repeated unless it is `final`.
    """

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(service, reason, retryable=True)
        self.final = False


class Connections:
    """Connections to one address of a service. May be used from several threads.

    A proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`) is used.
    """

    def __init__(self, service: str, url: str, headers: Mapping[str, str], timeout: float) -> None:
        import certifi
        import urllib3

        self._service = service
        self._headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        self._headers |= headers
        self._timeout = timeout
        parts = urlsplit(url)
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        manager = urllib3.PoolManager()
        proxy = "" if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme, "")
        if proxy:
            auth = urlsplit(proxy)
            login = f"{auth.username}:{auth.password or ''}" if auth.username else None
            manager = urllib3.ProxyManager(
                proxy, proxy_headers=urllib3.make_headers(proxy_basic_auth=login)
            )
            if parts.scheme == "http":  # RFC 9112, 3.2.2: a proxy is given the whole address
                self._target = url
        manager.connection_pool_kw |= {
            "timeout": urllib3.Timeout(connect=timeout, read=timeout),
            "maxsize": _KEPT,
            "retries": False,
        }
        if parts.scheme == "https":
            certificates = ssl.create_default_context()
            certificates.load_verify_locations(certifi.where())
            manager.connection_pool_kw["ssl_context"] = certificates
        self._pool: HTTPConnectionPool = manager.connection_from_url(url)

    def exchange(
        self, content: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[BaseHTTPResponse, bytes]:
        """Return the answer to a request, and its body as far as it may go. Raise UnansweredError
        if it did not come whole, or not in time; ServiceError if there is none; ValueError if it is
        longer than `MAX_BODY`."""
        from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError

        try:
            response = self._pool.urlopen(
                "POST",
                self._target,
                body=content,
                headers=self._headers | dict(headers or {}),
                redirect=False,
                preload_content=False,
            )
            until = monotonic() + self._timeout
            body = bytearray()
            try:
                while chunk := response.read1(_CHUNK):  # as they come: a whole one may never end
                    body += chunk
                    if len(body) > MAX_BODY:
                        raise ValueError(f"its answer has more than {MAX_BODY:,} bytes")
                    if monotonic() > until:
                        reason = f"no whole answer within {self._timeout:g} s"
                        raise UnansweredError(self._service, reason)
            except BaseException:
                response.close()  # what is left of its body would be taken for the next answer
                raise
            return response, bytes(body)
        except HTTPError as error:
            # It begins with the connection as Python shows it.
            about = str(error).rpartition("): ")[2] or "no answer"
            if isinstance(error, ProtocolError):
                about = "the connection was cut before the whole answer was there"
            reason = f"{about} ({type(error).__name__})"
            if isinstance(error, ProtocolError | ReadTimeoutError):
                raise UnansweredError(self._service, reason) from error
            raise ServiceError(self._service, reason, retryable=True) from error

    def close(self) -> None:
        """Close them all; those in use, when they are given back."""
        self._pool.close()
