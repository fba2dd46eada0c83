"""Duplicates as they come together. In: items, people's decisions, pairs. Out: groups, questions.

Every stage of deduplication reports to a `Joining` what is the same and what may be. People's
answers come first: what they called the same is one group from the start, and what they called
different never becomes one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memeloc.curate.duplicates.keep import Groups
from memeloc.curate.duplicates.pairs import PAIR, Pair, Stage
from memeloc.curate.review.judgement import Judgement, majority
from memeloc.items import Item

QUESTION = "duplicates"
"""The name under which people decide on pairs."""

SAME, DIFFERENT = "same", "different"
"""What they may answer."""


def decisions(judgements: Iterable[Judgement]) -> dict[str, str]:
    """What people decided by majority: `same` or `different` by pair (`first|second`)."""
    about = [
        replace(judgement, subject=PAIR.join(sorted(judgement.subject.split(PAIR))))
        for judgement in judgements
        if judgement.question == QUESTION
    ]
    return {subject: answer for (subject, _), answer in majority(about, (SAME, DIFFERENT)).items()}


@dataclass(slots=True)
class Joining:
    """Items of one kind, the one to keep before the others, and the pairs of them so far.

    Attributes:
        items: in the order of the rule of what stays; a place is an index into it.
        decided: what people answered, by pair.
        groups: what is one; the root of a group is its representative.
        pairs: what united two groups, in turn.
        by_people: places that a person called the same, as far as that united groups.
        contradictions: pairs that people called the same, but that others of their decisions hold
            apart.
    """

    items: Sequence[Item]
    decided: Mapping[str, str]
    groups: Groups = field(init=False)
    pairs: list[Pair] = field(default_factory=list)
    by_people: list[tuple[int, int]] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    _asked: list[tuple[int, int, Pair]] = field(default_factory=list)
    _judged: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = Groups(len(self.items))
        place = {item.id: at for at, item in enumerate(self.items)}
        same: list[tuple[int, int]] = []
        for subject, answer in sorted(self.decided.items()):
            ids = subject.split(PAIR)
            if len(ids) != 2 or not all(id in place for id in ids) or ids[0] == ids[1]:
                continue
            first, second = sorted(place[id] for id in ids)
            self._judged[second] = self._judged.get(second, 0) + 1
            if answer == SAME:
                same.append((first, second))
            else:
                self.groups.keep_apart(first, second)
        for first, second in same:
            if self.groups.unite(first, second):
                self.by_people.append((first, second))
            elif self.groups.are_apart(first, second):
                self.contradictions.append(self.pair(first, second, "bytes", {}, "").subject)

    def pair(
        self, one: int, other: int, stage: Stage, scores: Mapping[str, float], reason: str
    ) -> Pair:
        """Two places as a pair of duplicates."""
        first, second = sorted((self.items[one].id, self.items[other].id))
        return Pair(first, second, stage, "duplicate", dict(scores), reason)

    def same(
        self, one: int, other: int, stage: Stage, scores: Mapping[str, float], reason: str
    ) -> None:
        """These two are duplicates, unless a person holds them apart."""
        if self.groups.unite(one, other):
            self.pairs.append(self.pair(one, other, stage, scores, reason))

    def ask(
        self, one: int, other: int, stage: Stage, scores: Mapping[str, float], reason: str
    ) -> None:
        """These two may be duplicates; a person is to say."""
        first, second = sorted((self.items[one].id, self.items[other].id))
        pair = Pair(first, second, stage, "ask", dict(scores), reason)
        self._asked.append((min(one, other), max(one, other), pair))

    def judged(self, place: int) -> int:
        """With how many better items a person has compared this one."""
        return self._judged.get(place, 0)

    def left(self) -> list[int]:
        """The places of the representatives."""
        return [at for at, root in enumerate(self.groups.roots().tolist()) if at == root]

    def questions(self, most: int) -> list[tuple[int, int, Pair]]:
        """What a person is to say, once all stages are through.

        A pair whose groups are one by now, or are held apart, needs no answer; of two groups one
        pair is asked about; and a group is asked about with `most` better ones at a time.

        Returns:
            Places of two representatives, the better one first, and the pair.
        """
        asked: dict[tuple[int, int], Pair] = {}
        count: Counter[int] = Counter()
        for first, second, pair in sorted(self._asked, key=lambda ask: (ask[1], ask[0])):
            better, lesser = sorted((self.groups.root(first), self.groups.root(second)))
            if (
                better == lesser
                or (better, lesser) in asked
                or pair.subject in self.decided
                or self.groups.are_apart(better, lesser)
                or count[lesser] >= most
            ):
                continue
            count[lesser] += 1
            asked[better, lesser] = pair
        return [(better, lesser, pair) for (better, lesser), pair in sorted(asked.items())]
