"""`memeloc knowledge survey` and `validity`. In: questions, people. Out: surveys; what is right."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from typer import Argument, Option

import memeloc
from memeloc.cli.knowledge.questions import OfLang, OfModel, OfRecipe, Out, show_report
from memeloc.cli.options import AsJson, TakenCaptions
from memeloc.cli.show import explain, show
from memeloc.counts import counted


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

    \b
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
    for result in results:
        if not as_json:
            explain("Note", result.remarks)
        show(
            result,
            f"{result.survey}: {counted(result.memes, 'meme')}, "
            f"{counted(result.sheets, 'sheet')} for {counted(result.annotators, 'judge')}",
            f"Next: memeloc survey export {result.survey} --to html --contact WHO",
            as_json=as_json,
        )


def validity(
    out: Out = None,
    recipe: OfRecipe = "",
    model: OfModel = "",
    lang: OfLang = "",
    as_json: AsJson = False,
) -> None:
    """Say how much of what the model wrote people find right, by dimension, with intervals.

    \b
    Example:
      memeloc knowledge validity
      memeloc knowledge validity --out validity
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.questions.validity(recipe=recipe, model=model, lang=lang)
    show_report(result, "Validity of questions about memes", out, as_json=as_json)
