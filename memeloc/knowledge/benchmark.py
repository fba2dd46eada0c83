"""The benchmark of questions. In: questions, judgements of people, a seed. Out: files.

Two questions of a meme are judged at a time (M-QUEST, Figure 7), each with its right answer, and in
the toxicity stage the statements that they rest on. Only YES counts. Memes whose toxicity question
and answer are both a YES stay (ToxM-QUEST), with the question of the element that the toxicity
rests on; of their questions of each other dimension some are drawn and judged (the extension). The
benchmark is the union; `memeloc evaluate` reads its `questions.csv` as it is.
"""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memeloc.agreement import krippendorff_alpha, observed_agreement
from memeloc.counts import counted
from memeloc.files import file_sha256, replacing
from memeloc.knowledge.questions import MemeQuestion
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.locales.words import plain_words
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.significance import overlap, right_by_rules, scipy_stats, wilson
from memeloc.tables.writing import write_table
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

YES = "yes"
CHOICES = ("yes", "no", "maybe")
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
        choice: one of `CHOICES`.
    """

    item: str
    dimension: str
    what: str
    participant: str
    choice: str


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
CONFIDENCE = 0.95  # as intervals of evaluations have it
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


TOXICITY = "toxicity"
"""The dimension that the first stage is about."""
PLACES = (("label", "toxicity-answer"), ("linked-question", "linked-answer"))
"""The columns of the first and second question, and of their right answers: ids of the questions of
the taxonomy m-quest-validation."""
STATEMENTS = ("toxicity-statement", "linked-statement")
COLUMNS = (*PLACES[0], *STATEMENTS, *PLACES[1])
"""All that is judged of a meme."""
SAMPLE = 50
"""Questions that are drawn of each other dimension (M-QUEST, Outcome)."""
STEPS = (
    "its meme was not judged",
    "its meme is not positive",
    "not drawn",
    "not judged",
    "question not a yes",
    "answer not a yes",
    "selected, toxicity",
    "selected, others",
)
"""What can become of a question, in the order of the steps, and by which stage it is selected."""


class JudgedMeme(NamedTuple):
    """The judgements of one meme: one or two questions, and the statements of the first stage."""

    meme: str
    questions: tuple[MemeQuestion, ...]
    statements: tuple[Statement, ...] = ()

    def cells(self) -> dict[str, str]:
        cells = dict.fromkeys(COLUMNS, "")
        for (question, answer), each in zip(PLACES, self.questions, strict=False):
            cells |= {question: each.question, answer: each.correct}
        return cells | {
            column: statement.text
            for column, statement in zip(STATEMENTS, self.statements, strict=False)
        }


def toxicity_stage(
    questions: Iterable[MemeQuestion], knowledge: Mapping[str, MemeKnowledge]
) -> list[JudgedMeme]:
    """Return the first stage: of each meme its toxicity, and the element that it rests on.

    Args:
        questions: of all dimensions.
        knowledge: by meme what was extracted.
    """
    by_id = {each.id: each for each in questions}
    memes = []
    for question in by_id.values():
        if question.dimension == TOXICITY:
            meme = question.meme
            shown = linked(list(knowledge[meme].statements()) if meme in knowledge else [])
            second = by_id.get(f"{meme}/{shown[1].dimension}") if len(shown) > 1 else None
            memes.append(JudgedMeme(meme, (question, *([second] if second else [])), shown))
    return memes


def linked(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the toxicity statement that people judge, and the one that it rests on.

    It is the first that rests on another; where none does, the first.
    """
    others = {each.id: each for each in statements if each.dimension != TOXICITY}
    of_toxicity = [each for each in statements if each.dimension == TOXICITY]
    pairs = ((each, others[id]) for each in of_toxicity for id in each.rests_on if id in others)
    return next(pairs, tuple(of_toxicity[:1]))


def others_stage(questions: Iterable[MemeQuestion]) -> list[list[JudgedMeme]]:
    """Return the second stage: two questions of a meme at a time, a list a survey."""
    by_meme: dict[str, list[MemeQuestion]] = defaultdict(list)
    for each in questions:
        by_meme[each.meme].append(each)
    two = len(PLACES)
    return [
        [
            JudgedMeme(meme, tuple(those[start : start + two]))
            for meme, those in by_meme.items()
            if those[start:]
        ]
        for start in range(0, max(map(len, by_meme.values()), default=0), two)
    ]


