"""Groups of duplicates. In: items, people's decisions, pairs. Out: groups, questions to people.

Every stage of deduplication reports to a `Grouping` what is the same and what may be. People's
answers come first: what they called the same is one group from the start, and what they called
different never becomes one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from memeloc.curate.duplicates.texts import plain_text
from memeloc.curate.protocol import FilterSettings
from memeloc.curate.verdict import PAIR, Judgement, Pair, Stage, majority
from memeloc.items import Item
from memeloc.ocr.watermarks import without_watermarks

Rule = Literal["largest", "oldest", "votes", "first"]
"""Most pixels; earliest made; most votes; first collected."""


def in_order(items: Sequence[Item], rule: Rule) -> list[Item]:
    """Return items, given as they were collected, the one to keep before the others.

    Where the rule does not decide, the other rules do: largest, votes, oldest, first. An item that
    has no date or no votes comes after all that have.
    """

    def made(item: Item) -> float:
        year = f"{item.year.year:04d}" if item.year is not None else ""
        for date in (item.created.strip(), year):
            try:
                moment = datetime.fromisoformat(f"{date}-01-01" if len(date) == 4 else date)
                return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
            except (ValueError, OverflowError):
                continue
        return math.inf

    def rank(row: tuple[int, Item]) -> list[tuple[float, ...]]:
        place, item = row
        ranks: dict[str, tuple[float, ...]] = {
            "largest": (-item.width * item.height, -item.size),
            "votes": (math.inf if item.votes is None else -item.votes,),
            "oldest": (made(item),),
            "first": (place,),
        }
        return [ranks.pop(rule), *ranks.values()]

    return [item for _, item in sorted(enumerate(items), key=rank)]


Share = Annotated[float, Field(gt=0, le=1)]


class DedupSettings(FilterSettings):
    """The settings of deduplication; the thresholds of similarity are charmemes' (4.3)."""

    rule: Literal["text", "paper"] = Field(
        "text",
        description="what makes near pictures duplicates: the same text too, or, as in the "
        "paper, nothing more",
    )
    distance: int = Field(
        5,
        ge=0,
        le=16,
        description="bits of 64 in which hashes differ at most where no text decides: by the rule "
        "paper, of templates, and of pictures that a person is asked about",
    )
    text_distance: int = Field(
        16,
        ge=0,
        le=16,
        description="bits in which hashes of pictures with equal texts differ at most",
    )
    copies: bool = Field(
        False,
        description="whether pictures are looked at closely, so that crops, frames, bars, "
        "watermarks and mirrored copies are found",
    )
    keep: Rule = Field("largest", description="which of several stays")
    ask_text: Share = Field(
        0.8, description="similarity of texts of near pictures from which on a person looks at both"
    )
    same_likeness: Share = Field(0.95, description="cosine of both embeddings of a duplicate")
    ask_likeness: Share = Field(0.85, description="cosine from which on a person looks at both")
    near_captions: Share = Field(
        0.9, description="similarity of captions from which on a person looks at both; 1 is never"
    )
    scope: Literal["template", "all"] = Field(
        "template", description="whether captions are compared within a template or all with all"
    )
    questions: int = Field(
        5,
        ge=1,
        le=100,
        description="pairs of captions, or of pictures without a text, asked of one at a time",
    )

    @model_validator(mode="after")
    def _ordered(self) -> DedupSettings:
        if self.ask_likeness > self.same_likeness:
            raise ValueError("what a person looks at begins below what is the same")
        return self


QUESTION = "duplicates"  # the name under which people decide on pairs
_MOST_OF_ONE = 50
"""Pairs of one item that a person is asked about at once: captions of one form are all similar."""


def decisions(judgements: Iterable[Judgement]) -> dict[str, str]:
    """Return what people decided by majority: `same` or `different` by pair (`first|second`)."""
    about = [
        replace(judgement, subject=PAIR.join(sorted(judgement.subject.split(PAIR))))
        for judgement in judgements
        if judgement.question == QUESTION
    ]
    decided = majority(about, ("same", "different"))
    return {subject: answer for (subject, _), answer in decided.items()}


