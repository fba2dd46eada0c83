"""A web site for tests. In: a function that replies to each request, or the reply of each path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from tests.local_server import Reply, Request, serve


@dataclass
class Site:
    """A server that runs.

    Attributes:
        url: its address, without a slash at the end.
        log: the requests, as they came.
        replies: by path, for `serving`.
    """

    url: str = ""
    log: list[Request] = field(default_factory=list)
    replies: dict[str, Reply] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """`127.0.0.1:PORT`."""
        return self.url.removeprefix("http://")

    def paths(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [request.path for request in self.log if request.path != "/robots.txt"]

    def collect(self, source: Any, cache: Path | None = None, **settings: Any) -> list[Any]:
        """Return what a source finds that may ask this site without pauses."""
        allowed = frozenset({self.host})
        quick = FetchSettings(delay=0.0, retries=0, allow_hosts=allowed, **settings)
        with Fetcher(cache, quick) as fetcher:
            return list(source.collect(fetcher))


@contextmanager
def served(answer: Callable[[Request], Reply], site: Site | None = None) -> Iterator[Site]:
    """Serve while the block runs."""
    site = site or Site()

    def reply(request: Request) -> Reply:
        site.log.append(request)
        return answer(request)

    with serve(reply) as site.url:
        yield site


@contextmanager
def serving(replies: Mapping[str, Reply]) -> Iterator[Site]:
    """Serve a reply a path; `{address}` in it becomes the server's address."""
    site = Site(replies=dict(replies))

    def answer(request: Request) -> Reply:
        reply = site.replies.get(request.path.partition("?")[0], Reply(b"not here", 404))
        body = reply.body.replace(b"{address}", site.url.encode())
        return replace(reply, body=body, length=None)

    with served(answer, site):
        yield site