def positive_memes(
    questions: Iterable[MemeQuestion], judged: Mapping[str, Judged]
) -> frozenset[str]:
    """Return the memes whose toxicity question and its answer people found right."""
    ids = {id for id, each in judged.items() if each.is_positive}
    return frozenset(q.meme for q in questions if q.dimension == TOXICITY and q.id in ids)


def draw(
    questions: Iterable[MemeQuestion],
    positive: Collection[str],
    judged: Collection[str],
    *,
    sample: int = SAMPLE,
    seed: int = 0,
) -> list[MemeQuestion]:
    """Return the questions that the second stage judges: so many of each dimension but toxicity.

    Args:
        positive: memes of the first stage.
        judged: ids of questions that the first stage judged; they are not drawn again.
        sample: of each dimension; all, where there are no more.
        seed: of the draw, which depends on it, the dimension and the questions' ids alone.
    """
    by_dimension: dict[str, list[MemeQuestion]] = defaultdict(list)
    for each in questions:
        if each.dimension != TOXICITY and each.meme in positive and each.id not in judged:
            by_dimension[each.dimension].append(each)
    drawn = []
    for dimension, those in by_dimension.items():
        those.sort(key=lambda each: each.id)
        drawn += random.Random(f"{seed} {dimension}").sample(those, min(sample, len(those)))
    return drawn


class Selected(NamedTuple):
    """The outcome of a question, one of `STEPS`, and its stage: `toxicity` or `others`."""

    question: MemeQuestion
    stage: str
    outcome: str


def select(
    questions: Sequence[MemeQuestion], toxicity: Mapping[str, Judged], others: Mapping[str, Judged]
) -> list[Selected]:
    """Return the benchmark: what both stages found right, of memes whose toxicity was found right.

    Args:
        toxicity: what the first stage judged, by question's id; open ones have empty answers.
        others: the same of the second.
    """
    positive = positive_memes(questions, toxicity)
    nothing = Judged("", "")
    rows = []
    for each in questions:
        is_first = each.dimension == TOXICITY or each.id in toxicity
        stage = "toxicity" if is_first else "others"
        judged = (toxicity if is_first else others).get(each.id)
        if each.dimension != TOXICITY and each.meme not in positive:
            is_open = toxicity.get(f"{each.meme}/{TOXICITY}", nothing).is_open
            outcome = "its meme was not judged" if is_open else "its meme is not positive"
        elif judged is None:
            outcome = "not judged" if each.dimension == TOXICITY else "not drawn"
        elif judged.is_positive:
            outcome = f"selected, {stage}"
        elif judged.is_open:
            outcome = "not judged"
        else:
            outcome = "answer not a yes" if judged.question == YES else "question not a yes"
        rows.append(Selected(each, stage, outcome))
    return rows


def benchmark_of(rows: Iterable[Selected]) -> list[MemeQuestion]:
    """Return the questions that are selected, by meme, toxicity first."""
    chosen = [row.question for row in rows if row.outcome.startswith("selected")]
    order = {meme: place for place, meme in enumerate(dict.fromkeys(q.meme for q in chosen))}
    return sorted(chosen, key=lambda q: (order[q.meme], q.dimension != TOXICITY))