class Groups:
    """Places 0 to n - 1, united two by two, but for those that are to stay apart.

    A group's root is the least place in it.
    """

    def __init__(self, count: int) -> None:
        self._parent = np.arange(count, dtype=np.int64)
        self._apart: dict[int, set[int]] = {}

    def root(self, place: int) -> int:
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = int(parent[place])
        return place

    def roots(self) -> NDArray[np.int64]:
        """Return the root of every place."""
        parent = self._parent
        while not np.array_equal(above := parent[parent], parent):
            parent[:] = above
        return parent.copy()

    def keep_apart(self, one: int, other: int) -> None:
        one, other = self.root(one), self.root(other)
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def are_apart(self, one: int, other: int) -> bool:
        return self.root(other) in self._apart.get(self.root(one), ())

    def unite(self, one: int, other: int) -> bool:
        """Unite two groups; return False when they are one already, or must stay apart."""
        one, other = sorted((self.root(one), self.root(other)))
        if one == other or other in self._apart.get(one, ()):
            return False
        self._parent[other] = one
        for third in self._apart.pop(other, ()):
            self._apart[third].discard(other)
            self.keep_apart(one, third)
        return True

    def unite_all(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
        """Unite many pairs in turn; most are in one group already, and are left out at once."""
        roots = self.roots()
        one, other = roots[first], roots[second]
        pairs = np.minimum(one, other) * len(roots) + np.maximum(one, other)
        _, firsts = np.unique(pairs, return_index=True)
        for at in firsts[one[firsts] != other[firsts]].tolist():
            self.unite(int(first[at]), int(second[at]))


class Grouping:
    """Items of one kind, the one to keep before the others, and the pairs of them so far.

    A place is an index into the items; `decided` is what people answered, by pair. `groups` are of
    places, and the root of a group is its representative. `by_people` are the pairs that people
    called the same, as far as they united groups, `pairs` what else united two, in turn, `links` by
    place what took it from the representatives: that pair, and the place of it on this side, and
    `contradictions` the pairs called the same that others of people's decisions hold apart.
    `restored` are the places of what a stage called a duplicate and people hold apart, by stage,
    and `judged` with how many better items people have compared each place.
    """

    def __init__(self, items: Sequence[Item], decided: Mapping[str, str]) -> None:
        self.items = items
        self.groups = Groups(len(items))
        self.by_people: list[Pair] = []
        self.pairs: list[Pair] = []
        self.links: dict[int, tuple[Pair, int]] = {}
        self.contradictions: list[str] = []
        self.restored: dict[str, set[int]] = {}
        self.judged: Counter[int] = Counter()
        self._decided = decided
        self._asked: list[tuple[int, int, Pair, bool]] = []
        self._different: set[tuple[int, int]] = set()
        place = {item.id: at for at, item in enumerate(items)}
        by_answer: dict[str, list[tuple[int, int]]] = {"different": [], "same": []}
        for subject, answer in sorted(decided.items()):
            places = sorted({place[id] for id in subject.split(PAIR) if id in place})
            if len(places) == 2:
                self.judged[places[1]] += 1
                by_answer[answer].append((places[0], places[1]))
        for one, other in by_answer["different"]:
            self.groups.keep_apart(one, other)
        for one, other in by_answer["same"]:
            pair = self._pair(one, other, "people", "duplicate", {}, "")
            if self._unite(one, other, pair):
                self.by_people.append(pair)
            elif self.groups.are_apart(one, other):
                self.contradictions.append(pair.subject)

    def _pair(self, one: int, other: int, stage: Stage, outcome: str, *about: object) -> Pair:
        first, second = sorted((self.items[one].id, self.items[other].id))
        return Pair(first, second, stage, outcome, *about)  # type: ignore[arg-type]

    def _unite(self, one: int, other: int, pair: Pair) -> bool:
        root, place = max((self.groups.root(at), at) for at in (one, other))
        is_new = self.groups.unite(one, other)
        if is_new:
            self.links[root] = pair, place
        return is_new

    def same(
        self, one: int, other: int, stage: Stage, scores: Mapping[str, float], reason: str
    ) -> None:
        """Take two for duplicates, unless a person holds them apart."""
        pair = self._pair(one, other, stage, "duplicate", scores, reason)
        if self._unite(one, other, pair):
            self.pairs.append(pair)
        elif self.groups.are_apart(one, other):
            self.restored.setdefault(stage, set()).add(max(one, other))

    def ask(
        self,
        one: int,
        other: int,
        stage: Stage,
        scores: Mapping[str, float],
        reason: str,
        *,
        of_many: bool = False,
    ) -> None:
        """Have a person decide on two; `of_many` pairs of one only some are asked at a time."""
        pair = self._pair(one, other, stage, "ask", scores, reason)
        self._asked.append((min(one, other), max(one, other), pair, of_many))

    def asked(self) -> list[tuple[int, int]]:
        """Return the representatives of what is asked about so far, each pair once."""
        root = self.groups.root
        pairs = {(root(first), root(second)) for first, second, *_ in self._asked}
        return sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})

    def different(self, one: int, other: int) -> None:
        """Ask nobody about two: they are not the same."""
        self._different.add((min(one, other), max(one, other)))

    def left(self) -> list[int]:
        """Return the places of the representatives."""
        return [at for at, root in enumerate(self.groups.roots().tolist()) if at == root]

    def questions(self, most: int) -> list[tuple[int, int, Pair]]:
        """Return what a person is to answer once all stages are through, by the lesser item.

        Each is two representatives, the better one first, and their pair; what is asked about one
        picture stands together, all of it (fifty pairs, should there be more), but of pairs
        `of_many` as many as `most`. A pair whose groups are one by now, or are held apart, needs no
        answer; of two groups one is asked about.
        """
        asked: dict[tuple[int, int], Pair] = {}
        count: Counter[tuple[int, bool]] = Counter()
        for first, second, pair, of_many in sorted(self._asked, key=lambda ask: (ask[1], ask[0])):
            better, lesser = sorted((self.groups.root(first), self.groups.root(second)))
            if (
                better == lesser
                or (lesser, better) in asked
                or (better, lesser) in self._different
                or pair.subject in self._decided
                or self.groups.are_apart(better, lesser)
                or count[lesser, of_many] >= (most if of_many else _MOST_OF_ONE)
            ):
                continue
            count[lesser, of_many] += 1
            asked[lesser, better] = pair
        return [(better, lesser, pair) for (lesser, better), pair in sorted(asked.items())]


def known_texts(grouping: Grouping, settings: DedupSettings) -> dict[int, str | None]:
    """Return the plain text of each representative: its own, else the first of its group's.

    Sites' names and handles, which say where a meme went round, are no part of it. By the rule
    `paper` (charmemes 4.3) no text counts, nor does a template have one: "" for these.
    """
    texts: dict[int, str | None] = {}
    for item, root in zip(grouping.items, grouping.groups.roots().tolist(), strict=True):
        if settings.rule == "paper" or item.kind == "template":
            texts[root] = ""
        elif texts.get(root) is None:
            texts[root] = plain_text(without_watermarks(item.parts)) or None
    return texts
