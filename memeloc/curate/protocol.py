"""Filters. In: items, settings, a context. Out: verdicts as they come; filters by their names.

The smallest filter is one function from an item to an outcome, or an outcome and its reason:

    @filter("short", kinds=("caption",))
    def short(item):
        "captions of at most 200 letters"
        return ("drop", "too long") if len(" ".join(item.parts)) > 200 else "keep"

One that has settings or looks at many items at once is a class, see `Filter`. A package outside
adds either through the entry point group `memeloc.filters`. An item that a filter judged before
under the same settings, versions and content is passed over, so a run that was interrupted goes on
where it stopped. tests/curate/test_filter_contract.py runs every filter through what is promised.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from memeloc.curate.verdict import Judgement, Outcome, Verdict, Verdicts
from memeloc.engine import ShardMap, map_shards
from memeloc.errors import MemelocError, MissingError
from memeloc.items import Item, ItemKind, content_hash
from memeloc.locales import Registry, default
from memeloc.plugins import Registry as Plugins
from memeloc.settings import validate

if TYPE_CHECKING:
    from memeloc.language_models import LanguageModel

Decision = Outcome | tuple[Any, ...] | Verdict
"""An outcome; or outcome, reason, evidence and score, as many of these as there are; or a whole
`Verdict`, of which item, filter and settings are filled in."""

NOT_READ = "not read yet"  # the reason of a question about a picture that nothing was read in

_BATCH = 1_000  # items that a filter is given at once
_STORED, _SECONDS = 5_000, 5.0  # verdicts that wait to be stored together, and for how long


@dataclass(frozen=True, slots=True)
class FilterContext:
    """What is within a filter's reach besides the items that it is given.

    Attributes:
        templates: every collected template by id, as captions name theirs (`Item.parent`).
        collected: everything collected, for filters that judge an item beside others.
        languages, source_language: tags; captions are chosen in the source language.
        folder: where a file that a setting names is looked for.
        transcripts: by item id what was read in pictures: what the reader noted (`marks`), and the
            `person` who wrote it, empty for a program.
        features: what was computed of pictures before: feature and SHA-256s to JSON values.
        add_features: keeps what was computed, by feature and SHA-256.
        judgements: people's newest answers to a question. `keep` or `drop` in answer to the
            question of the filter's name settles what it asks.
        model: a language model to ask; None when none is set up.
        jobs: processes that may be used, of `shard_map`.
    """

    templates: Mapping[str, Item] = field(default_factory=dict)
    collected: Sequence[Item] = ()
    languages: tuple[str, ...] = ("en",)
    source_language: str = "en"
    locales: Registry = field(default_factory=default)
    folder: Path = Path()
    transcripts: Mapping[str, Any] = field(default_factory=dict)
    features: Callable[[str, Collection[str]], Mapping[str, Any]] = lambda name, shas: {}
    add_features: Callable[[str, Mapping[str, Any]], None] = lambda name, values: None
    judgements: Callable[[str], Sequence[Judgement]] = lambda question: ()
    model: LanguageModel | None = None
    jobs: int = 1
    shard_map: ShardMap = map_shards

    def is_unread(self, item: Item) -> bool:
        """Return whether nobody knows the text of a picture yet."""
        has_text = bool("".join(item.parts).strip())
        return item.kind == "picture" and not has_text and item.id not in self.transcripts

    def no_text(self, item: Item) -> tuple[Outcome, str]:
        """Return what becomes of an item without text: a picture's may not have been read yet, and
        one that was read and has none is in no wrong language."""
        if item.kind != "picture":
            return "drop", "no text"
        return ("ask", NOT_READ) if self.is_unread(item) else ("keep", "")


def cache_key_of(*parts: Any) -> str:
    """Return a short hash of JSON values, and of anything else by its `repr`.

    >>> [cache_key_of("blur", 100) == cache_key_of("blur", other) for other in (100, 99)]
    [True, False]
    """
    plain = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=repr)
    return hashlib.sha256(plain.encode("ascii")).hexdigest()[:12]


class FilterSettings(BaseModel):
    """The settings of a filter; each has its own, with a description and a default a field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Chosen = TypeVar("Chosen", bound=FilterSettings)


