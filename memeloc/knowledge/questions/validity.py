"""Validity of what a model wrote, as people judge it. In: `Judgement`s. Out: rows of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memeloc.agreement import krippendorff_alpha, observed_agreement
from memeloc.knowledge.questions.judging import YES, Judged
from memeloc.knowledge.questions.review import shares
from memeloc.reports.figures import gap, joined, tidy

if TYPE_CHECKING:
    import pandas as pd

What = Literal["question", "answer", "statement"]
GIVEN = ("yes", "no", "maybe")
"""Choices of a person for each."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's answer about a question, its right answer, or a statement.

    Attributes:
        item: id of the question, or of the meme and statement.
        given: one of `GIVEN`.
    """

    item: str
    dimension: str
    what: What
    participant: str
    given: str


def validity(
    dimensions: Mapping[str, str],
    stages: Mapping[str, Mapping[str, Judged]],
    statements: Mapping[str, str],
    judgements: Sequence[Judgement],
) -> pd.DataFrame:
    """Return the validity of questions and statements by dimension, and how people agree.

    Args:
        dimensions: by id of questions and statements.
        stages: by stage and question's id what is settled.
        statements: by statement's id what is settled: `yes`, `no`, `maybe`; empty for open.

    Returns:
        Figures of the analyses `validity` (a group a stage, an item a dimension; without either all
        in all), `validity-statements` and `validity-agreement` (an item what is judged).
    """
    import pandas as pd

    settled = pd.DataFrame(
        [
            (stage, dimensions[id], each.question == YES, each.answer == YES, each.is_positive, 1)
            for stage, judged in stages.items()
            for id, each in judged.items()
            if not each.is_open
        ],
        columns=["group", "item", "question_yes", "answer_yes", "valid", "n"],
    )
    if settled.empty:
        reason = "Nobody has judged a question yet: memeloc knowledge survey builds the survey."
        return gap("validity", reason)
    by_dimension = settled.groupby(["group", "item"], sort=False).sum().reset_index()
    total = settled[["question_yes", "answer_yes", "valid", "n"]].sum().to_frame().T
    right = pd.DataFrame(
        [(dimensions[id], given == YES, 1) for id, given in statements.items() if given],
        columns=["item", "right", "n"],
    )
    return joined(
        [
            tidy("validity", shares(total, "valid"), "Wilson 1927"),
            tidy("validity", shares(by_dimension, "valid"), "Wilson 1927"),
            tidy(
                "validity-statements",
                shares(right.groupby("item", sort=False).sum().reset_index(), "right"),
                "Wilson 1927",
            ),
            tidy("validity-agreement", _agreement(judgements)),
        ]
    )


def _agreement(judgements: Sequence[Judgement]) -> pd.DataFrame:
    """Return by what is judged how far those agree who judged the same."""
    import pandas as pd

    frame = pd.DataFrame(
        [(f"{each.what}s", each.item, each.participant, each.given) for each in judgements],
        columns=["what", "item", "participant", "label"],
        dtype=object,
    )
    rows = []
    for what, given in frame.groupby("what", sort=False):
        answers = given[["item", "participant", "label"]]
        people = answers.groupby("item")["participant"].nunique()
        several = answers[answers["item"].isin(people.index[people > 1])]
        rows.append(
            {
                "item": what,
                "judged": len(people),
                "by_several": (people > 1).sum(),
                "differing": (several.groupby("item")["label"].nunique() > 1).sum(),
                "agreement": observed_agreement(several) if len(several) else None,
                "alpha": krippendorff_alpha(several) if len(several) else None,
            }
        )
    return pd.DataFrame(rows)
