"""What correction taught. In: what people answered. Out: a report by language, round and person.

Texts are counted as they come and not kept, so a report of any number of memes takes the memory of
one language's distinct edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

from memeloc.correct.compare import Distance, Edit, chrf, edits
from memeloc.correct.model import GIVEN_UP, Answer
from memeloc.model import Locale
from memeloc.pages import fill_page

COMMONEST = 15
"""Edits that a report names."""
_PAGE = Path(__file__).parent / "pages" / "report.html"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """What correction taught.

    Attributes:
        rows: of a `language`, `round` and `person`: of the captions `seen`, some were found correct
            as they stood (`untouched`), `corrected`, or `given_up`, by status; `hter` and `chrf`
            are over those that got a text, see `Distance`; the `commonest` edits (`before`,
            `after`, `times`), and the memes reported to turn on `wordplay`.
        agreements: of two people (`one`, `other`) who answered in one round: `both` gave a text for
            so many captions, the same for `equal`; `chrf` is the mean of one's texts against the
            other's, 0 to 100, both ways averaged.
        overall: of a language's `captions` that a machine wrote and people have accepted, corrected
            or settled, how many were `changed` at all; `hter` and `chrf` over all of them.
        comments: on captions, oldest first.
    """

    rows: list[Row]
    agreements: list[Row]
    overall: list[Row]
    comments: list[Answer]


def make_report(
    answers: Iterable[tuple[Locale, Iterable[Answer]]],
    post_edits: Iterable[tuple[Locale, Iterable[Any]]] = (),
    comments: Iterable[Answer] = (),
) -> Report:
    """Return a report of everybody's standing answers, of what came of the machine's texts, and of
    comments.

    Args:
        answers: by language, those of a meme together.
        post_edits: by language, texts that a `machine` wrote, and what people have left (`final`).
    """
    rows: list[Row] = []
    agreements: list[Row] = []
    for locale, of_language in answers:
        counts: dict[tuple[int, str], _Counts] = {}
        pairs: dict[tuple[int, str, str], list[float]] = {}
        for _, of_meme in groupby(of_language, lambda answer: answer.meme_id):
            group = sorted(of_meme, key=lambda answer: (answer.round, answer.person))
            for answer in group:
                counts.setdefault((answer.round, answer.person), _Counts()).add(answer, locale)
            for one, other in combinations(group, 2):
                if one.round == other.round and one.parts and other.parts:
                    key = (one.round, one.person, other.person)
                    pairs.setdefault(key, []).append(_similarity(one, other))
        for (round_, person), count in sorted(counts.items(), key=lambda item: item[0]):
            rows.append(count.row(language=locale.tag, round=round_, person=person))
        for (round_, first, second), scores in sorted(pairs.items()):
            agreements.append(
                {
                    "language": locale.tag,
                    "round": round_,
                    "one": first,
                    "other": second,
                    "both": len(scores),
                    "equal": sum(score > 100 for score in scores),
                    "chrf": sum(min(score, 100.0) for score in scores) / len(scores),
                }
            )
    overall = [_overall(locale, texts) for locale, texts in post_edits]
    return Report(rows, agreements, [row for row in overall if row["captions"]], list(comments))


def report_page(report: Report, locales: Mapping[str, Locale]) -> str:
    """Return a report as one HTML page that works from disk, without scripts.

    `locales` are those of its languages, by tag. Texts of people are shown as text.
    """
    return fill_page(_PAGE, report=report, locales=locales)


@dataclass(slots=True)
class _Counts:
    """One person's work in a language and round, as far as it was counted."""

    seen: int = 0
    texts: int = 0
    untouched: int = 0
    given_up: Counter[str] = field(default_factory=Counter)
    distance: Distance = field(default_factory=Distance)
    edits: Counter[Edit] = field(default_factory=Counter)
    wordplay: list[str] = field(default_factory=list)

    def add(self, answer: Answer, locale: Locale) -> None:
        self.seen += 1
        if answer.status in GIVEN_UP:
            self.given_up[answer.status] += 1
        if answer.status == "wordplay":
            self.wordplay.append(answer.meme_id)
        if answer.parts:
            self.texts += 1
            self.untouched += answer.base == answer.parts
            self.distance.add(answer.base, answer.parts, locale)
            for before, after in zip(answer.base, answer.parts, strict=False):
                self.edits.update(edits(before, after, locale))

    def row(self, **about: Any) -> Row:
        return about | {
            "seen": self.seen,
            "untouched": self.untouched,
            "corrected": self.texts - self.untouched,
            "given_up": dict(self.given_up),
            "hter": self.distance.hter,
            "chrf": self.distance.chrf,
            "commonest": [
                {"before": edit.before, "after": edit.after, "times": times}
                for edit, times in self.edits.most_common(COMMONEST)
            ],
            "wordplay": self.wordplay,
        }


def _similarity(one: Answer, other: Answer) -> float:
    """Return the chrF of two texts, both ways averaged; more than 100 where they are the same."""
    a, b = " ".join(one.parts), " ".join(other.parts)
    return 101.0 if a == b else (chrf(a, b) + chrf(b, a)) / 2


def _overall(locale: Locale, texts: Iterable[Any]) -> Row:
    distance, captions, changed = Distance(), 0, 0
    for text in texts:
        captions += 1
        changed += text.machine != text.final
        distance.add(text.machine, text.final, locale)
    scores = {"hter": distance.hter, "chrf": distance.chrf}
    return {"language": locale.tag, "captions": captions, "changed": changed, **scores}
