"""Texts that are the same, or may be. In: captions. Out: pairs, in a `Grouping`.

Only texts that are equal in all but how they are written are the same (`plain_text`). Texts that
are similar, and a text that another contains, go to a person: one word, a number or a name may be
all the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memeloc.curate.duplicates.grouping import Grouping
from memeloc.curate.duplicates.plain_text import plain_text, plain_words

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

_BLOCK = 256
"""Texts that are compared with their neighbours at a time."""
_MARK = 12
"""Words, at most, that one text has beside another which it contains: a watermark is short."""


class NearTexts(NamedTuple):
    """Places of two different texts, the lesser first, that may be the same one.

    Their similarity is rapidfuzz's `ratio`, from 0 to 1; `contained` when one of them is the other
    and a few words in one place.
    """

    first: int
    second: int
    similarity: float
    contained: bool

    @property
    def reason(self) -> str:
        """Why a person is asked, in a sentence."""
        similar = f"are similar ({self.similarity:.0%}), but not the same"
        contain = " One contains the other." if self.contained else ""
        return f"The texts {similar}.{contain}"


def near_texts(texts: Sequence[str], least: float, jobs: int = 1) -> list[NearTexts]:
    """Return the pairs of plain texts that a person is to look at, the most similar first.

    Args:
        texts: different ones, see `plain_text`.
        least: the similarity from which on two are a pair; a text that another contains is one
            whatever the similarity.
        jobs: threads that compare.
    """
    from rapidfuzz import fuzz

    scores = {(one, other): score for one, other, score in similar_texts(texts, least, jobs)}
    contained = contained_texts(texts)
    for one, other in contained - scores.keys():
        scores[one, other] = fuzz.ratio(texts[one], texts[other]) / 100
    near = [NearTexts(*pair, score, pair in contained) for pair, score in scores.items()]
    return sorted(near, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def contained_texts(texts: Sequence[str]) -> set[tuple[int, int]]:
    """Return pairs of plain texts of which one is the other with 1 to 12 more words in one place.

    The more words are as many as a watermark has, at the beginning, at the end, or between two
    lines. Of scripts without spaces a word is a character. Places, the lesser first.
    """
    place = {row: at for at, text in enumerate(texts) if (row := tuple(plain_words(text)))}
    # What stays before the place is the beginning of the other text; sorted, the texts with the
    # longest common beginning are neighbours.
    order = sorted(place)
    shared = [0]
    for one, other in pairwise(order):
        same = [left == right for left, right in zip(one, other, strict=False)]
        shared.append([*same, False].index(False))
    pairs: set[tuple[int, int]] = set()
    for row, before, after in zip(order, shared, [*shared[1:], 0], strict=False):
        for start in range(max(before, after) + 1):
            for end in range(start + 1, min(start + _MARK, len(row)) + 1):
                other_place = place.get(row[:start] + row[end:])
                if other_place is not None:
                    pairs.add((min(place[row], other_place), max(place[row], other_place)))
    return pairs


def similar_texts(
    texts: Sequence[str], least: float, jobs: int = 1
) -> Iterator[tuple[int, int, float]]:
    """Yield all pairs of plain texts whose similarity (rapidfuzz's `ratio`) is at least `least`.

    Exact: texts too different in length are not compared, as they cannot be similar; all others
    are, some 40 million pairs a second, in blocks of bounded memory, on `jobs` threads. Yields
    places of two texts, the lesser first, and their similarity, 0 to 1; in the same order in every
    run.
    """
    from rapidfuzz import fuzz, process

    lengths = np.array([len(text) for text in texts])
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order]
    ordered = [texts[at] for at in order]
    for start in range(0, len(ordered), _BLOCK):
        block = ordered[start : start + _BLOCK]
        # ratio = 2 * common / (a + b), and no more is common than the shorter has.
        longest = len(block[-1]) * (2 - least) / least
        end = int(np.searchsorted(lengths, longest + 1e-9, side="right"))
        table = process.cdist(
            block,
            ordered[start:end],
            scorer=fuzz.ratio,
            score_cutoff=least * 100 - 1e-9,
            dtype=np.float32,
            workers=jobs,
        )
        rows, columns = np.nonzero(table)
        after = columns > rows
        for row, column in zip(rows[after].tolist(), columns[after].tolist(), strict=True):
            score = min(1.0, max(least, float(table[row, column]) / 100))
            one, other = int(order[start + row]), int(order[start + column])
            yield min(one, other), max(one, other), score


def group_captions(
    grouping: Grouping, stays: Mapping[str, str], settings: DedupSettings, jobs: int = 1
) -> None:
    """Unite captions with the same text, and ask about near ones, compared by `jobs` threads.

    `stays` has, of templates that are duplicates, the one that stays.
    """
    by_template: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(grouping.items):
        template = stays.get(item.parent, item.parent) if settings.scope == "template" else ""
        by_text = by_template.setdefault(template, {})
        by_text.setdefault(plain_text(item.parts), []).append(place)
    for by_text in by_template.values():
        for first, *others in by_text.values():
            for other in others:
                reason = "The texts are the same but for case, spaces and punctuation."
                grouping.same(first, other, "caption", {"text": 1.0}, reason)
        if settings.near_captions >= 1:
            continue
        places = [members[0] for members in by_text.values()]
        for near in near_texts(list(by_text), settings.near_captions, jobs):
            scores = {"text": round(near.similarity, 4)}
            pair = places[near.first], places[near.second]
            grouping.ask(*pair, "caption", scores, near.reason, of_many=True)
