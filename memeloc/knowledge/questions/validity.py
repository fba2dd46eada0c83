"""How much of what a model wrote people find right. In: `Judgement`s. Out: a `Section`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memeloc.agreement import krippendorff_alpha, observed_agreement
from memeloc.counts import counted
from memeloc.knowledge.questions.judging import YES, Judged
from memeloc.knowledge.questions.review import share_row
from memeloc.reports.sections import Intervals, Section, Table
from memeloc.statistics.intervals import percent_with_interval

What = Literal["question", "answer", "statement"]
GIVEN = ("yes", "no", "maybe")
"""What a person answers to each."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person answered about a question, its right answer, or a statement.

    Attributes:
        item: id of the question, or of the meme and statement.
        given: one of `GIVEN`.
    """

    item: str
    dimension: str
    what: What
    participant: str
    given: str


_QUESTIONS = {
    "dimension": "its id",
    "stage": "toxicity, with what it rests on, or others, which are drawn",
    "judged": "questions that are settled, with their answers",
    "question yes": "questions that make sense to ask",
    "answer yes": "right answers that are plausible",
    "valid": "questions with a yes to both",
    "share": "valid / judged, 0 to 1",
    "low": "lower end of Wilson's interval, 95 %",
    "high": "its upper end",
}
_STATEMENTS = {
    "dimension": "its id",
    "judged": "statements that people answered about",
    "right": "of them, that are settled as on point",
    "share": "right / judged, 0 to 1",
    "low": "lower end of Wilson's interval, 95 %",
    "high": "its upper end",
}
_AGREEMENT = {
    "what": "what is judged",
    "judged": "so many of it",
    "by several": "of them, by two people or more",
    "differing": "of these, on which answers differ",
    "agreement": "share of pairs of people with the same answer, 0 to 1; empty without pairs",
    "alpha": "Krippendorff's alpha (2011) of yes, maybe and no as names; empty where not defined",
}
_METHOD = (
    "YES, NO or MAYBE, of which only YES counts (M-QUEST, Manual Data Validation); answers of "
    "several people are settled by the survey's rule. Wilson's interval (1927) of the share."
)


def validity_section(
    dimensions: Mapping[str, str],
    stages: Mapping[str, Mapping[str, Judged]],
    statements: Mapping[str, str],
    judgements: Sequence[Judgement],
) -> Section:
    """Validity of questions and statements by dimension, and how people agree.

    Args:
        dimensions: by id of questions and statements.
        stages: by stage and question's id what is settled.
        statements: by statement's id what is settled: `yes`, `no`, `maybe`; empty for open.
    """
    questions = [row for stage in stages.items() for row in _by_dimension(dimensions, *stage)]
    if not questions:
        gap = "Nobody has judged a question yet: memeloc knowledge survey builds the survey."
        return Section("validity", "What people find right", gaps=(gap,))
    of_statements = list(_statements(dimensions, statements))
    agreement = list(_agreement(judgements))
    return Section(
        "validity",
        "What people find right",
        (
            Table.of("validity", "Questions", questions, _QUESTIONS, _METHOD),
            Table.of("validity_statements", "Statements", of_statements, _STATEMENTS, _METHOD),
            Table.of("validity_agreement", "Second judges", agreement, _AGREEMENT,
                  "Of what two people or more have judged."),
        ),
        (_plot(questions),),
        tuple(_sentences(questions, agreement)),
        {
            "share": {stage: {r[0]: r[6] for r in questions if r[1] == stage} for stage in stages},
            "statements": {row[0]: row[3] for row in of_statements},
        }
    )  # fmt: skip


def _by_dimension(
    dimensions: Mapping[str, str], stage: str, judged: Mapping[str, Judged]
) -> Iterator[tuple[Any, ...]]:
    by_dimension: dict[str, list[Judged]] = defaultdict(list)
    for id, each in judged.items():
        if not each.is_open:
            by_dimension[dimensions[id]].append(each)
    for dimension, those in by_dimension.items():
        asked = sum(each.question == YES for each in those)
        answered = sum(each.answer == YES for each in those)
        valid = sum(each.is_positive for each in those)
        share = share_row("", valid, len(those))
        yield dimension, stage, len(those), asked, answered, *share[2:]


def _statements(
    dimensions: Mapping[str, str], statements: Mapping[str, str]
) -> Iterator[tuple[Any, ...]]:
    by_dimension: dict[str, list[bool]] = defaultdict(list)
    for id, given in statements.items():
        if given:
            by_dimension[dimensions[id]].append(given == YES)
    for dimension, those in by_dimension.items():
        yield share_row(dimension, sum(those), len(those))


def _agreement(judgements: Sequence[Judgement]) -> Iterator[tuple[Any, ...]]:
    import pandas as pd

    frame = pd.DataFrame(
        [(each.what, each.item, each.participant, each.given) for each in judgements],
        columns=["what", "item", "participant", "label"],
        dtype=object,
    )
    for what, rows in frame.groupby("what", sort=False):
        answers = rows[["item", "participant", "label"]]
        people = answers.groupby("item")["participant"].nunique()
        several = answers[answers["item"].isin(people.index[people > 1])]
        differing = several.groupby("item")["label"].nunique() > 1
        defined = len(several) > 0
        yield (
            f"{what}s", len(people), int((people > 1).sum()), int(differing.sum()),
            observed_agreement(several) if defined else None,
            krippendorff_alpha(several) if defined else None,
        )  # fmt: skip


def _sentences(
    questions: Sequence[tuple[Any, ...]], agreement: Sequence[tuple[Any, ...]]
) -> Iterator[str]:
    valid, judged = (sum(row[place] for row in questions) for place in (5, 2))
    total = share_row("", valid, judged)[3:]
    yield (
        f"People found {valid:,} of {counted(judged, 'question')} right, with the answer: "
        f"{percent_with_interval(*total)}."
    )
    for what, _count, several, differing, *_ in agreement:
        if several:
            yield (
                f"Of {several:,} {what} that two people or more judged, they differ on "
                f"{differing:,}."
            )
    if not any(row[2] for row in agreement):
        yield "Each was judged by one person only."


def _plot(questions: Sequence[tuple[Any, ...]]) -> Intervals:
    import pandas as pd

    rows = [(row[0], *row[6:], row[1]) for row in questions]
    frame = pd.DataFrame(rows, columns=["label", "value", "low", "high", "group"])
    return Intervals("validity", "Valid questions by dimension", frame, "share", _METHOD)
