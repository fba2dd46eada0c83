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

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPConnectionPool

MAX_BODY = 4_000_000
"""Bytes of an answer's body at the most."""
_CHUNK = 1 << 16
_KEPT = 256
"""Connections that are kept open for further requests."""


class Connections:
    """Connections to one address. May be used from several threads.

    A proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`) is used.
    """

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        import certifi
        import urllib3

        self._headers = dict(headers)
        self._timeout = timeout
        parts = urlsplit(url)
        self._target = parts.path or "/"
        certificates = ssl.create_default_context()
        certificates.load_verify_locations(certifi.where())
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
            manager.connection_pool_kw["ssl_context"] = certificates
        self._pool: HTTPConnectionPool = manager.connection_from_url(url)

    def exchange(
        self, content: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[BaseHTTPResponse, bytes]:
        """Return the answer to a request, and its body as far as it may go.

        Raises:
            urllib3.exceptions.HTTPError: there is none.
            TimeoutError: it was not whole in time.
            ValueError: it is longer than `MAX_BODY`.
        """
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
            while chunk := response.read1(_CHUNK):  # as they come: a whole one may take for ever
                body += chunk
                if len(body) > MAX_BODY:
                    raise ValueError(f"its answer has more than {MAX_BODY:,} bytes")
                if monotonic() > until:
                    raise TimeoutError(f"no whole answer within {self._timeout:g} s")
        except BaseException:
            response.close()  # what is left of its body would be taken for the next answer
            raise
        return response, bytes(body)

    def close(self) -> None:
        """Close them all; those in use, when they are given back."""
        self._pool.close()
