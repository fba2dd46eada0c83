"""Verdicts of filters and people on items. In: `memeloc.items`. Out: what the store keeps.

Neither ever deletes anything: the selection reads verdicts, and a person can overrule each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memeloc.items import hash_of

Outcome = Literal["keep", "drop", "ask"]  # use it, leave it out, or let a person decide


@dataclass(frozen=True, slots=True)
class Verdict:
    """One filter's decision on one item.

    Attributes:
        score: what was compared with a threshold, in the filter's own unit; else None.
        reason: a short key that can be counted, as `other language`; empty for `keep`.
        evidence: what the verdict rests on, as JSON values.
        settings: cache key of the filter's settings, of the versions it ran with and of what it
            looked at; while it stays the same, judging again would say the same.
        content: what was judged, see `content_of`; empty where it is the content that is stored.
    """

    item: str
    filter: str
    verdict: Outcome
    score: float | None = None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    settings: str = ""
    content: str = field(default="", compare=False)

    def content_of(self, contents: Mapping[str, str]) -> str:
        """Return the hash of what it is about, of items' `memeloc.items.content_hash` by id.

        A duplicate's is also of what it was compared with: it is none where that is another now.
        """
        others = [self.evidence[name] for name in ("kept", "with") if name in self.evidence]
        return content_of(dict.fromkeys([self.item, *map(str, others)]), contents)


def content_of(ids: Iterable[str], contents: Mapping[str, str]) -> str:
    """Return the hash of the contents of some items; of one, its own."""
    hashes = [contents.get(id, "") for id in ids]
    return hashes[0] if len(hashes) == 1 else hash_of(*hashes)


Verdicts = Mapping[str, Mapping[str, Verdict]]  # the newest verdicts, by item and filter


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer of one person about a subject: an item's id, or both of a pair (`first|second`).

    The answer is one of the question's, or free text; `row` is where it stands in the file it came
    in, 0 when in none; `content` is the hash of what the person saw of the items (see
    `content_of`), empty where it is the content that is stored.
    """

    subject: str
    question: str
    person: str
    answer: str
    comment: str = ""
    row: int = 0
    content: str = field(default="", compare=False)


def majority(
    judgements: Iterable[Judgement], answers: Collection[str]
) -> dict[tuple[str, str], str]:
    """Return what most people answered, by subject and question, of those `answers`.

    A tie is left out.
    """
    votes: dict[tuple[str, str], Counter[str]] = {}
    for judgement in judgements:
        answer = judgement.answer.strip().lower()
        if answer in answers:
            votes.setdefault((judgement.subject, judgement.question), Counter())[answer] += 1
    ranked = {key: counts.most_common(2) for key, counts in votes.items()}
    return {
        key: first[0]
        for key, (first, *others) in ranked.items()
        if not others or first[1] > others[0][1]
    }


def by_subject(judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Return answers by subject and person, in the order in which subjects were first answered.

    Of several answers of one person the last one counts; an empty one does not.
    """
    answers: dict[str, dict[str, str]] = {}
    for judgement in judgements:
        by_person = answers.setdefault(judgement.subject, {})
        by_person.pop(judgement.person, None)
        if answer := judgement.answer.strip():
            by_person[judgement.person] = answer
    return {subject: by_person for subject, by_person in answers.items() if by_person}


Stage = Literal["people", "bytes", "hash", "copy", "likeness", "caption"]
"""What finds duplicates: people's answers, identical files, near perceptual hashes, pictures laid
on each other, near embeddings, near texts."""

PAIR = "|"  # what stands between the two ids of a pair where people decide on it


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items, by ids of which `first` is the lesser, that are the same, or may be.

    Scores are by name: `distance` in bits of the perceptual hashes; `differing` and `lost`, see
    `memeloc.curate.duplicates.comparison`, shares from 0 to 1; `text`, `picture_likeness` and
    `text_likeness` from 0 (nothing in common) to 1 (the same). The reason is one sentence.
    `content` is the hash of what was compared, see `content_of`; empty where it is the content that
    is stored. Groups, and the one that stays of each, are made of pairs later, so that a person's
    answer about one pair changes nothing but what it must.
    """

    first: str
    second: str
    stage: Stage
    outcome: Literal["duplicate", "ask"]
    scores: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    content: str = field(default="", compare=False)

    @property
    def subject(self) -> str:
        """Return the pair as people's decisions name it: `first|second`."""
        return f"{self.first}{PAIR}{self.second}"

    @property
    def ids(self) -> tuple[str, str]:
        return self.first, self.second

    def other(self, item: str) -> str:
        return self.second if self.first == item else self.first
