"""How good questions are. In: `MemeQuestion`s, captions, people's judgements. Out: figures.

Rules that know neither picture nor question answer a good set no better than chance: the longest
option, the one that shares most words with the question or with the caption. People say of each
question, answer and statement whether it is right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from memeloc.agreement import krippendorff_alpha, observed_agreement
from memeloc.knowledge.questions import MemeQuestion
from memeloc.locales.words import plain_words
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.guessing import overlap, right_by_rules
from memeloc.statistics.significance import scipy_stats, wilson

if TYPE_CHECKING:
    import pandas as pd

YES = "yes"
GIVEN = ("yes", "no", "maybe")
"""Choices of a person for each."""


class Judged(NamedTuple):
    """The settled judgement of a question and its right answer; empty where it is open."""

    question: str
    answer: str

    @property
    def is_positive(self) -> bool:
        """Return whether the question is kept: both are a YES (M-QUEST, Manual Data Validation)."""
        return self.question == self.answer == YES

    @property
    def is_open(self) -> bool:
        """Return whether it is not settled yet whether the question is kept."""
        return not self.question or (self.question == YES and not self.answer)


class Judgement(NamedTuple):
    """A person's answer about a question, its right answer, or a statement.

    Attributes:
        item: id of the question, or of the meme and statement.
        what: `question`, `answer` or `statement`.
        given: one of `GIVEN`.
    """

    item: str
    dimension: str
    what: str
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
    total = settled.drop(columns=["group", "item"]).sum().to_frame().T
    right = pd.DataFrame(
        [(dimensions[id], label == YES, 1) for id, label in statements.items() if label],
        columns=["item", "right", "n"],
    )
    right = right.groupby("item", sort=False).sum().reset_index()
    return joined(
        [
            tidy("validity", shares(total, "valid"), "Wilson 1927"),
            tidy("validity", shares(by_dimension, "valid"), "Wilson 1927"),
            tidy("validity-statements", shares(right, "right"), "Wilson 1927"),
            tidy("validity-agreement", _agreement(judgements)),
        ]
    )


def _agreement(judgements: Sequence[Judgement]) -> pd.DataFrame:
    """Return by what is judged how far those agree who judged the same."""
    import pandas as pd

    columns = ["item", "dimension", "what", "participant", "label"]
    frame = pd.DataFrame(judgements, columns=columns, dtype=object)
    rows = []
    for what, group in frame.groupby("what", sort=False):
        people = group.groupby("item")["participant"].nunique()
        answers = group[["item", "participant", "label"]]
        several = answers[answers["item"].isin(people.index[people > 1])]
        rows.append(
            {
                "item": f"{what}s",
                "judged": len(people),
                "by_several": (people > 1).sum(),
                "differing": (several.groupby("item")["label"].nunique() > 1).sum(),
                "agreement": observed_agreement(several) if len(several) else None,
                "alpha": krippendorff_alpha(several) if len(several) else None,
            }
        )
    return pd.DataFrame(rows)


LETTERS = "ABCD"
CONFIDENCE = 0.95
_OPTIONS = ("correct", "plausible", "implausible", "none")
_FAR_LONGER = 2.0
"""A right option so many times as long as the next one gives itself away."""


def review(
    questions: Sequence[MemeQuestion],
    captions: Mapping[str, str],
    without_picture: Mapping[str, Mapping[str, str]] | None = None,
    *,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how far options give themselves away, and which questions are to be looked at.

    Args:
        questions: of one language.
        captions: texts of the memes, by id; a meme without one may be missing.
        without_picture: by model and question's id the option that it chose, given the question
            alone.
        seed: by which options are shuffled.

    Returns:
        Figures of the analyses `questions` (all in all), `question-rules`, `question-places`,
        `question-options`, `question-dimensions` and `questions-noted`.
    """
    import pandas as pd

    if not questions:
        return gap("questions", "There are no questions yet.")
    right: dict[str, list[float]] = defaultdict(list)
    without_picture = without_picture or {}
    rows, options, places = [], [], Counter[str]()
    for each in questions:
        caption, text = captions.get(each.meme, ""), f"{each.question} {each.correct}"
        shuffled = each.options(seed)
        place = shuffled.index(each.correct)
        places[LETTERS[place]] += 1
        rules = right_by_rules(shuffled, place, each.language, each.question, caption)
        for rule, share in rules.items():
            right[rule].append(share)
        row: dict[str, Any] = {
            "id": each.id,
            "item": each.dimension,
            "text": text,
            "words": tuple(plain_words(text, each.language)),
            "statements": len(each.statements),
        }
        for model, chosen in without_picture.items():
            if each.id in chosen:
                is_right = chosen[each.id] == each.correct
                right[f"{model} without the picture"].append(is_right)
                row[f"right without the picture: {model}"] = is_right or None
        rows.append(row)
        for name in _OPTIONS:
            option = str(getattr(each, name))
            of_question = overlap(option, each.question, each.language)
            of_caption = overlap(option, caption, each.language) if caption else nan
            options.append((each.id, name, len(option), of_question, of_caption))
    columns = ["id", "item", "length", "words_of_question", "words_of_caption"]
    table, of_options = pd.DataFrame(rows), pd.DataFrame(options, columns=columns)
    table["without_statements"] = table["statements"].eq(0)
    by_dimension = table.assign(questions=1).groupby("item", sort=False)
    noted = _noted(table, of_options)
    counts = pd.Series({letter: places[letter] for letter in LETTERS})
    totals = {
        "questions": [len(questions)],
        "memes": [len({each.meme for each in questions})],
        "without_statements": [table["without_statements"].sum()],
        "noted": [len(noted)],
        "places_p": [scipy_stats().chisquare(counts).pvalue],
    }
    shares_right = [(rule, sum(each), len(each)) for rule, each in right.items()]
    by_rule = shares(pd.DataFrame(shares_right, columns=["item", "right", "n"]), "right")
    by_option = of_options.drop(columns="id").groupby("item", sort=False).mean().reset_index()
    how = {"questions": "sum", "without_statements": "sum", "statements": "mean"}
    return joined(
        [
            tidy("questions", pd.DataFrame(totals)),
            tidy("question-rules", by_rule, "Wilson 1927"),
            tidy("question-places", pd.DataFrame({"item": counts.index, "questions": counts})),
            tidy("question-options", by_option),
            tidy("question-dimensions", by_dimension.agg(how).reset_index()),
            tidy("questions-noted", noted).dropna(subset="value"),
        ]
    )


