"""Collecting items, and reading the text in pictures. In: a workspace. Out: `Collecting`."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from memeloc.collect.fetching.settings import FetchSettings, FetchStatistics
from memeloc.collect.protocol import SOURCES, Source, TablePreview, build, dataset_of, preview_of
from memeloc.errors import MissingError
from memeloc.items import Found, Refusal
from memeloc.settings import validate
from memeloc.workspace.folder import Phases, silent
from memeloc.workspace.reading import Reading

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher
    from memeloc.language_models import LanguageModel

_BATCH = 50  # things that are stored at once
_WAIT = 5.0  # seconds after which what came is stored, however little it is


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
            source: its name; see `memeloc.collect.protocol`.
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
        values = self._options(source, options or {})
        settings = self._fetch_settings(allow_hosts, delay, max_age)
        result = CollectResult(source)
        began = time.monotonic()
        self._store.items.remove_unnamed_pictures()
        with ExitStack() as stack:
            model: LanguageModel | None = None
            # For a source that takes a reader of years, if a model is set.
            is_asked = "year_by_model" in inspect.signature(SOURCES.load(source)).parameters
            if is_asked and self._workspace.settings.language_model.get("model"):
                from memeloc.collect.year_by_model import YearReader

                model = stack.enter_context(self._open_model())
                assert model is not None
                values["year_by_model"] = YearReader(model)
            fetcher = stack.enter_context(_fetcher(self._store.folder, settings))
            reading = self._build(source, values)
            result.dataset, root = self._dataset(reading, source, dataset)
            result.tables = preview_of(reading)
            if on_tables and result.tables:
                on_tables(result.tables)
            waiting: list[Found | Refusal] = []
            since = time.monotonic()
            try:
                for thing in islice(reading.collect(fetcher), limit or None):
                    waiting.append(thing)
                    on_progress("collecting", 1, None)
                    if len(waiting) >= _BATCH or time.monotonic() - since > _WAIT:
                        things, waiting, since = waiting, [], time.monotonic()
                        self._keep(things, result, root)
            finally:
                self._keep(waiting, result, root)
            if model is not None and model.spent.requests:
                result.cost = f"Years: {model.spent.line()}"
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

    def _keep(
        self, things: Sequence[Found | Refusal], result: CollectResult, root: Path | None
    ) -> None:
        refusals = [thing for thing in things if isinstance(thing, Refusal)]
        found = [
            replace(thing, origin=replace(thing.origin, dataset=result.dataset))
            for thing in things
            if not isinstance(thing, Refusal)
        ]
        for thing in found:
            kind = type(thing).__name__.removeprefix("Found").lower()
            result.found[kind] = result.found.get(kind, 0) + 1
        if found:
            if result.dataset:
                self._store.datasets.enter(result.source, result.dataset, root)
            added, refused = self._store.items.add(found)
            result.new += added["new"]
            result.changed += added["changed"]
            result.unchanged += added["unchanged"]
            result.refusals += refused
        if refusals:
            self._store.items.add_refusals(refusals, result.dataset)
            result.refusals += refusals

    def plan(
        self,
        source: str,
        options: Mapping[str, Any] | None = None,
        *,
        dataset: str = "",
        delay: float | None = None,
    ) -> dict[str, Any]:
        """Return what `collect` would ask a source; nothing is asked or stored.

        That are the `options` that are set, the `delay` between two requests to a host in seconds,
        by kind the items of it that are `there` already, the name that its `dataset` would be kept
        by (empty for a site), and how its `tables` would be read.
        """
        values = self._options(source, options or {})
        reading = self._build(source, values)
        name, _ = self._dataset(reading, source, dataset)
        items = self._store.items.find(source=source, dataset=name)
        return {
            "source": source,
            "options": {
                key: ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
                for key, value in values.items()
                if value not in (None, "", ())
            },
            "delay": self._fetch_settings((), delay, None).delay,
            "there": dict(Counter[str](item.kind for item in items)),
            "dataset": name,
            "tables": preview_of(reading),
        }

    def _build(self, source: str, values: Mapping[str, Any]) -> Source:
        """Return the source, which is given the workspace where its table is one of captions."""
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

    def _dataset(self, reading: Source, source: str, chosen: str) -> tuple[str, Path | None]:
        """Return the name that what a source reads is kept by, empty for a site, and its place."""
        dataset = dataset_of(reading)
        root, default = (dataset.root, dataset.name) if dataset else (None, "")
        return self._store.datasets.name_for(source, default, root, chosen), root

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
    return Fetcher(folder / ".cache" / "http", settings)
