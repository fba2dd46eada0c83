"""How pages are fetched, and what that took. In: numbers. Out: the same, checked."""

from __future__ import annotations

from dataclasses import dataclass

from memeloc.errors import InputError
from memeloc.version import __version__

USER_AGENT = f"memeloc/{__version__} (research tool that builds meme datasets)"
"""How memeloc introduces itself; robots.txt may name `memeloc`."""

_NUMBERS = (
    *("delay", "timeout", "total", "max_page_bytes", "max_picture_bytes", "retries", "patience"),
    *("max_redirects", "max_age"),
)
_COUNTS = ("max_page_bytes", "max_picture_bytes", "retries", "max_redirects")


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How pages are fetched.

    Attributes:
        delay: seconds between two requests to a host, at least; its Crawl-delay may make it more.
        timeout: seconds that a server may stay silent.
        total: seconds that one request may take in all.
        max_page_bytes, max_picture_bytes: of what comes, after decompression.
        retries: how often a request is sent again when the server is busy or the line is cut.
        patience: seconds that a server may ask to wait before it counts as refusing.
        max_redirects: how many are followed, one after another.
        max_age: seconds during which a page is not asked for again, so that a run that was cut off
            goes on where it was.
        user_agent: how the tool introduces itself.
        allow_hosts: `host:port` that may be inside the network, for a server of one's own.
        seed: of the jitter between retries.
    """

    delay: float = 1.0
    timeout: float = 20.0
    total: float = 120.0
    max_page_bytes: int = 10_000_000
    max_picture_bytes: int = 30_000_000
    retries: int = 4
    patience: float = 120.0
    max_redirects: int = 8
    max_age: float = 3600.0
    user_agent: str = USER_AGENT
    allow_hosts: frozenset[str] = frozenset()
    seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, with a sentence."""
        for name in _NUMBERS:
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value < float("inf"):
                raise InputError(f"the setting {name} of fetching is {value!r}; it is a number")
        for name in _COUNTS:
            if not isinstance(getattr(self, name), int):
                raise InputError(f"the setting {name} of fetching is a whole number")
        agent = self.user_agent
        if not isinstance(agent, str) or not (agent.isascii() and agent.isprintable() and agent):
            raise InputError("the setting user_agent of fetching is a line of ASCII letters")
        for host in self.allow_hosts:
            if not isinstance(host, str) or not host.rpartition(":")[2].isdecimal():
                raise InputError(f"{host!r} is no host with its port, such as localhost:8000")


@dataclass(slots=True)
class FetchStatistics:
    """What fetching did.

    Attributes:
        requests: that were sent, robots.txt and retries among them.
        fetched: answers with a body.
        not_modified: answers that say that nothing has changed.
        cached: pages that were not asked for again.
        refused: pages that were refused, or not to be had.
        bytes: of the bodies, after decompression.
    """

    requests: int = 0
    fetched: int = 0
    not_modified: int = 0
    cached: int = 0
    refused: int = 0
    bytes: int = 0
