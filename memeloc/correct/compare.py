"""What was changed, and how far. In: answers, texts before and after. Out: edits, HTER and chrF.

Texts are compared by words (see `memeloc.locales.words`), so that an edit is what a reader would
call one, also where a language writes no spaces.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

from memeloc.correct.model import Answer
from memeloc.locales.words import segments, words
from memeloc.model import SEPARATOR, Locale

_ORDERS = range(1, 7)
_BETA = 2


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: what stood there and what stands there now; either may be empty."""

    before: str
    after: str


def edits(before: str, after: str, locale: Locale) -> list[Edit]:
    """What was replaced, left out or put in, in order; nothing for equal texts.

    >>> from memeloc.locales import default
    >>> edits("ich bin da", "ich war da", default().get("de"))
    [Edit(before='bin', after='war')]
    """
    if before == after:
        return []
    old, new = segments(before, locale), segments(after, locale)
    # Of the ways that are equally short, difflib's keeps together what stands together.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit("".join(old[a:b]), "".join(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def compared(
    answers: Iterable[Answer], comments: Iterable[Answer], locale: Locale
) -> list[dict[str, Any]]:
    """Return a row for each answer, with what its sheet showed (`before`) and its `edits`, and for
    each comment or decision without one, whose texts are empty.

    The rows of a caption stand together, oldest first, so that comments read as a conversation.
    """
    captions: dict[str, list[dict[str, Any]]] = {}
    remarks = (each for each in comments if not each.decides)
    for answer in (*answers, *(replace(each, base=(), parts=()) for each in remarks)):
        row = {
            "meme_id": answer.meme_id,
            "language": answer.language,
            "round": answer.round,
            "person": answer.person,
            "status": answer.status,
            "before": SEPARATOR.join(answer.base),
            "after": SEPARATOR.join(answer.parts),
            "edits": [
                (edit.before, edit.after)
                for before, after in zip(answer.base, answer.parts, strict=False)
                for edit in edits(before, after, locale)
            ],
            "comment": answer.comment,
            "created": answer.created,
        }
        captions.setdefault(answer.meme_id, []).append(row)
    for rows in captions.values():
        rows.sort(key=lambda row: (row["created"] is not None, row["created"]))
    return [row for rows in captions.values() for row in rows]


@dataclass(slots=True)
class Distance:
    """How far texts were changed, over all that were added; only counts are kept."""

    _differ: bool = False
    _edits: int = 0
    _words: int = 0
    _ngrams: list[list[int]] = field(default_factory=lambda: [[0, 0, 0] for _ in _ORDERS])

    def add(self, before: Sequence[str], after: Sequence[str], locale: Locale) -> None:
        """Count the parts of one text as they were, and as a person left them."""
        target = [word for part in after for word in words(part, locale)]
        self._words += len(target)
        if before != after:
            self._edits += _edit_rate([w for part in before for w in words(part, locale)], target)
        self._add_ngrams("".join(before), "".join(after))

    def _add_ngrams(self, before: str, after: str) -> None:
        old, new = "".join(before.split()), "".join(after.split())
        self._differ |= old != new
        # What stands within the common start and end matches; only what lies between is compared.
        start = int(Prefix.similarity(old, new))
        end = int(Postfix.similarity(old[start:], new[start:]))
        for order, counts in zip(_ORDERS, self._ngrams, strict=True):
            had, has = max(len(old) - order + 1, 0), max(len(new) - order + 1, 0)
            same = has
            if old != new:
                between = _ngrams(old, order, start, end) & _ngrams(new, order, start, end)
                same = max(start - order + 1, 0) + max(end - order + 1, 0) + between.total()
            # As in sacreBLEU, where the person's text is too short for any, none count.
            counts[0] += had if has else 0
            counts[1] += has
            counts[2] += same

    @property
    def hter(self) -> float:
        """Human-targeted translation edit rate, in percent; 0 where nothing was changed.

        The edits (insertions, deletions, substitutions and shifts of words) that turn the text
        before into the person's, over the words of the person's text (Snover et al. 2006, "A Study
        of Translation Edit Rate with Targeted Human Annotation"). Edits are counted by sacreBLEU
        (Post 2018), capitals and punctuation included, each mark as a word. It can pass 100 where
        the person's text is much shorter.
        """
        if not self._words:
            return 100.0 if self._edits else 0.0
        return 100 * self._edits / self._words

    @property
    def chrf(self) -> float:
        """chrF of the texts before against the person's, 0 to 100; 100 is equal.

        The F-score of character n-grams up to 6 without white space, recall weighing twice
        (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"; beta is 2 and
        orders that no text is long enough for are left out, as in sacreBLEU's chrF2). It needs no
        words, so it compares across scripts.
        """
        counts = [row for row in self._ngrams if row[0] and row[1]]
        if not counts:
            return 0.0 if self._differ else 100.0
        precision = sum(match / had for had, _, match in counts) / len(counts)
        recall = sum(match / has for _, has, match in counts) / len(counts)
        if not precision + recall:
            return 0.0
        return 100 * (1 + _BETA**2) * precision * recall / (_BETA**2 * precision + recall)


def chrf(before: str, after: str) -> float:
    """chrF of one text against another, see `Distance.chrf`."""
    distance = Distance()
    distance._add_ngrams(before, after)
    return distance.chrf


def _edit_rate(before: list[str], after: list[str]) -> int:
    """The edits of HTER. Where the words that the texts do not share need as many without moving
    any, no move can help, which spares the search for one."""
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    edits = Levenshtein.distance(before, after)
    old, new = Counter(before), Counter(after)
    if edits == max((old - new).total(), (new - old).total()):
        return edits
    return int(translation_edit_rate(before, after)[0])


def _ngrams(text: str, order: int, start: int, end: int) -> Counter[str]:
    """The n-grams of a text that are neither within its first `start` nor last `end` characters."""
    starts = range(max(start - order + 1, 0), min(len(text) - end, len(text) - order + 1))
    return Counter(text[first : first + order] for first in starts)