def shares(table: pd.DataFrame, count: str) -> pd.DataFrame:
    """Return a table with the share that a column is of `n`, with Wilson's interval."""
    low, high = wilson(table[count], table["n"], CONFIDENCE)
    return table.assign(share=table[count] / table["n"], share_low=low, share_high=high)


def _noted(table: pd.DataFrame, options: pd.DataFrame) -> pd.DataFrame:
    """Return the questions that are to be looked at, with what is noted of each.

    Both have the `id` of the question; the options four rows each, the right one first.
    """
    import pandas as pd

    is_right = options["item"].eq(_OPTIONS[0])
    right = options[is_right].set_index("id")
    others = options[~is_right].groupby("id")[["length", "words_of_caption"]].max()
    longer = right["length"] / others["length"]
    alone = right["words_of_caption"].gt(0) & others["words_of_caption"].eq(0)
    noted = table.set_index("id")
    often = noted.groupby("words")["text"].transform("size")
    notes = {
        "item": noted.index + ": " + noted["text"],
        "same_questions": often.where(often > 1),
        "times_longer": longer.where(longer >= _FAR_LONGER),
        "alone_has_words_of_caption": alone.where(alone).astype(float),
        **noted.filter(like="right without the picture: ").astype(float),
    }
    frame = pd.DataFrame(notes)
    return frame[frame.drop(columns="item").notna().any(axis=1)]