def funnel(rows: Iterable[Selected]) -> dict[str, dict[str, int]]:
    """Return by dimension how many questions fell out at each of `STEPS`, or are selected."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.question.dimension][row.outcome] += 1
    return {name: {step: steps[step] for step in STEPS} for name, steps in counts.items()}


QUESTIONS, LEFT_OUT, ABOUT, PICTURES = "questions.csv", "left_out.csv", "questions.json", "pictures"
_CELLS = ("id", "meme", "dimension", "language", "question")


def write_benchmark(
    selection: Sequence[Selected],
    out: Path,
    pictures: Mapping[str, Path],
    captions: Mapping[str, str],
    *,
    seed: int,
    about: Mapping[str, Any],
) -> None:
    """Write the benchmark into a folder: its questions, those left out with the reason, its data.
    Raise InputError if a file cannot be written.

    Args:
        pictures: by meme the file, which is copied; a meme may have none.
        captions: by meme its text.
        seed: by which options are shuffled.
        about: what questions.json says of where it comes from.
    """
    out.mkdir(parents=True, exist_ok=True)
    questions = benchmark_of(selection)
    copied: dict[str, str] = {}
    for meme in dict.fromkeys(each.meme for each in questions):
        if meme in pictures:
            name = file_sha256(pictures[meme])[:20]  # an id may not be the name of a file
            copied[meme] = f"{PICTURES}/{name}{pictures[meme].suffix}"
            (out / PICTURES).mkdir(exist_ok=True)
            shutil.copyfile(pictures[meme], out / copied[meme])

    def cells(each: MemeQuestion) -> list[str]:
        return [getattr(each, name) for name in _CELLS]

    def shown(meme: str) -> tuple[str, str]:
        return copied.get(meme, ""), captions.get(meme, "")

    columns = ("item", *_CELLS[1:])
    chosen = [
        [*cells(each), *each.options(seed), each.correct, each.explanation, *shown(each.meme)]
        for each in questions
    ]
    left_out = [
        [*cells(row.question), row.question.correct, row.stage, row.outcome]
        for row in selection
        if not row.outcome.startswith("selected")
    ]
    names = (*columns, *LETTERS, "correct", "explanation", "picture", "caption")
    write_table(out / QUESTIONS, names, chosen)
    write_table(out / LEFT_OUT, (*columns, "correct", "stage", "why"), left_out)
    values = {
        "memeloc": __version__,
        "seed": seed,
        **about,
        "questions": len(chosen),
        "memes": len({each.meme for each in questions}),
        "funnel": funnel(selection),
        "sha256": {name: file_sha256(out / name) for name in (QUESTIONS, LEFT_OUT)},
    }
    with replacing(out / ABOUT) as temporary:
        text = json.dumps(values, ensure_ascii=False, indent=2)
        temporary.write_text(text + "\n", encoding="utf-8")


@dataclass
class PeopleAnswers:
    """People's answers about the questions of a set.

    Attributes:
        judged: by stage and question's id what is settled.
        statements: by meme and statement what is settled: `yes`, `no`, `maybe`; empty for open.
        dimensions: by id of questions and statements.
        judgements: each person's.
        surveys: names; `changed`, questions that were written anew since they were judged.
        drawn: how the second stage was drawn: `sample` and `seed`; empty without one.
    """

    judged: dict[str, dict[str, Judged]] = field(
        default_factory=lambda: {"toxicity": {}, "others": {}}
    )
    statements: dict[str, str] = field(default_factory=dict)
    dimensions: dict[str, str] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    surveys: list[str] = field(default_factory=list)
    changed: int = 0
    drawn: dict[str, int] = field(default_factory=dict)

    def notes(self) -> list[str]:
        changed = counted(self.changed, "question was", "questions were")
        note = f"{changed} written anew after people judged; those judgements do not count."
        return [note] if self.changed else []

    def add(
        self,
        state: Mapping[str, Any],
        item_texts: Mapping[str, Mapping[str, str]],
        settled: pd.DataFrame,
        answers: pd.DataFrame,
        current: Mapping[str, tuple[str, str]],
    ) -> None:
        """Add what a survey's people answered: the labels that are settled, and each answer.

        `state` says which questions and statements of each meme it asked about, `item_texts` what
        people read; `current` has question and answer by id.
        """
        rows = {str(row["item"]): row for row in settled.to_dict("records")}
        by_item: dict[str, list[dict[Any, Any]]] = defaultdict(list)
        for answer in answers.to_dict("records"):
            by_item[answer["item"]].append(answer)
        judged = self.judged[state["stage"]]
        for meme, asked in state["memes"].items():
            shown, row = item_texts.get(meme, {}), rows.get(meme, {})
            about: dict[str, tuple[str, str, str]] = {}
            for (question, right), dimension in zip(PLACES, asked["questions"], strict=False):
                id = f"{meme}/{dimension}"
                if current.get(id) != (shown.get(question, ""), shown.get(right, "")):
                    self.changed += 1
                    continue
                now = Judged(str(row.get(question, "")), str(row.get(right, "")))
                if id not in judged or not now.is_open:
                    judged[id] = now
                about |= {question: (id, dimension, "question"), right: (id, dimension, "answer")}
            for column, statement in zip(STATEMENTS, asked["statements"], strict=False):
                id = f"{meme} {statement}"
                self.statements[id] = str(row.get(column, ""))
                about[column] = (id, statement.rpartition("-")[0], "statement")
            self.dimensions |= {id: dimension for id, dimension, _ in about.values()}
            self.judgements += [
                Judgement(*where, str(each["participant"]), each[column])
                for each in by_item[meme]
                for column, where in about.items()
                if each.get(column) in CHOICES
            ]