class Filter(Generic[Chosen]):
    """A filter with settings: `decide` is the function from an item to what becomes of it.

    `name` is stored with every verdict; `summary` says in one line what it looks at; it judges
    items of its `kinds` and is given no others. A verdict counts as long as the item, and all that
    `depends_on` and `looks_at` name, stay as they were judged. An item that cannot be judged (its
    picture does not open, its description is missing) is `ask` with a reason that says so.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    kinds: ClassVar[tuple[ItemKind, ...]]
    Settings: type[Any] = FilterSettings
    settings: Chosen

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        self.settings = validate(self.Settings, settings, f"the filter {self.name}")
        self.context = context

    def decide(self, item: Item, seen: Any, /) -> Decision:
        """Return what becomes of an item; `seen` is what `see` found of it."""
        raise NotImplementedError

    def see(self, items: Sequence[Item]) -> Iterable[tuple[Item, Any]]:
        """Yield each item with what it takes to decide, where that is found of many at once.

        Raises MemelocError for what would fail for every further item too.
        """
        return ((item, None) for item in items)

    def depends_on(self) -> Any:
        """Return what all verdicts rest on besides the settings, such as versions of models."""

    def looks_at(self, item: Item) -> Any:
        """Return what of an item, and of what stands beside it, its verdict rests on. Quick."""
        return replace(item, path=None)

    def cache_key(self, item: Item) -> str:
        """Return a hash of all that the verdict on an item rests on."""
        return cache_key_of(self._settings_key, self.looks_at(item))

    @cached_property
    def _settings_key(self) -> str:
        return cache_key_of(self.name, self.settings.model_dump(), self.depends_on())

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """Judge some items, each exactly once; yield each verdict as it is known."""
        return (self.verdict(item, self.decide(item, seen)) for item, seen in self.see(items))

    def verdict(self, item: Item, decision: Decision) -> Verdict:
        """Return a decision as a verdict of this filter on an item."""
        key = self.cache_key(item)
        if isinstance(decision, Verdict):
            return replace(decision, item=item.id, filter=self.name, settings=key)
        parts: tuple[Any, ...] = (decision,) if isinstance(decision, str) else tuple(decision)
        outcome, reason, evidence, score = parts + ("keep", "", {}, None)[len(parts) :]
        return Verdict(item.id, self.name, outcome, score, reason, evidence, key)


def filter(
    name: str, *, kinds: tuple[ItemKind, ...], summary: str = "", version: int = 1
) -> Callable[[Callable[[Item], Decision]], type[Filter[FilterSettings]]]:
    """Make a filter of a function from an item to a `Decision`.

    The summary is the function's docstring by default. Raise `version` when the function judges
    otherwise, so that items are judged anew.
    """

    def make(function: Callable[[Item], Decision]) -> type[Filter[FilterSettings]]:
        members = {
            "name": name,
            "kinds": kinds,
            "summary": summary or function.__doc__ or name,
            "decide": lambda self, item, seen: function(item),
            "depends_on": lambda self: version,
        }
        return type(name, (Filter,), members)

    return make


FILTERS: Plugins[Filter[Any]] = Plugins(
    "memeloc.filters",
    {
        "language": "memeloc.curate.filters.language:LanguageFilter",
        "script": "memeloc.curate.filters.language:ScriptFilter",
        "mixing": "memeloc.curate.filters.language:MixingFilter",
        "quality": "memeloc.curate.filters.quality:QualityFilter",
        "topics": "memeloc.curate.filters.topics:TopicFilter",
        "content": "memeloc.curate.filters.models:ContentFilter",
        "cartoon": "memeloc.curate.filters.models:CartoonFilter",
        "multimodality": "memeloc.curate.filters.models:MultimodalFilter",
        "wordplay": "memeloc.curate.filters.models:WordplayFilter",
    },
    "filter",
)
DEFAULT = ("language", "script", "mixing", "quality", "topics")
"""The filters that run when nobody names any: those that need neither people nor a model."""


def create(
    name: str, settings: Mapping[str, Any] | None = None, context: FilterContext | None = None
) -> Filter[Any]:
    """Return the filter `name`, set up with `settings` with what is in `context`.

    Raises:
        InputError: there is none of that name, or a setting is unknown or wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    return FILTERS.load(name)(settings or {}, context or FilterContext())


