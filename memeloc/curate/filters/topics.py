"""Topics of templates. In: templates' names, a TOML of topics. Out: a topic each, or none.

A topic has keywords, which are looked for in a template's name (Multi3Hate, section 3.1, appendix
A.2): as whole words, at the beginning of words, or inside them, since names are often written as
one word. How many captions and templates a topic needs is the selection's business.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memeloc.curate.protocol import Decision, Filter, FilterContext, FilterSettings
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.settings import read_toml, validate

_DATA = Path(__file__).parents[1] / "data"
SHIPPED = {"": _DATA / "topics.toml", "multi3hate": _DATA / "topics-multi3hate.toml"}
"""Files of topics by the name that a setting gives them: ours, and the paper's list as printed."""

Mode = Literal["word", "prefix", "inside"]
"""How a keyword matches: a whole word of a name, the beginning of a word, or any part of one."""

_WORDS = re.compile(r"\w+", re.UNICODE)


class Keyword(NamedTuple):
    """A keyword, one or several words, and how it matches.

    >>> [Keyword.read(text, "word").mode for text in ("arab", "arab*", "*arab*")]
    ['word', 'prefix', 'inside']
    """

    text: str
    mode: Mode = "word"

    @classmethod
    def read(cls, written: str, unmarked: Mode) -> Keyword:
        """Return a keyword of a file; `*` marks prefixes and what may stand inside a word."""
        marks = written.startswith("*"), written.endswith("*")
        modes: dict[tuple[bool, bool], Mode] = {(False, True): "prefix", (True, True): "inside"}
        return cls(written.strip("*"), modes.get(marks, unmarked))


class Topic(NamedTuple):
    """A subject of templates: a topic of a category, as Islam of Religion; its keywords."""

    category: str
    name: str
    keywords: tuple[Keyword, ...]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, str_min_length=1)


class _Topic(_Table):
    name: str
    keywords: list[str] = Field(min_length=1)


class _Category(_Table):
    name: str
    topic: list[_Topic] = Field(min_length=1)


class _File(_Table):
    keyword: Mode = Field("word", description="how keywords without a mark match")
    category: Annotated[list[_Category], Field(min_length=1)]


def read_topics(path: Path = SHIPPED[""], keyword: Mode | None = None) -> tuple[Topic, ...]:
    """Read categories, topics and keywords, in the order of the file.

    `keyword` is how keywords without a mark match; None, as the file says. Raise InputError if the
    file is not there, is no TOML or not of this form, names a topic twice, or gives a keyword to
    two topics; the sentence says where.
    """
    content = validate(_File, read_toml(path), "the file of topics", file=path)
    topics: dict[str, Topic] = {}
    owners: dict[tuple[str, ...], str] = {}
    for category in content.category:
        for entry in category.topic:
            keywords = [Keyword.read(text, keyword or content.keyword) for text in entry.keywords]
            if entry.name.casefold() in topics:
                raise InputError(f"names the topic {entry.name!r} twice", file=path)
            topics[entry.name.casefold()] = Topic(category.name, entry.name, tuple(keywords))
            for text, _ in keywords:
                if not fold(text):
                    raise InputError(f"the keyword {text!r} has no letters", file=path)
                owner = owners.setdefault(fold(text), entry.name)
                if owner != entry.name:
                    message = f"gives the keyword {text!r} to {owner!r} and {entry.name!r}"
                    raise InputError(message, file=path)
    return tuple(topics.values())


class TopicMatcher:
    """Finder of topics in names.

    >>> pets = Topic("Animals", "Cats", (Keyword("cat"), Keyword("kitten", "inside")))
    >>> matcher = TopicMatcher((pets,))
    >>> [match["keyword"] for match in matcher.match("Two Cats and thekittenclub")]
    ['kitten']
    >>> matcher.match("Concatenation")
    []
    """

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = tuple(topics)
        self._patterns = [
            (topic, keyword, _pattern(keyword)) for topic in topics for keyword in topic.keywords
        ]
        self._patterns.sort(key=lambda row: -len(" ".join(fold(row[1].text))))

    def match(self, name: str) -> list[dict[str, str]]:
        """Return the topics of a name, one match each: the longest keyword first, then as in the
        file; each its `category`, `topic`, `keyword` and the `words` that it stands in.

        Case and accents do not matter, nor what stands between words (`middle-eastern`). The last
        word of a keyword may be in the plural (-s, -es, -ies, -men) or have a possessive s. A
        keyword of several words that matches as a prefix or inside may be written as one word.
        """
        text = " ".join(fold(name))
        matches: dict[Topic, dict[str, str]] = {}
        for topic, keyword, pattern in self._patterns:
            if topic not in matches and (place := pattern.search(text)):
                about = {"category": topic.category, "topic": topic.name}
                matches[topic] = about | {"keyword": keyword.text, "words": place[0]}
        return list(matches.values())


