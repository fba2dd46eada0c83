"""Collecting items, and reading the text in pictures. In: a workspace. Out: `Collecting`."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from memeloc.collect.fetching.settings import FetchSettings, FetchStatistics
from memeloc.collect.protocol import Source, TablePreview, dataset_of, preview_of
from memeloc.collect.registry import build, find
from memeloc.errors import MissingError
from memeloc.items import Found, Refusal
from memeloc.settings import validate
from memeloc.workspace.part import Phases, silent
from memeloc.workspace.reading import Reading

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher
    from memeloc.collect.year_by_model import YearReader
    from memeloc.store import Store

_BATCH = 50
"""Things that are stored at once."""
_WAIT = 5.0
"""Seconds after which what came is stored, however little it is."""


@dataclass(slots=True)
class CollectResult:
    """The yield of a source.

    Attributes:
        dataset: the name that its dataset is kept by; empty for a site.
        new, changed, unchanged: how many items are stored.
        found: how many templates, captions and pictures came.
        refused: how many things were not taken, by reason, most first.
        requests: how many were `sent`, `fetched`, `not modified` and taken `from cache`, and their
            `bytes`.
        cost: what a language model was asked and cost, a sentence; empty when none was.
        tables: how the tables of a dataset were read.
    """

    source: str
    dataset: str = ""
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    found: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    seconds: float = 0.0
    requests: dict[str, int] = field(default_factory=dict)
    cost: str = ""
    tables: list[TablePreview] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CollectPlan:
    """The requests that a source would get.

    Attributes:
        options: those that are set.
        delay: seconds between two requests to a host.
        there: items of this source and dataset that are stored already, by kind.
        dataset: the name that its dataset would be kept by; empty for a site.
        tables: how the tables of a dataset would be read.
    """

    source: str
    options: dict[str, str]
    delay: float
    there: dict[str, int]
    dataset: str = ""
    tables: list[TablePreview] = field(default_factory=list)


class Collecting(Reading):
    """Collecting items from sources, and reading the text in pictures."""

    def collect(
        self,
        source: str,
        options: Mapping[str, Any] | None = None,
        *,
        dataset: str = "",
        limit: int = 0,
        allow_hosts: Sequence[str] = (),
        delay: float | None = None,
        max_age: float | None = None,
        on_tables: Callable[[list[TablePreview]], None] | None = None,
        on_progress: Phases = silent,
    ) -> CollectResult:
        """Store what a source yields, in batches, as it comes.

        Args:
            source: its name; see `memeloc.collect.registry`.
            options: the source's own, over those of memeloc.toml.
            dataset: the name of what is read, which says that it is the one of this name wherever
                it lies; without, a folder has its own.
            limit: stop after so many things; 0 is no limit.
            allow_hosts: HOST:PORT of servers that may be inside the network.
            delay: seconds between two requests to a host.
            max_age: seconds during which a page is not asked for again.
            on_tables: called before anything is read with how the tables of a dataset will be.

        Raises:
            InputError: there is no such source or option, nothing where it is to read, or another
                dataset of the same name.
            MissingError: what the source needs is not installed.
        """
        make = find(source)
        values = self._options(source, options or {})
        settings = self._fetch_settings(allow_hosts, delay, max_age)
        result = CollectResult(source)
        began = time.monotonic()
        self._store.items.remove_unnamed_pictures()
        with (
            self._years(make, result) as more,
            _fetcher(self._store.folder / ".cache" / "http", settings) as fetcher,
        ):
            reading = self._build(source, {**values, **more})
            named = self._dataset(reading, source, dataset)
            result.dataset = named.name
            result.tables = preview_of(reading)
            if on_tables and result.tables:
                on_tables(result.tables)
            things = reading.collect(fetcher)
            storing = _Storing(self._store, result, named)
            try:
                for thing in islice(things, limit or None):
                    storing.add(thing)
                    on_progress("collecting", 1, None)
            finally:
                storing.flush()
        result.seconds = round(time.monotonic() - began, 2)
        asked = fetcher.statistics
        result.requests = {
            "sent": asked.requests,
            "fetched": asked.fetched,
            "not modified": asked.not_modified,
            "from cache": asked.cached,
            "bytes": asked.bytes,
        }
        result.refused = dict(Counter(refusal.reason for refusal in result.refusals).most_common())
        return result

    def plan(
        self,
        source: str,
        options: Mapping[str, Any] | None = None,
        *,
        dataset: str = "",
        delay: float | None = None,
    ) -> CollectPlan:
        """Return what `collect` would ask a source; nothing is asked or stored."""
        values = self._options(source, options or {})
        reading = self._build(source, values)
        name = self._dataset(reading, source, dataset).name
        there = Counter[str](
            item.kind for item in self._store.items.find(source=source, dataset=name)
        )
        return CollectPlan(
            source,
            {
                key: ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
                for key, value in values.items()
                if value not in (None, "", ())
            },
            self._fetch_settings((), delay, None).delay,
            dict(there),
            name,
            preview_of(reading),
        )

    def _build(self, source: str, values: Mapping[str, Any]) -> Source:
        """The source, which is given the workspace where its table is one of captions."""
        if source != "captions":
            return build(source, dict(values))
        from memeloc.collect.sources.captions import Within

        workspace = self._workspace
        within = Within(
            workspace.source.tag,
            workspace.locales,
            self._store.captions.ids(selected=False),
            lambda folders: workspace.templates_with(folders)[0],
            workspace.keep_templates,
        )
        return build(source, {**values, "within": within})

    def _dataset(self, reading: Source, source: str, chosen: str) -> _Named:
        """Return what a source reads, by the name that it is kept by."""
        dataset = dataset_of(reading)
        root = dataset.root if dataset else None
        default = dataset.name if dataset else ""
        return _Named(self._store.datasets.name_for(source, default, root, chosen), root)

    def _options(self, source: str, options: Mapping[str, Any]) -> dict[str, Any]:
        values = dict(self._workspace.settings.collect.get(source, {}))
        values |= {name: value for name, value in options.items() if value is not None}
        return {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }

    def _fetch_settings(
        self, hosts: Sequence[str], delay: float | None, max_age: float | None
    ) -> FetchSettings:
        values = dict(self._workspace.settings.collect.get("fetch", {}))
        hosts = [*values.get("allow_hosts", ()), *hosts]
        values["allow_hosts"] = frozenset(host.lower() for host in hosts)
        values |= {} if delay is None else {"delay": delay}
        values |= {} if max_age is None else {"max_age": max_age}
        return validate(FetchSettings, values, "[collect.fetch]")

    @contextmanager
    def _years(
        self, make: Callable[..., Any], result: CollectResult
    ) -> Iterator[dict[str, YearReader]]:
        # For a source that takes a reader of years, if a model is set.
        wanted = "year_by_model" in inspect.signature(make).parameters
        if not wanted or not self._workspace.settings.language_model.get("model"):
            yield {}
            return
        from memeloc.collect.year_by_model import YearReader

        with self._open_model() as model:
            assert model is not None
            yield {"year_by_model": YearReader(model)}
            if model.spent.requests:
                result.cost = f"Years: {model.spent.line()}"


@dataclass(frozen=True, slots=True)
class _Named:
    """A dataset by the name that it is kept by, which is empty for a site."""

    name: str
    root: Path | None


class _NothingFetched(AbstractContextManager["_NothingFetched"]):
    """A fetcher where packages for fetching are missing: what lies on disk is read all the same."""

    def __init__(self, missing: MissingError) -> None:
        self.missing = missing
        self.statistics = FetchStatistics()

    def get(self, *_: object, **__: object) -> NoReturn:
        raise self.missing

    def look_ahead(self, things: Iterable[Any], *_: object) -> Iterable[Any]:
        return things

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""


def _fetcher(folder: Path, settings: FetchSettings) -> Fetcher:
    try:
        from memeloc.collect.fetching.fetch import Fetcher
    except MissingError as error:
        return cast("Fetcher", _NothingFetched(error))
    return Fetcher(folder, settings)


class _Storing:
    def __init__(self, store: Store, result: CollectResult, dataset: _Named) -> None:
        self._store = store
        self._items = store.items
        self._result = result
        self._dataset = dataset
        self._waiting: list[Found | Refusal] = []
        self._since = time.monotonic()

    def add(self, thing: Found | Refusal) -> None:
        self._waiting.append(thing)
        if not isinstance(thing, Refusal):
            origin = replace(thing.origin, dataset=self._dataset.name)
            self._waiting[-1] = replace(thing, origin=origin)
            kind = type(thing).__name__.removeprefix("Found").lower()
            self._result.found[kind] = self._result.found.get(kind, 0) + 1
        if len(self._waiting) >= _BATCH or time.monotonic() - self._since > _WAIT:
            self.flush()

    def flush(self) -> None:
        refusals = [thing for thing in self._waiting if isinstance(thing, Refusal)]
        if found := [thing for thing in self._waiting if not isinstance(thing, Refusal)]:
            if self._dataset.name:
                self._store.datasets.enter(
                    self._result.source, self._dataset.name, self._dataset.root
                )
            added, refused = self._items.add(found)
            self._result.new += added["new"]
            self._result.changed += added["changed"]
            self._result.unchanged += added["unchanged"]
            self._result.refusals += refused
        if refusals:
            self._items.add_refusals(refusals, self._dataset.name)
            self._result.refusals += refusals
        self._waiting, self._since = [], time.monotonic()
