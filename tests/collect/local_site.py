"""A web site for tests. In: a function that replies to each request. Out: its address, a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.local_server import Reply, Request, serve


@dataclass
class Site:
    """A server that runs.

    Attributes:
        url: its address, without a slash at the end.
        log: path and headers of each request, as they came.
    """

    url: str = ""
    log: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def host(self) -> str:
        """`127.0.0.1:PORT`."""
        return self.url.removeprefix("http://")

    def paths(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [path for path, _ in self.log if path != "/robots.txt"]


@contextmanager
def served(answer: Callable[[Request], Reply]) -> Iterator[Site]:
    """Serve while the block runs."""
    site = Site()

    def reply(request: Request) -> Reply:
        site.log.append((request.path, dict(request.headers)))
        return answer(request)

    with serve(reply) as site.url:
        yield site
