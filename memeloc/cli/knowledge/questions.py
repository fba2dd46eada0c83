"""`memeloc knowledge questions, select, survey, validity`. In: questions. Out: what is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, TakenCaptions
from memeloc.cli.reports import show_report
from memeloc.cli.show import Table, explain, next_lines, show
from memeloc.counts import counted

OfRecipe = Annotated[
    str, Option("--recipe", metavar="NAME", help="Questions by it.", show_default="the newest")
]
OfModel = Annotated[
    str, Option("--model", metavar="NAME", help="Who wrote them.", show_default="the newest")
]
OfLang = Annotated[
    str, Option("--lang", metavar="TAG", help="Of the memes.", show_default="the newest")
]
Out = Annotated[
    Path | None, Option("--out", metavar="DIR", help="Write a page with tables and plots, too.")
]
Seed = Annotated[int, Option(help="By which options are shuffled.")]


def questions(
    answers: list[Path] = Option(
        [],
        metavar="DIR",
        help="A folder of `memeloc evaluate` whose models were given the question alone; may be "
        "repeated.",
        show_default="none",
    ),
    out: Out = None,
    seed: Seed = 0,
    recipe: OfRecipe = "",
    model: OfModel = "",
    lang: OfLang = "",
    as_json: AsJson = False,
) -> None:
    """Say whether the questions, as a set, give their right answers away.

    How often the longest option is right, or the one that shares words with the question or with
    the caption; where the right one stands; questions that are the same. With answers of models
    that were given no picture: how many questions can be answered without it, and which.

    Example:
      memeloc knowledge questions --out questions
      memeloc knowledge questions --answers evaluation-m-quest
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.questions.review(
            answers=answers, seed=seed, recipe=recipe, model=model, lang=lang
        )
    show_report(result, out=out, as_json=as_json)


def select(
    out: Path = Argument(..., help="The folder of the benchmark."),
    seed: Seed = 0,
    recipe: OfRecipe = "",
    model: OfModel = "",
    lang: OfLang = "",
    as_json: AsJson = False,
) -> None:
    """Write the benchmark: questions that people found right, with their answers.

    As M-QUEST: memes whose toxicity question was found right, with the question that the toxicity
    rests on, and those drawn of each other dimension. What fell out is kept with its reason.

    Example:
      memeloc knowledge select benchmark
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.questions.select(
            out, seed=seed, recipe=recipe, model=model, lang=lang
        )
    show(result, _selected, _FUNNEL, as_json=as_json)
    if not as_json:
        explain("Note", result["notes"])


def _selected(result: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{result['file']}: {counted(result['questions'], 'question')} of "
        f"{counted(result['memes'], 'meme')}; {result['left_out']:,} are left out"
    )


_FUNNEL = Table(
    "What became of the questions",
    lambda result: result["funnel"].items(),
    lambda result: [
        ("dimension", 0),
        *((s, lambda row, s=s: row[1][s]) for s in next(iter(result["funnel"].values()))),
    ],
)


def survey(
    name: str = Argument(..., help="Of the survey."),
    stage: Literal["toxicity", "others"] = Option(
        ...,
        metavar="toxicity|others",
        help="What is judged: toxicity and what it rests on, or then questions that are drawn of "
        "the other dimensions.",
    ),
    cultures: str = Option(
        ..., metavar="CODES", help="Who is asked: a country, as US; MX=es names a language."
    ),
    people: Path = Option(..., metavar="TABLE", help="The judges: a column participant."),
    sample: int = Option(50, min=1, help="Questions that are drawn of each other dimension."),
    answers: int = Option(1, min=1, help="Judges of a meme."),
    seed: int = Option(0, help="Another one draws other questions and batches."),
    captions: TakenCaptions = "accepted",
    recipe: OfRecipe = "",
    model: OfModel = "",
    lang: OfLang = "",
    as_json: AsJson = False,
) -> None:
    """Build the survey in which people judge questions, answers and statements.

    By the recipe m-quest: up to six judgements a meme, YES, NO or MAYBE. It is a survey like
    others: export it, take the answers in, settle it. A meme with more than two questions has the
    rest in NAME-2 and so on.

    Example:
      memeloc knowledge survey toxic --stage toxicity --cultures US --people judges.csv
      memeloc knowledge survey others --stage others --sample 50 --cultures US --people judges.csv
    """
    with memeloc.Workspace.find() as workspace:
        results = workspace.knowledge.questions.build_surveys(
            name,
            cultures,
            stage=stage,
            people=people,
            sample=sample,
            seed=seed,
            answers=answers,
            captions=captions,
            recipe=recipe,
            model=model,
            lang=lang,
        )
        names = [result["survey"] for result in results]
        further = [next_lines(workspace, "survey", survey=name, as_json=as_json) for name in names]
    if as_json:
        show({"surveys": results}, as_json=True)
        return
    for result, lines in zip(results, further, strict=True):
        explain("Note", result["remarks"])
        show(
            result,
            f"{result['survey']}: {counted(result['memes'], 'meme')}, "
            f"{counted(result['sheets'], 'sheet')} for {counted(result['annotators'], 'judge')}",
            *lines,
            as_json=False,
        )


def validity(
    out: Out = None,
    recipe: OfRecipe = "",
    model: OfModel = "",
    lang: OfLang = "",
    as_json: AsJson = False,
) -> None:
    """Say how much of what the model wrote people find right, by dimension, with intervals.

    Example:
      memeloc knowledge validity
      memeloc knowledge validity --out validity
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.questions.validity(recipe=recipe, model=model, lang=lang)
    show_report(result, out=out, as_json=as_json)
