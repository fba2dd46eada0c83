"""What templates are about. In: templates' names, a TOML of topics. Out: a topic each, or none.

A topic has keywords; a keyword matches whole words of a template's name (Multi3Hate, section 3.1
and appendix A.2). How many captions and templates a topic needs is the selection's business.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memeloc.curate.protocol import FilterContext, FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.settings import read_toml, validate

BUILT_IN = Path(__file__).parents[1] / "data" / "topics.toml"
"""The paper's categories and topics."""

_WORDS = re.compile(r"\w+", re.UNICODE)


class Topic(NamedTuple):
    """What templates can be about: a topic of a category, as Islam of Religion, and its keywords.

    A keyword is a word, or several, of a template's name.
    """

    category: str
    name: str
    keywords: tuple[str, ...]


class TopicMatch(NamedTuple):
    """A topic whose keyword stands in a template's name."""

    topic: Topic
    keyword: str


_Text = Annotated[str, Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _TopicTable(_Table):
    name: _Text
    keywords: list[_Text] = Field(min_length=1)


class _CategoryTable(_Table):
    name: _Text
    topic: list[_TopicTable] = Field(min_length=1)


class _File(_Table):
    category: list[_CategoryTable] = Field(min_length=1)


def read_topics(path: Path = BUILT_IN) -> tuple[Topic, ...]:
    """Read categories, topics and keywords, in the order of the file.

    Raises:
        InputError: the file is not there, is no TOML or not of this form, names a topic twice, or
            gives a keyword to two topics; the sentence says where.
    """
    content = validate(_File, read_toml(path), "the file of topics", file=path)
    topics = [
        Topic(category.name, entry.name, tuple(entry.keywords))
        for category in content.category
        for entry in category.topic
    ]
    names: set[str] = set()
    owners: dict[tuple[str, ...], str] = {}
    for topic in topics:
        if topic.name.casefold() in names:
            raise InputError(f"names the topic {topic.name!r} twice", file=path)
        names.add(topic.name.casefold())
        for keyword in topic.keywords:
            words = _fold(keyword)
            if not words:
                raise InputError(f"the keyword {keyword!r} has no letters", file=path)
            owner = owners.setdefault(words, topic.name)
            if owner != topic.name:
                raise InputError(
                    f"gives the keyword {keyword!r} to {owner!r} and {topic.name!r}", file=path
                )
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
        self._keywords = [
            (TopicMatch(topic, keyword), _fold(keyword))
            for topic in topics
            for keyword in topic.keywords
        ]

    def match(self, name: str) -> list[TopicMatch]:
        """The topics of a name, one match each: the longest keyword first, then the file's order.

        Case and accents do not matter, nor what stands between words (`middle-eastern`). The last
        word of a keyword may be in the plural (-s, -es, -ies, -men) or have a possessive s.
        """
        words = _fold(name)
        matches = [row for row in self._keywords if _stands_in(row[1], words)]
        matches.sort(key=lambda row: -len(" ".join(row[1])))
        first: dict[Topic, TopicMatch] = {}
        for match, _ in matches:
            first.setdefault(match.topic, match)
        return list(first.values())


def _fold(text: str) -> tuple[str, ...]:
    """The words of a text without case, accents and possessive s."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"'s\b|(?<=s)'(?=\W|$)", "", plain)
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
    if word.endswith("man"):
        forms.add(word.removesuffix("man") + "men")
    return forms


class TopicSettings(FilterSettings):
    """The settings of the topic filter."""

    file: str = Field("", description="TOML of categories, topics, keywords; empty: ours")
    several: Literal["first", "ask"] = Field(
        "first", description="several topics: that of the longest keyword, or ask a person"
    )
    match: Literal["name", "name and keywords"] = Field(
        "name", description="what of a template is searched for keywords"
    )


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
        return cache_key_of(self.settings.several, self.settings.match, self._topics, "topics-1")

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
            topics = [
                {
                    "category": match.topic.category,
                    "topic": match.topic.name,
                    "keyword": match.keyword,
                }
                for match in matches
            ]
            yield self.verdict(item, outcome, reason, {"topics": topics})

    def _text(self, item: Item) -> str:
        if self.settings.match == "name":
            return item.name
        return " / ".join((item.name, *item.keywords))
