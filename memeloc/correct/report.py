"""Report of correction. In: what people answered. Out: edits, HTER and chrF, and a report.

Texts are compared by words (see `memeloc.locales.words`), so that an edit is what a reader would
call one, also where a language writes no spaces.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

from memeloc.correct.model import GIVEN_UP, Answer
from memeloc.locales.words import segments, words
from memeloc.model import SEPARATOR, Locale
from memeloc.pages import fill_page

COMMONEST = 15
"""Edits that a report names."""
_PAGE = Path(__file__).parent / "pages" / "report.html"

Row = dict[str, Any]


def edits(before: str, after: str, locale: Locale) -> list[tuple[str, str]]:
    """Return what was replaced, left out or put in, in order: what stood there, and what does now.

    >>> from memeloc.locales import default
    >>> edits("ich bin da", "ich war da", default().get("de"))
    [('bin', 'war')]
    """
    if before == after:
        return []
    old, new = segments(before, locale), segments(after, locale)
    # Of the ways that are equally short, difflib's keeps together what stands together.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        ("".join(old[a:b]), "".join(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def edits_of(answer: Answer, locale: Locale) -> list[tuple[str, str]]:
    """Return the edits of an answer, part by part."""
    pairs = zip(answer.base, answer.parts, strict=False)
    return [edit for before, after in pairs for edit in edits(before, after, locale)]


def compared(answers: Iterable[Answer], comments: Iterable[Answer], locale: Locale) -> list[Row]:
    """Return a row for each answer, with what its sheet showed (`before`) and its `edits`, and for
    each comment or decision without one, whose texts are empty.

    The rows of a caption stand together, oldest first, so that comments read as a conversation.
    """
    captions = defaultdict[str, list[Row]](list)
    remarks = (each for each in comments if not each.decides)
    for answer in (*answers, *(replace(each, base=(), parts=()) for each in remarks)):
        about = ("meme_id", "language", "round", "person", "status")
        row = {name: getattr(answer, name) for name in about}
        row |= {"before": SEPARATOR.join(answer.base), "after": SEPARATOR.join(answer.parts)}
        row |= {"edits": edits_of(answer, locale), "comment": answer.comment}
        captions[answer.meme_id].append(row | {"created": answer.created})
    for rows in captions.values():
        rows.sort(key=lambda row: (row["created"] is not None, row["created"]))
    return [row for rows in captions.values() for row in rows]


@dataclass(slots=True)
class Distance:
    """The distance by which texts were changed, over all that were added."""

    _edits: int = 0
    _words: int = 0
    _texts: list[tuple[str, str]] = field(default_factory=list)

    def add(self, before: Sequence[str], after: Sequence[str], locale: Locale) -> None:
        """Count the parts of one text as they were, and as a person left them."""
        from sacrebleu.metrics.lib_ter import translation_edit_rate

        target = [word for part in after for word in words(part, locale)]
        self._words += len(target)
        if before != after:
            old = [word for part in before for word in words(part, locale)]
            self._edits += int(translation_edit_rate(old, target)[0])
        self._texts.append(("".join(before), "".join(after)))

    @property
    def hter(self) -> float:
        """Human-targeted translation edit rate, in percent; 0 where nothing was changed.

        The edits (insertions, deletions, substitutions and shifts of words) that turn the text
        before into the person's, over the words of the person's text (Snover et al. 2006, "A Study
        of Translation Edit Rate with Targeted Human Annotation"). Edits are counted by sacreBLEU
        (Post 2018), capitals and punctuation included, each mark as a word. It can pass 100 where
        the person's text is much shorter.
        """
        return 100.0 * self._edits / self._words if self._words else 100.0 * bool(self._edits)

    @property
    def chrf(self) -> float:
        """chrF of the texts before against the person's, 0 to 100; 100 is equal.

        The F-score of character n-grams up to 6 without white space, recall weighing twice
        (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"): sacreBLEU's
        chrF2. It needs no words, so it compares across scripts.
        """
        return chrf(*zip(*self._texts, strict=True)) if self._texts else 100.0


def chrf(before: Sequence[str], after: Sequence[str]) -> float:
    """Return the chrF of texts against others, see `Distance.chrf`."""
    from sacrebleu.metrics.chrf import CHRF

    if all(old.split() == new.split() for old, new in zip(before, after, strict=True)):
        return 100.0  # also where no text has a letter
    return float(CHRF().corpus_score(before, [after]).score)


def make_report(
    answers: Iterable[tuple[Locale, Iterable[Answer]]],
    post_edits: Iterable[tuple[Locale, Iterable[Any]]] = (),
    comments: Iterable[Answer] = (),
) -> dict[str, list[Any]]:
    """Return a report of everybody's standing answers, of what came of the machine's texts, and of
    comments.

    `rows` are of a `language`, `round` and `person`: of the captions `seen`, some were found
    correct as they stood (`untouched`), `corrected`, or `given_up`, by status; `hter` and `chrf`
    are over those that got a text, see `Distance`; the `commonest` edits (`before`, `after`,
    `times`), and the memes reported to turn on `wordplay`. `agreements` are of two people (`one`,
    `other`) who answered in one round: `both` gave a text for so many captions, the same for
    `equal`; `chrf` is the mean of one's texts against the other's, 0 to 100, both ways averaged.
    `overall` says of a language's `captions` that a machine wrote and people have accepted,
    corrected or settled, how many were `changed` at all, and `hter` and `chrf` over all of them.

    Args:
        answers: by language, those of a meme together.
        post_edits: by language, texts that a `machine` wrote, and what people have left (`final`).
    """
    rows, agreements, overall = list[Row](), list[Row](), list[Row]()
    for locale, of_language in answers:
        people = defaultdict[tuple[int, str], list[Answer]](list)
        pairs = defaultdict[tuple[int, str, str], list[tuple[str, str]]](list)
        for _, of_meme in groupby(of_language, lambda answer: answer.meme_id):
            group = sorted(of_meme, key=lambda answer: (answer.round, answer.person))
            for answer in group:
                people[answer.round, answer.person].append(answer)
            for one, other in combinations(group, 2):
                if one.round == other.round and one.parts and other.parts:
                    texts = (" ".join(one.parts), " ".join(other.parts))
                    pairs[one.round, one.person, other.person].append(texts)
        for (round_, person), of_round in sorted(people.items()):
            about = {"language": locale.tag, "round": round_, "person": person}
            rows.append(about | _of_person(of_round, locale))
        for (round_, first, second), both in sorted(pairs.items()):
            scores = [(chrf([a], [b]) + chrf([b], [a])) / 2 for a, b in both]
            row: Row = {"language": locale.tag, "round": round_, "one": first, "other": second}
            row |= {"both": len(both), "equal": sum(a == b for a, b in both)}
            agreements.append(row | {"chrf": sum(scores) / len(scores)})
    for locale, machine_texts in post_edits:
        distance, captions, changed = Distance(), 0, 0
        for text in machine_texts:
            captions += 1
            changed += text.machine != text.final
            distance.add(text.machine, text.final, locale)
        if captions:
            row = {"language": locale.tag, "captions": captions, "changed": changed}
            overall.append(row | {"hter": distance.hter, "chrf": distance.chrf})
    tables = {"rows": rows, "agreements": agreements, "overall": overall}
    return {**tables, "comments": list(comments)}


def _of_person(answers: Sequence[Answer], locale: Locale) -> Row:
    texts = [answer for answer in answers if answer.parts]
    distance, changes = Distance(), Counter[tuple[str, str]]()
    for answer in texts:
        distance.add(answer.base, answer.parts, locale)
        changes.update(edits_of(answer, locale))
    untouched = sum(answer.base == answer.parts for answer in texts)
    return {
        "seen": len(answers),
        "untouched": untouched,
        "corrected": len(texts) - untouched,
        "given_up": dict(Counter(each.status for each in answers if each.status in GIVEN_UP)),
        "hter": distance.hter,
        "chrf": distance.chrf,
        "commonest": [
            {"before": before, "after": after, "times": times}
            for (before, after), times in changes.most_common(COMMONEST)
        ],
        "wordplay": [each.meme_id for each in answers if each.status == "wordplay"],
    }


def report_page(report: Mapping[str, Any], locales: Mapping[str, Locale]) -> str:
    """Return a report as one HTML page that works from disk, without scripts.

    `locales` are those of its languages, by tag. Texts of people are shown as text.
    """
    return fill_page(_PAGE, report=report, locales=locales)
