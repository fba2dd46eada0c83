"""What a filter is. In: `memeloc.items`, verdicts. Out: the protocol, and the context of a filter.

The smallest filter is one function from an item to an outcome, or an outcome and its reason:

    @filter("short", kinds=("caption",))
    def short(item):
        "captions of at most 200 letters"
        return ("drop", "too long") if len(" ".join(item.parts)) > 200 else "keep"

One that has settings, looks at many items at once or needs the context is a class as `Filter`;
`SettingsFilter` is its beginning. Either is found by its name, see `memeloc.curate.registry`.
tests/curate/test_filter_contract.py runs every filter through what is promised here.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from memeloc.curate.review.judgement import Judgement
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.engine import ShardMap, map_shards
from memeloc.items import Item, ItemKind
from memeloc.locales import Registry, default
from memeloc.settings import validate

if TYPE_CHECKING:
    from memeloc.language_models import LanguageModel


class Filter(Protocol):
    """Judges items of its kinds; it is given no others.

    `name` is stored with every verdict; `summary` says what it looks at, in one line. A verdict
    counts as long as the item has the picture and text that were judged.
    """

    name: str
    summary: str
    kinds: tuple[ItemKind, ...]

    @abstractmethod
    def cache_key(self, item: Item) -> str:
        """Short hash of all that its verdict on `item` rests on: settings, versions, the item.

        It must be quick: by it the run knows that an item was judged before. `cache_key_of` makes
        one.
        """

    @abstractmethod
    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """Judge some items, each exactly once, in any order; give each verdict as it is known.

        `Verdict.settings` is the item's `cache_key`. What cannot be judged (its picture does not
        open, its description is missing) is `ask` with a reason that says so, and the rest goes on.

        Raises:
            MemelocError: what would fail for every further item too (an extra that is not
                installed, a service that is gone). Verdicts given before stand.
        """


class ReadText(Protocol):
    """What was read in a picture."""

    @property
    def marks(self) -> tuple[str, ...]:
        """What the reader noted, as `memeloc.ocr.transcript.NO_TEXT`."""

    @property
    def person(self) -> str:
        """Who wrote it; empty when a program did."""


@dataclass(frozen=True, slots=True)
class FilterContext:
    """What is within a filter's reach besides the items that it is given.

    Attributes:
        templates: every collected template by id, as captions name theirs (`Item.parent`).
        collected: everything collected, for filters that judge an item beside others.
        languages, source_language: tags; captions are chosen in the source language.
        folder: where a file that a setting names is looked for.
        transcripts: what was read in pictures, by item id.
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
    transcripts: Mapping[str, ReadText] = field(default_factory=dict)
    features: Callable[[str, Collection[str]], Mapping[str, Any]] = lambda name, shas: {}
    add_features: Callable[[str, Mapping[str, Any]], None] = lambda name, values: None
    judgements: Callable[[str], Sequence[Judgement]] = lambda question: ()
    model: LanguageModel | None = None
    jobs: int = 1
    shard_map: ShardMap = map_shards


Build = Callable[[Mapping[str, Any], FilterContext], Filter]
"""What the registry and entry points name: settings by name and a context in, a filter out.

Raises InputError for a setting that is unknown or wrong."""


def cache_key_of(*parts: Any) -> str:
    """A short hash of JSON values, and of anything else by its `repr`.

    >>> [cache_key_of("blur", 100) == cache_key_of("blur", other) for other in (100, 99)]
    [True, False]
    """
    plain = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=repr)
    return hashlib.sha256(plain.encode("ascii")).hexdigest()[:12]


class FilterSettings(BaseModel):
    """The settings of a filter; each has its own, with a description and a default a field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Settings = TypeVar("Settings", bound=FilterSettings)


class SettingsFilter(Filter, Generic[Settings]):
    """The beginning of a filter with settings of the class `Settings`; else see `Filter`."""

    Settings: type[Settings]

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        self.settings = validate(self.Settings, settings, f"the filter {self.name}")
        self.context = context

    def verdict(
        self,
        item: Item,
        outcome: Outcome,
        reason: str = "",
        evidence: Mapping[str, Any] | None = None,
        score: float | None = None,
    ) -> Verdict:
        """This filter's verdict on an item."""
        key = self.cache_key(item)
        return Verdict(item.id, self.name, outcome, score, reason, evidence or {}, key)


Judge = Callable[[Item], Verdict | Outcome | tuple[Outcome, str]]
"""A filter as a function: `"keep"`, or an outcome and its reason; or a whole `Verdict`, of which
item, filter and settings are filled in."""


@dataclass(slots=True)
class FunctionFilter:
    """A filter made of a function, see `filter`; it is its own `Build`, without settings."""

    function: Judge
    name: str
    kinds: tuple[ItemKind, ...]
    summary: str
    version: int

    def __call__(self, settings: Mapping[str, Any], context: FilterContext) -> Filter:
        """See `Build`."""
        validate(FilterSettings, settings, f"the filter {self.name}")
        return self

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`."""
        return cache_key_of(self.name, self.version, replace(item, path=None))

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter.judge`."""
        for item in items:
            verdict = self.function(item)
            if not isinstance(verdict, Verdict):
                outcome, reason = (verdict, "") if isinstance(verdict, str) else verdict
                verdict = Verdict(item.id, self.name, outcome, None, reason)
            yield replace(verdict, item=item.id, filter=self.name, settings=self.cache_key(item))


def filter(
    name: str, *, kinds: tuple[ItemKind, ...], summary: str = "", version: int = 1
) -> Callable[[Judge], FunctionFilter]:
    """Make a filter of a function from an item to an outcome, or an outcome and its reason.

    The summary is the function's docstring by default. Raise `version` when the function judges
    otherwise, so that items are judged anew.
    """
    return lambda judge: FunctionFilter(
        judge, name, kinds, summary or judge.__doc__ or name, version
    )
