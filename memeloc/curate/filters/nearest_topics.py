"""The topics nearest to a template that has none. In: its name and captions. Out: topics, ranked.

A keyword list misses names: misspelt ones, and those that are about a topic without naming it. How
near a topic is, from 0 to 1, is the larger of two shares:

- how much of a keyword stands in the name: the normalised Indel similarity of the keyword to the
  word, or to the stretch of the name as long as the keyword, that is most like it (RapidFuzz's
  `ratio` and `partial_ratio`, of folded text);
- the share of the template's captions that have a keyword of the topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import partial_ratio, ratio

from memeloc.curate.filters.topics import Topic, TopicMatcher, fold


@dataclass(frozen=True, slots=True)
class NearTopic:
    """A topic, and how near it is to a template: 0 to 1.

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
    """The nearest topics, at most so many, the nearest first, then in the file's order.

    >>> from memeloc.curate.filters.topics import Keyword
    >>> cats = Topic("Animals", "Cats", (Keyword("kitten"),))
    >>> tea = Topic("Food", "Tea", (Keyword("tea"),))
    >>> nearest = nearest_topics("Kiten", ["tea time", "bed"], TopicMatcher([tea, cats]))
    >>> [(topic.topic, topic.nearness) for topic in nearest]
    [('Cats', 0.91), ('Tea', 0.67)]
    """
    counts = Counter(match.topic for text in captions for match in matcher.match(text))
    folded = " ".join(fold(name))
    near = [_near(topic, folded, counts[topic], len(captions)) for topic in matcher.topics]
    return tuple(sorted(near, key=lambda topic: -topic.nearness)[:most])


def _near(topic: Topic, name: str, captions: int, total: int) -> NearTopic:
    shares = [(_share(" ".join(fold(keyword.text)), name), keyword) for keyword in topic.keywords]
    share, keyword = max(shares, key=lambda row: row[0])
    nearness = max(share, captions / total if total else 0.0)
    return NearTopic(
        topic.category, topic.name, round(nearness, 2), keyword.text, round(share, 2), captions
    )


def _share(keyword: str, name: str) -> float:
    similarities = [ratio(keyword, word) for word in name.split()]
    if len(name) >= len(keyword):  # else the name would be looked for in the keyword
        similarities.append(partial_ratio(keyword, name))
    return max(similarities, default=0.0) / 100
