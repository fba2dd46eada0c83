"""What a filter is. In: `memeloc.items`, verdicts. Out: the protocol, and the context of a filter.

A filter is one file with one class. It is found by its name in memeloc.curate.registry, or through
the entry point group `memeloc.filters` of any installed package. tests/curate/
test_filter_contract.py runs every filter through what is promised here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import Item

if TYPE_CHECKING:
    from memeloc.curate.judgement import Judgement


class Filter(Protocol):
    """Judges items.

    Attributes:
        name: as in the registry; stored with every verdict.
        summary: what it looks at, in one line, for `memeloc filter --list`.
        kinds: the kinds of item it judges; it is given no others.
    """

    name: str
    summary: str
    kinds: tuple[str, ...]

    def cache_key(self, item: Item) -> str:
        """Short hash of all that its verdict on `item` rests on: settings, versions, the item.

        It must be quick: by it the run knows that an item was judged before. `cache_key_of` makes
        one.
        """
        ...

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """Judge some items, each exactly once, in any order; give each verdict as it is known.

        `Verdict.settings` is the item's `cache_key`. What cannot be judged (its picture does not
        open, its description is missing) is `ask` with a reason that says so, and the rest goes on.

        Raises:
            MemelocError: what would fail for every further item too (an extra that is not
                installed, a service that is gone). Verdicts given before stand.
        """
        ...


@dataclass(frozen=True, slots=True)
class FilterContext:
    """What is within a filter's reach besides the items that it is given.

    Attributes:
        templates: every collected template by id; for the template of a caption (`Item.parent`).
        languages: tags of the workspace's languages.
        source_language: tag of the language that captions are chosen in.
        features: what was computed of some pictures before: name of the feature, SHA-256 of the
            pictures, to JSON values by SHA-256. See `Workspace.features`.
        add_features: keeps what was computed, to JSON values by SHA-256.
        judgements: what people said to a question, each person's newest answer. A person settles
            what a filter asks by answering the question of the filter's name with `keep` or `drop`.
        options: things a filter may need and that not every caller has, by name: `model` (a
            language model's client), `transcripts` (what was read in pictures, by item id, with
            `marks`) among them. A filter says in a MissingError what it misses.
        jobs: processes that may be used.
    """

    templates: Mapping[str, Item] = field(default_factory=dict)
    languages: tuple[str, ...] = ("en",)
    source_language: str = "en"
    features: Callable[[str, Collection[str]], Mapping[str, Any]] = lambda name, shas: {}
    add_features: Callable[[str, Mapping[str, Any]], None] = lambda name, values: None
    judgements: Callable[[str], Sequence[Judgement]] = lambda question: ()
    options: Mapping[str, Any] = field(default_factory=dict)
    jobs: int = 1


Build = Callable[[Mapping[str, Any], FilterContext], Filter]
"""What the registry and entry points name: settings by name and a context in, a filter out.

Raises InputError for a setting that is unknown or wrong."""


def cache_key_of(*parts: Any) -> str:
    """A short hash of JSON values, and of anything else by its `repr`.

    >>> cache_key_of("blur", 100) == cache_key_of("blur", 100)
    True
    >>> cache_key_of("blur", 100) == cache_key_of("blur", 99)
    False
    """
    plain = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=repr)
    return hashlib.sha256(plain.encode("ascii")).hexdigest()[:12]


class FilterSettings(BaseModel):
    """What a filter can be told; each has its own, with a description and a default a field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Settings = TypeVar("Settings", bound=FilterSettings)


def read_settings(kind: type[Settings], given: Mapping[str, Any], name: str) -> Settings:
    """A filter's settings from a mapping, such as a table of memeloc.toml.

    Args:
        kind: the filter's settings.
        given: setting to value; texts are converted where a number is meant.
        name: the filter's, for errors.

    Raises:
        InputError: a setting is unknown or its value wrong; the sentence says what is allowed.
    """
    known = ", ".join(kind.model_fields) or "none"
    for key in given:
        if key not in kind.model_fields:
            raise InputError(f"the filter {name} has no setting {str(key)[:60]!r}; it has {known}")
    try:
        return kind(**given)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        meaning = kind.model_fields[key].description if key in kind.model_fields else ""
        said = first["msg"][:1].lower() + first["msg"][1:]
        raise InputError(
            f"the setting {key or '(all)'} of the filter {name}: {said}"
            + (f" ({meaning})" if meaning else "")
        ) from None
