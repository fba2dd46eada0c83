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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.files import file_sha256, replacing
from memeloc.knowledge.questions import MemeQuestion
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.knowledge.validity import LETTERS, YES, Judged
from memeloc.tables.writing import write_table
from memeloc.version import __version__

TOXICITY = "toxicity"
"""The dimension that the first stage is about."""
COLUMNS = (
    "label", "toxicity-answer", "toxicity-statement", "linked-statement", "linked-question",
    "linked-answer",
)  # fmt: skip
"""What is judged of a meme: the questions of the taxonomy m-quest-validation, by id."""
PLACES = (("label", "toxicity-answer"), ("linked-question", "linked-answer"))
"""The columns of the first and second question, and of their right answers."""
STATEMENTS = ("toxicity-statement", "linked-statement")


@dataclass(frozen=True, slots=True)
class JudgedMeme:
    """The judgements of one meme: one or two questions, and the statements of the first stage."""

    meme: str
    questions: tuple[MemeQuestion, ...]
    statements: tuple[Statement, ...] = ()

    def cells(self) -> dict[str, str]:
        """The texts by column, empty where nothing is asked."""
        cells = dict.fromkeys(COLUMNS, "")
        for (question, answer), each in zip(PLACES, self.questions, strict=False):
            cells |= {question: each.question, answer: each.correct}
        for column, statement in zip(STATEMENTS, self.statements, strict=False):
            cells[column] = statement.text
        return cells


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
        if question.dimension != TOXICITY:
            continue
        meme = question.meme
        statements = list(knowledge[meme].statements()) if meme in knowledge else []
        shown = linked(statements)
        second = by_id.get(f"{meme}/{shown[1].dimension}") if len(shown) > 1 else None
        memes.append(JudgedMeme(meme, (question, *([second] if second else [])), shown))
    return memes


def linked(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the toxicity statement that people judge, and the one that it rests on.

    It is the first that rests on another; where none does, the first.
    """
    by_id = {each.id: each for each in statements}
    own = [each for each in statements if each.dimension == TOXICITY]
    for each in own:
        for id in each.rests_on:
            if id in by_id and by_id[id].dimension != TOXICITY:
                return each, by_id[id]
    return tuple(own[:1])


def others_stage(questions: Iterable[MemeQuestion]) -> list[list[JudgedMeme]]:
    """Return the second stage: two questions of a meme at a time, a list a survey."""
    by_meme: dict[str, list[MemeQuestion]] = {}
    for each in questions:
        by_meme.setdefault(each.meme, []).append(each)
    surveys: list[list[JudgedMeme]] = []
    for meme, those in by_meme.items():
        for place in range(0, len(those), len(PLACES)):
            number = place // len(PLACES)
            if number == len(surveys):
                surveys.append([])
            surveys[number].append(JudgedMeme(meme, tuple(those[place : place + len(PLACES)])))
    return surveys


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


class Selected(NamedTuple):
    """The outcome of a question, one of `STEPS`, and its stage: `toxicity` or `others`."""

    question: MemeQuestion
    stage: str
    outcome: str

    @property
    def is_in(self) -> bool:
        """Return whether it is in the benchmark."""
        return self.outcome.startswith("selected")


def benchmark_of(rows: Iterable[Selected]) -> list[MemeQuestion]:
    """Return the questions that are selected, by meme, toxicity first."""
    chosen = [row.question for row in rows if row.is_in]
    order = {meme: place for place, meme in enumerate(dict.fromkeys(q.meme for q in chosen))}
    return sorted(chosen, key=lambda q: (order[q.meme], q.dimension != TOXICITY))


def funnel(rows: Iterable[Selected]) -> dict[str, dict[str, int]]:
    """Return by dimension how many questions fell out at each of `STEPS`, or are selected."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.question.dimension][row.outcome] += 1
    return {name: {step: own[step] for step in STEPS} for name, own in counts.items()}


def positive_memes(
    questions: Iterable[MemeQuestion], judged: Mapping[str, Judged]
) -> frozenset[str]:
    """Memes whose toxicity question and its answer people found right."""
    return frozenset(
        each.meme
        for each in questions
        if each.dimension == TOXICITY and each.id in judged and judged[each.id].is_positive
    )


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
        chosen = random.Random(f"{seed} {dimension}")
        drawn += chosen.sample(those, min(sample, len(those)))
    return drawn


def select(
    questions: Sequence[MemeQuestion], toxicity: Mapping[str, Judged], others: Mapping[str, Judged]
) -> list[Selected]:
    """Return the benchmark: what both stages found right, of memes whose toxicity was found right.

    Args:
        toxicity: what the first stage judged, by question's id; open ones have empty answers.
        others: the same of the second.
    """
    positive = positive_memes(questions, toxicity)

    def outcome(each: MemeQuestion, judged: Judged | None, stage: str) -> str:
        if each.dimension != TOXICITY and each.meme not in positive:
            first = toxicity.get(f"{each.meme}/{TOXICITY}")
            is_open = first is None or first.is_open
            return "its meme was not judged" if is_open else "its meme is not positive"
        if judged is None:
            return "not judged" if each.dimension == TOXICITY else "not drawn"
        if judged.is_positive:
            return f"selected, {stage}"
        if judged.is_open:
            return "not judged"
        return "answer not a yes" if judged.question == YES else "question not a yes"

    rows = []
    for each in questions:
        is_first = each.dimension == TOXICITY or each.id in toxicity
        stage = "toxicity" if is_first else "others"
        judged = (toxicity if is_first else others).get(each.id)
        rows.append(Selected(each, stage, outcome(each, judged, stage)))
    return rows


QUESTIONS, LEFT_OUT, ABOUT, PICTURES = "questions.csv", "left_out.csv", "questions.json", "pictures"
_COLUMNS = (
    "item", "meme", "dimension", "language", "question", *LETTERS, "correct", "explanation",
    "picture", "caption",
)  # fmt: skip
_LEFT_OUT = ("item", "meme", "dimension", "language", "question", "correct", "stage", "why")


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

    Args:
        pictures: by meme the file, which is copied; a meme may have none.
        captions: by meme its text.
        seed: by which options are shuffled.
        about: what questions.json says of where it comes from.

    Raises:
        InputError: a file cannot be written.
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

    def cells(each: MemeQuestion) -> tuple[str, ...]:
        return each.id, each.meme, each.dimension, each.language, each.question

    rows = (
        (
            *cells(each),
            *each.options(seed),
            each.correct,
            each.explanation,
            copied.get(each.meme, ""),
            captions.get(each.meme, ""),
        )
        for each in questions
    )
    left_out = (
        (*cells(row.question), row.question.correct, row.stage, row.outcome)
        for row in selection
        if not row.is_in
    )
    values = {
        "memeloc": __version__,
        "seed": seed,
        **about,
        "questions": write_table(out / QUESTIONS, _COLUMNS, rows),
        "memes": len({each.meme for each in questions}),
        "funnel": funnel(selection),
    }
    write_table(out / LEFT_OUT, _LEFT_OUT, left_out)
    values["sha256"] = {name: file_sha256(out / name) for name in (QUESTIONS, LEFT_OUT)}
    with replacing(out / ABOUT) as temporary:
        text = json.dumps(values, ensure_ascii=False, indent=2)
        temporary.write_text(text + "\n", encoding="utf-8")