def fold(text: str) -> tuple[str, ...]:
    """Return the words of a text without case, accents and possessive s."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"'s\b|(?<=s)'(?=\W|$)", "", plain)
    return tuple(_WORDS.findall(plain.replace("_", " ")))


def _pattern(keyword: Keyword) -> re.Pattern[str]:
    """Return what finds a keyword in folded words with one space between, and whole words."""
    *first, last = fold(keyword.text)
    if keyword.mode == "word":
        forms = [last, last + "s", last + "es"]  # English plurals
        if last.endswith("y") and last[-2:-1] not in "aeiou":
            forms.append(last[:-1] + "ies")
        if last.endswith("man"):
            forms.append(last.removesuffix("man") + "men")
        words = [*map(re.escape, first), f"(?:{'|'.join(map(re.escape, forms))})"]
        return re.compile(rf"(?<!\w){' '.join(words)}(?!\w)")
    before = r"\w*" if keyword.mode == "inside" else r"(?<!\w)"
    return re.compile(rf"{before}{' ?'.join(map(re.escape, (*first, last)))}\w*")


class TopicSettings(FilterSettings):
    """The settings of the topic filter."""

    file: str = Field(
        "", description="TOML of categories, topics, keywords; empty: ours; or multi3hate"
    )
    keyword: Mode | None = Field(
        None, description="unmarked keywords match: word, prefix or inside; none: as the file says"
    )
    several: Literal["first", "ask"] = Field(
        "first", description="several topics: that of the longest keyword, or ask a person"
    )
    match: Literal["name", "name and keywords"] = Field(
        "name", description="what of a template is searched for keywords"
    )

    def topics(self, folder: Path) -> tuple[Topic, ...]:
        """Return the topics of the file, which a relative path names from `folder` on."""
        shipped = SHIPPED.get(self.file)
        return read_topics(shipped or folder / Path(self.file).expanduser(), self.keyword)

    def text(self, template: Item) -> str:
        """Return what of a template is searched."""
        keywords = template.keywords if self.match == "name and keywords" else ()
        return " / ".join((template.name, *keywords))


class TopicFilter(Filter[TopicSettings]):
    """Filter that keeps templates whose name has a topic's keyword."""

    name = "topics"
    summary = "templates on one of the topics, by keywords in their name"
    kinds = ("template",)
    Settings = TopicSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._matcher = TopicMatcher(self.settings.topics(context.folder))

    def depends_on(self) -> Any:
        return [self._matcher.topics, "topics-2"]

    def looks_at(self, item: Item) -> str:
        return self.settings.text(item)

    def decide(self, item: Item, seen: None) -> Decision:
        topics = self._matcher.match(self.settings.text(item))
        if len(topics) > 1 and self.settings.several == "ask":
            return "ask", "several topics", {"topics": topics}
        return "keep" if topics else "drop", "" if topics else "no topic", {"topics": topics}


@dataclass(frozen=True, slots=True)
class NearTopic:
    """A topic, and how near it is to a template that has none: 0 to 1.

    `keyword` is the topic's most like the name, `name_share` how much of it stands there;
    `captions` counts the template's captions that have any keyword of the topic.
    """

    category: str
    topic: str
    nearness: float
    keyword: str
    name_share: float
    captions: int


def nearest_topics(
    name: str, captions: Sequence[str], matcher: TopicMatcher, most: int = 3
) -> tuple[NearTopic, ...]:
    """Return the nearest topics, at most so many, the nearest first, then in the file's order.

    A keyword list misses names: misspelt ones, and those that are about a topic without naming it.
    How near a topic is, is the larger of how much of a keyword stands in the name (the normalised
    Indel similarity to the word, or the stretch of the name as long as the keyword, that is most
    like it) and of the share of the template's captions that have a keyword of the topic.

    >>> cats = Topic("Animals", "Cats", (Keyword("kitten"),))
    >>> tea = Topic("Food", "Tea", (Keyword("tea"),))
    >>> nearest = nearest_topics("Kiten", ["tea time", "bed"], TopicMatcher([tea, cats]))
    >>> [(topic.topic, topic.nearness) for topic in nearest]
    [('Cats', 0.91), ('Tea', 0.67)]
    """
    from rapidfuzz.fuzz import partial_ratio, ratio

    counts = Counter(match["topic"] for text in captions for match in matcher.match(text))
    folded = " ".join(fold(name))

    def share(written: Keyword) -> float:
        keyword = " ".join(fold(written.text))
        similarities = [ratio(keyword, word) for word in folded.split()]
        if len(folded) >= len(keyword):  # else the name would be looked for in the keyword
            similarities.append(partial_ratio(keyword, folded))
        return max(similarities, default=0.0) / 100

    near = []
    for topic in matcher.topics:
        keyword, count = max(topic.keywords, key=share), counts[topic.name]
        nearness = max(share(keyword), count / len(captions) if captions else 0.0)
        row = (topic.category, topic.name, round(nearness, 2), keyword.text)
        near.append(NearTopic(*row, round(share(keyword), 2), count))
    return tuple(sorted(near, key=lambda topic: -topic.nearness)[:most])
