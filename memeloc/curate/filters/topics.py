"""What templates are about. In: templates' names, a TOML of topics. Out: a topic each, or none.

A topic has keywords; a keyword matches whole words of a template's name (Multi3Hate, section 3.1
and appendix A.2). How many captions and templates a topic needs is the selection's business.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc.curate.protocol import FilterContext, FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.settings import read_toml, validate

BUILT_IN = Path(__file__).parents[1] / "data" / "topics.toml"
"""The paper's categories and topics."""

_WORDS = re.compile(r"\w+", re.UNICODE)
_IRREGULAR = ("man", "men")


@dataclass(frozen=True, slots=True)
class Topic:
    """What templates can be about.

    Attributes:
        category: what it belongs to, such as `Religion`.
        name: its name, such as `Islam`.
        keywords: words, or several words, of a template's name.
    """

    category: str
    name: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """A topic whose keyword stands in a template's name."""

    topic: Topic
    keyword: str


class _TopicEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: Annotated[str, Field(min_length=1)]
    keywords: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]


class _CategoryEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: Annotated[str, Field(min_length=1)]
    topic: Annotated[list[_TopicEntry], Field(min_length=1)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    category: Annotated[list[_CategoryEntry], Field(min_length=1)]


def read_topics(path: Path = BUILT_IN) -> tuple[Topic, ...]:
    """Read categories, topics and keywords, in the order of the file.

    Raises:
        InputError: the file is not there, is no TOML or not of this form, names a topic twice, or
            gives a keyword to two topics; the sentence says where.
    """
    content = validate(_File, read_toml(path), "the file of topics", file=path)
    topics: list[Topic] = []
    names: set[str] = set()
    owners: dict[tuple[str, ...], str] = {}
    for category in content.category:
        for entry in category.topic:
            if entry.name.casefold() in names:
                raise InputError(f"names the topic {entry.name!r} twice", file=path)
            names.add(entry.name.casefold())
            for keyword in entry.keywords:
                words = _fold(keyword)
                if not words:
                    raise InputError(f"the keyword {keyword!r} has no letters", file=path)
                if owners.setdefault(words, entry.name) != entry.name:
                    raise InputError(
                        f"gives the keyword {keyword!r} to {owners[words]!r} and {entry.name!r}",
                        file=path,
                    )
            topics.append(Topic(category.name, entry.name, tuple(entry.keywords)))
    return tuple(topics)


class TopicMatcher:
    """Finds topics in names.

    >>> matcher = TopicMatcher((Topic("Animals", "Cats", ("cat", "house cat")),))
    >>> [match.keyword for match in matcher.match("Two House Cats")]
    ['house cat']
    >>> matcher.match("Concatenation")
    []
    """

    def __init__(self, topics: Sequence[Topic]) -> None:
        self._order = {topic: place for place, topic in enumerate(topics)}
        self._keywords = [
            (topic, keyword, _fold(keyword)) for topic in topics for keyword in topic.keywords
        ]

    def match(self, name: str) -> list[TopicMatch]:
        """The topics of a name, one match each: the longest keyword first, then the file's order.

        Case and accents do not matter, nor what stands between words (`middle-eastern`). The last
        word of a keyword may be in the plural (-s, -es, -ies, -men) or have a possessive s.
        """
        words = _fold(name)
        longest: dict[Topic, tuple[int, str]] = {}
        for topic, keyword, wanted in self._keywords:
            length = len(" ".join(wanted))
            if _stands_in(wanted, words) and length > longest.get(topic, (0, ""))[0]:
                longest[topic] = length, keyword
        ordered = sorted(longest.items(), key=lambda row: (-row[1][0], self._order[row[0]]))
        return [TopicMatch(topic, keyword) for topic, (_, keyword) in ordered]


def _fold(text: str) -> tuple[str, ...]:
    """The words of a text without case, accents and possessive s."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"'s\b|s'(?=\W|$)", lambda m: "s" if m.group() == "s'" else "", plain)
    return tuple(_WORDS.findall(plain.replace("_", " ")))


def _stands_in(wanted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    last = len(wanted) - 1
    forms = _forms(wanted[last])
    return any(
        words[start : start + last] == wanted[:last] and words[start + last] in forms
        for start in range(len(words) - last)
    )


def _forms(word: str) -> set[str]:
    """A word and its English plurals."""
    forms = {word, word + "s", word + "es"}
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        forms.add(word[:-1] + "ies")
    if word.endswith(_IRREGULAR[0]):
        forms.add(word.removesuffix(_IRREGULAR[0]) + _IRREGULAR[1])
    return forms


class TopicSettings(FilterSettings):
    """The settings of the topic filter."""

    file: Annotated[
        str, Field(description="TOML of categories, topics and keywords; empty: the shipped one")
    ] = ""
    several: Annotated[
        Literal["first", "ask"],
        Field(description="several topics: that of the longest keyword, or ask a person"),
    ] = "first"
    match: Annotated[
        Literal["name", "name and keywords"],
        Field(description="what of a template is searched for keywords"),
    ] = "name"


class TopicFilter(SettingsFilter[TopicSettings]):
    """Keeps templates whose name has a topic's keyword."""

    name = "topics"
    summary = "templates on one of the topics, by keywords in their name"
    kinds = ("template",)
    Settings = TopicSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        own = self.settings.file
        file = context.folder / Path(own).expanduser() if own else BUILT_IN
        self._topics = read_topics(file)
        self._matcher = TopicMatcher(self._topics)

    @cached_property
    def _settings_key(self) -> str:
        topics = [(topic.category, topic.name, topic.keywords) for topic in self._topics]
        return cache_key_of(self.settings.several, self.settings.match, topics, "topics-1")

    def cache_key(self, item: Item) -> str:
        """See `Filter`."""
        return cache_key_of(self._settings_key, self._text(item))

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter`."""
        for item in items:
            matches = self._matcher.match(self._text(item))
            outcome: Outcome = "keep" if matches else "drop"
            reason = "" if matches else "no topic"
            if len(matches) > 1 and self.settings.several == "ask":
                outcome, reason = "ask", "several topics"
            evidence = {
                "topics": [
                    {
                        "category": match.topic.category,
                        "topic": match.topic.name,
                        "keyword": match.keyword,
                    }
                    for match in matches
                ]
            }
            yield self.verdict(item, outcome, reason, evidence)

    def _text(self, item: Item) -> str:
        if self.settings.match == "name":
            return item.name
        return " / ".join((item.name, *item.keywords))
