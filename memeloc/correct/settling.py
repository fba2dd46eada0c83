"""Settling. In: cases, and a rule or the sheet in which somebody decided. Out: decisions.

A decision is a mapping: `case`, a number, and one of `accept` (an answer's number), `parts`
(another text) and `drop`, or none of them, where the caption stays; with a `comment`, and the `row`
of the sheet that it is from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memeloc.correct.model import GIVEN_UP, Answer, Case
from memeloc.correct.placing import same_person
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.sheets import Filled, SheetColumn, SheetForm

Decision = Mapping[str, Any]

DROPS = ("drop", "drop all")
"""What a row says that gives a meme up: in the case's language, or in all of them."""
_WHOLE = ("", "disagreement", "given up", "same person", "part lost")
"""Reasons of answers that are to the source as it is, and understood."""

FORM = SheetForm(
    "Cases",
    (
        SheetColumn("case", width=7),
        SheetColumn("meme_id", also=("meme",)),
        SheetColumn("language", width=9),
        SheetColumn("round", width=7),
        SheetColumn("why", width=30),
        SheetColumn("source", width=34),
        SheetColumn("now", width=34),
        SheetColumn("answers", width=44),
        SheetColumn("comments so far", width=34),
        SheetColumn("take", "status", 10, choices=("keep", *DROPS)),
        SheetColumn("text", "answer", 40),
        SheetColumn("comment", "note", 30),
    ),
    how=(
        "Decide about each case.",
        "In the column take, write the number of the answer that you accept, or keep, drop or drop "
        "all; or write another text in the column text, its parts with // between.",
    ),
)
"""The sheet of cases; one that lacks columns but `case`, and `take` or `text`, is read, too."""


def said(answer: Answer) -> str:
    """Return the text of an answer, or else its status."""
    return SEPARATOR.join(answer.parts or answer.typed) if any(answer.typed) else answer.status


def case_rows(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Return the rows of the sheet of cases."""
    return [
        {
            "case": case.id,
            **{name: getattr(case, name) for name in ("meme_id", "language", "round")},
            "why": case.message or case.reason,
            "source": SEPARATOR.join(case.source),
            "now": SEPARATOR.join(case.now or ()),
            "answers": [f"{each.id} {each.person}: {said(each)}" for each in shown_answers(case)],
            "comments so far": [f"{each.who}: {each.comment}" for each in case.comments],
        }
        for case in cases
    ]


def shown_answers(case: Case) -> list[Answer]:
    """Return the answer that opened a case, and the others' that stand in its round."""
    first, *others = case.answers
    in_round = (each for each in others if each.standing and each.round == case.round)
    return [first, *(each for each in in_round if each.person != first.person)]


def decisions(filled: Filled) -> Iterator[Decision]:
    """Yield the decisions of a sheet; a text goes before what is to be taken. Raise InputError if a
    row cannot be understood, with its number and column."""
    for row in filled.rows:
        text, take = row["text"], " ".join(row["take"].casefold().split())
        if not (text or take or row.wrong):
            continue
        wrong, column = row.wrong, ""
        if not wrong and not row["case"].isdecimal():
            wrong, column = "is not a case's number", "case"
        if not (wrong or text or take.isdecimal() or take in ("keep", *DROPS)):
            wrong = f"{take[:40]!r} is neither an answer's number nor keep, drop or drop all"
            column = "take"
        if wrong:
            raise InputError(wrong, file=filled.file, row=row.number, column=column or None)
        decision = {"case": int(row["case"]), "comment": row["comment"], "row": row.number}
        if text:
            yield decision | {"parts": Caption.parse(text).parts}
        elif take.isdecimal():
            yield decision | {"accept": int(take)}
        else:
            yield decision | ({"drop": take} if take in DROPS else {})


def by_rule(rule: str, cases: Sequence[Case]) -> Iterator[Decision]:
    """Yield decisions about the cases that a rule decides; the rule stands with each.

    It takes only answers to the source as it is now, with a text that is whole. `person:NAME`: her
    answer of the latest round; where she gave the caption up, it is dropped in this language.
    `round:N`: what all who answered in it agree on. `majority`: what more than half of those have
    who answered in the case's round, two at least; who gave the caption up counts. Raise InputError
    if it is none of these.
    """
    by, _, value = (piece.strip() for piece in rule.partition(":"))
    is_whole = bool(value) == (by != "majority") and (by != "round" or value.isdecimal())
    if by not in ("person", "round", "majority") or not is_whole:
        raise InputError(f"A rule is person:NAME, round:NUMBER or majority, not {rule[:60]!r}.")
    for case in cases:
        standing = [each for each in case.answers if each.standing and each.status != "skip"]
        standing.sort(key=lambda answer: (answer.round, answer.id))
        taken: Answer | None = None
        if by == "person":
            for answer in standing:
                is_usable = _has_text(answer, case) or _is_given_up(answer)
                taken = answer if is_usable and same_person(answer.person, value) else taken
        else:
            of_round = int(value) if by == "round" else case.round
            answers = [answer for answer in standing if answer.round == of_round]
            least = len(answers) if by == "round" else max(len(answers) // 2 + 1, 2)
            whole = [answer for answer in answers if _has_text(answer, case)]
            for text, count in Counter(answer.parts for answer in whole).most_common(1):
                if count >= least:
                    taken = [answer for answer in whole if answer.parts == text][-1]
        if taken is not None:
            way = {"drop": DROPS[0]} if _is_given_up(taken) else {"accept": taken.id}
            yield {"case": case.id, "comment": f"rule {by}{value and f':{value}'}", **way}


def _is_given_up(answer: Answer) -> bool:
    return answer.status in GIVEN_UP and answer.status != "no-text"


def _has_text(answer: Answer, case: Case) -> bool:
    """Return whether an answer has a text that can stand, or says that there is none."""
    is_whole = answer.reason != "part lost" or (
        len(answer.parts) == len(case.source)
        and all(text or not source for source, text in zip(case.source, answer.parts, strict=True))
    )
    has_text = any(answer.parts) or answer.status == "no-text"
    return answer.reason in _WHOLE and is_whole and has_text
