"""The example sites for tests: a server, and what a source finds on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.sites.serve import Running
from memeloc.collect.fetching.fetch import Fetcher, FetchSettings, FetchStatistics
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Refusal


@dataclass
class Found:
    """What a source yielded, by kind, and what fetching took."""

    templates: list[FoundTemplate]
    captions: list[FoundCaption]
    pictures: list[FoundPicture]
    refusals: list[Refusal]
    statistics: FetchStatistics

    @property
    def reasons(self) -> list[str]:
        return [refusal.reason for refusal in self.refusals]

    def without_times(self) -> list[tuple[Any, ...]]:
        """Everything but when it was fetched, for comparing runs."""
        return [
            (
                type(item).__name__,
                item.origin.key,
                getattr(item, "parts", ()),
                getattr(item, "year", 0),
            )
            for item in (*self.templates, *self.captions, *self.pictures)
        ] + [(refusal.reason, refusal.url) for refusal in self.refusals]


def settings_for(running: Running, max_age: float = 3600.0) -> FetchSettings:
    return FetchSettings(delay=0.0, seed=1, max_age=max_age, allow_hosts=frozenset({running.host}))


def collected(
    source: Any, running: Running, cache: Path | None = None, *, max_age: float = 3600.0
) -> Found:
    with Fetcher(cache, settings_for(running, max_age)) as fetcher:
        result = list(source.collect(fetcher))
        return Found(
            _of(result, FoundTemplate),
            _of(result, FoundCaption),
            _of(result, FoundPicture),
            _of(result, Refusal),
            fetcher.statistics,
        )


def _of(result: Sequence[Any], kind: type) -> list[Any]:
    return [item for item in result if isinstance(item, kind)]


def statuses(lines: Sequence[str]) -> list[int]:
    """The statuses of lines of the server's log."""
    return [int(line.split()[-2]) for line in lines]
