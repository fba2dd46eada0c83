"""Settings and statistics of fetching. In: numbers. Out: the same, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field
from pydantic import dataclasses as validated

from memeloc.version import __version__

USER_AGENT = f"memeloc/{__version__} (research tool that builds meme datasets)"
"""How memeloc introduces itself; robots.txt may name `memeloc`."""

MOST_AT_ONCE = 8  # requests that a host gets at once, at the most, whatever it allows

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


@validated.dataclass(frozen=True, slots=True)
class FetchSettings:
    """Settings of fetching pages.

    Attributes:
        delay: between two requests to a host, at least; its Crawl-delay may make it more.
        timeout: how long a server may stay silent; `total` is for a whole request.
        max_page_bytes, max_picture_bytes: of what comes, after decompression.
        retries: how often a request is sent again when the server is busy or the line is cut.
        patience: how long a server may ask to wait before it counts as refusing.
        max_age: for how long a page is not asked for again, so that a run that was cut off goes on
            where it was.
        user_agent: how the tool introduces itself: a line of ASCII letters.
        at_once: requests that a host gets at once, 1 to 8, by its name or `host:port`; those who
            run it have to agree. A host that is not named gets one at a time, and so does one whose
            robots.txt has a Crawl-delay.
        allow_hosts: `host:port` that may be inside the network, for a server of one's own.
        seed: of the jitter between retries.
    """

    delay: Seconds = 1.0
    timeout: Seconds = 20.0
    total: Seconds = 120.0
    max_page_bytes: Count = 10_000_000
    max_picture_bytes: Count = 30_000_000
    retries: Count = 4
    patience: Seconds = 120.0
    max_redirects: Count = 8
    max_age: Seconds = 3600.0
    user_agent: Annotated[str, Field(pattern=r"^[ -~]+$")] = USER_AGENT
    at_once: Mapping[str, Annotated[int, Field(ge=1, le=MOST_AT_ONCE)]] = field(
        default_factory=dict
    )
    allow_hosts: frozenset[Annotated[str, Field(pattern=r":[0-9]+$")]] = frozenset()
    seed: int | None = None


@dataclass(slots=True)
class FetchStatistics:
    """Counts of fetching: requests sent (robots.txt and retries among them), responses with a body
    and those that nothing has changed, pages taken from the cache, pages refused, and the bytes of
    the bodies after decompression.
    """

    requests: int = 0
    fetched: int = 0
    not_modified: int = 0
    cached: int = 0
    refused: int = 0
    bytes: int = 0