def settings_of(name: str) -> type[FilterSettings]:
    """Return the settings that a filter has; raise as `create`."""
    settings: type[FilterSettings] = getattr(FILTERS.load(name), "Settings", FilterSettings)
    return settings


def info(name: str) -> dict[str, Any]:
    """Return a filter's `name`, `summary`, `kinds`, whether it runs by `default`, its `settings`
    (each `meaning` and `default`), and why it cannot be loaded here (`missing`); raise InputError
    if there is none of that name."""
    about: dict[str, Any] = {"name": name, "summary": "", "kinds": ()}
    about |= {"default": name in DEFAULT, "settings": {}, "missing": ""}
    try:
        build = FILTERS.load(name)
    except MissingError as error:
        return {**about, "missing": str(error)}
    about["summary"] = getattr(build, "summary", "")
    about["kinds"] = tuple(getattr(build, "kinds", ()))
    for key, value in settings_of(name).model_fields.items():
        standard = value.get_default(call_default_factory=True)
        about["settings"][key] = {"meaning": value.description or "", "default": standard}
    return about


def to_judge(filter_: Filter[Any], items: Sequence[Item], earlier: Verdicts) -> list[Item]:
    """Return the items of a filter's kinds that it has not judged as they and its settings are."""

    def is_judged(item: Item) -> bool:
        before = earlier.get(item.id, {}).get(filter_.name)
        return before is not None and before.settings == filter_.cache_key(item)

    return [item for item in items if item.kind in filter_.kinds and not is_judged(item)]


def run_filter(
    filter_: Filter[Any],
    items: Sequence[Item],
    earlier: Verdicts,
    store: Callable[[Sequence[Verdict]], object],
    *,
    again: bool = False,
    on_done: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Judge the items of a filter's kinds, and store verdicts as they come.

    What was judged before, by `earlier`, is passed over unless `again`. What is stored stands if
    the run ends early. `on_done` gets how many more items are done.

    Returns:
        `filter`; how many items were `judged` now and `skipped`, as they were judged before; how
        many have each verdict (`keep`, `drop`, `ask`), now or before, and by `reasons` (`verdict`,
        `reason`, `items`); `failure`: a sentence why it stopped before the end, or empty.
    """
    outcomes: Counter[tuple[str, str]] = Counter()
    waiting: list[Verdict] = []
    stored, failure, judged, skipped = time.monotonic(), "", 0, 0

    def take(verdict: Verdict) -> None:
        nonlocal judged, waiting, stored
        # What is stored says what was judged, whatever the item is by then.
        waiting.append(replace(verdict, content=content_hash(todo[verdict.item])))
        judged += 1
        outcomes[verdict.verdict, verdict.reason] += 1
        on_done(1)
        if len(waiting) >= _STORED or time.monotonic() - stored > _SECONDS:
            store(waiting)
            waiting, stored = [], time.monotonic()

    try:
        todo = {item.id: item for item in to_judge(filter_, items, {} if again else earlier)}
        for item in items:
            if item.kind in filter_.kinds and item.id not in todo:
                before = earlier[item.id][filter_.name]
                outcomes[before.verdict, before.reason] += 1
                skipped += 1
        on_done(skipped)
        ask = getattr(filter_, "ask", None)
        if ask and todo:
            ask(list(todo.values()), take)
        batches = iter([] if ask else todo.values())
        while batch := list(islice(batches, _BATCH)):
            for verdict in filter_.judge(batch):
                take(verdict)
    except MemelocError as error:
        failure = str(error)  # so that other filters can go on
    finally:
        if waiting:
            store(waiting)
    return {
        "filter": filter_.name,
        "judged": judged,
        "skipped": skipped,
        **{
            verdict: sum(count for (name, _), count in outcomes.items() if name == verdict)
            for verdict in ("keep", "drop", "ask")
        },
        "reasons": [
            {"verdict": verdict, "reason": reason, "items": count}
            for (verdict, reason), count in sorted(outcomes.items())
        ],
        "failure": failure,
    }
