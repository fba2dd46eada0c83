"""`memeloc knowledge extract` and `ask`. In: memes, a model. Out: meanings, questions, stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Option

import memeloc
from memeloc.cli.knowledge.options import (
    AskDryRun,
    Budget,
    CaptionLang,
    Collected,
    Model,
    OfRecipe,
    Pictures,
    StatementsLanguage,
)
from memeloc.cli.options import AsJson
from memeloc.cli.output import progress, say
from memeloc.cli.show import explain, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.workspace.knowledge.running import KnowledgePlan, KnowledgeResult


def extract(
    model: Model = "",
    recipe: str = Option(
        "m-quest",
        metavar="NAME|FILE",
        help="Which dimensions, in which order: m-quest, m-quest-code, or a TOML of yours.",
    ),
    caption: bool = Option(False, "--caption", help="Give the model the meme's text, too."),
    picture: bool = Option(
        True,
        "--picture/--no-picture",
        help="Without it the model is given the text alone.",
        show_default="with it",
    ),
    collected: Collected = "",
    lang: CaptionLang = "",
    pictures: Pictures = None,
    statements_language: StatementsLanguage = "",
    prompt: Path | None = Option(
        None, metavar="FILE", help="A TOML with texts of yours.", show_default="the shipped texts"
    ),
    temperature: float = Option(0.0, min=0, max=2, help="0 gives the likeliest answer."),
    seed: int = Option(0, help="Of the model's random numbers."),
    longest_side: int = Option(768, min=64, max=4096, help="Of the picture, in pixels."),
    budget: Budget = None,
    dry_run: AskDryRun = False,
    as_json: AsJson = False,
) -> None:
    """Have a language model say what memes mean, a question a dimension.

    Each dimension is shown what was found in earlier ones; at the end toxicity statements are
    linked to what they rest on. Every answer is stored as it comes: the same command again asks
    only what is not answered yet. What a model answers wrongly is missing, with a sentence.

    Example:
      memeloc knowledge extract --model MODEL --dry-run
      memeloc knowledge extract --model MODEL --budget 20
      memeloc knowledge extract --model MODEL --collected none --lang hi --pictures out
      memeloc knowledge extract --model MODEL --recipe m-quest-code --statements-language en
    """
    from memeloc.workspace.knowledge import KnowledgeSettings

    settings = KnowledgeSettings(
        recipe=recipe,
        input="text" if not picture else "both" if caption else "picture",
        collected=collected,
        language=lang,
        pictures=str(pictures or ""),
        statements_language=statements_language,
        prompt=str(prompt or ""),
        temperature=temperature,
        seed=seed,
        longest_side=longest_side,
    )
    with memeloc.Workspace.find() as workspace:
        if dry_run:
            show(workspace.knowledge.plan(settings, model=model), plan_lines, as_json=as_json)
            return
        with progress(unit="answers") as bar:
            result = workspace.knowledge.extract(
                settings, model=model, budget=budget, on_progress=bar.report
            )
    show_result(result, as_json=as_json)


def plan_lines(plan: KnowledgePlan) -> Iterator[str]:
    """What a run would ask, as sentences."""
    there = f"; {counted(plan.there, 'answer is', 'answers are')} stored" if plan.there else ""
    yield f"{counted(plan.memes, 'meme')} to ask about by {plan.recipe}{there}"
    yield plan.model.line()
    for sample in plan.model.samples[:1]:
        yield f"\n{sample}"


def show_result(result: KnowledgeResult, *, as_json: bool) -> None:
    """Print how a run went; ends with status 1 where something is left to ask."""
    show(
        result,
        f"{result.model} answered about {counted(result.memes, 'meme')} by {result.recipe}: "
        f"{counted(result.asked, 'answer')} now ({result.refused:,} refused, {result.wrong:,} "
        f"wrong), {result.there:,} before",
        as_json=as_json,
    )
    if result.cost:
        say(result.cost)
    explain("Missing", result.missing, more=result.refused + result.wrong - len(result.missing))
    explain("No answer", result.problems, more=result.unanswered - len(result.problems))
    if result.stopped:
        say(f"memeloc: {result.stopped}")
    if result.stopped or result.unanswered:
        raise typer.Exit(1)


def ask(
    model: Model = "",
    recipe: OfRecipe = "",
    of: str = Option("", metavar="MODEL", help="The extraction by it.", show_default="the newest"),
    lang: str = Option(
        "", metavar="TAG", help="Of the captions.", show_default="the newest extraction's"
    ),
    none: str = Option(
        "",
        metavar="TEXT",
        help="The fourth option.",
        show_default="“None of the others” in the language",
    ),
    seed: int = Option(0, help="Of the model's random numbers."),
    budget: Budget = None,
    dry_run: AskDryRun = False,
    as_json: AsJson = False,
) -> None:
    """Have a language model write a question about each dimension of what was extracted.

    A right, a plausible and an implausible answer; “None of the others” is added. A question that
    gives its answer away, or whose options are the same, is sent back. A dimension without
    statements gets its question of its definition and the picture. Memes that are not extracted
    yet wait; the same command again asks only what is not answered yet.

    Example:
      memeloc knowledge ask --model MODEL --dry-run
      memeloc knowledge ask --model MODEL --budget 20
    """
    from memeloc.workspace.knowledge.questions import AskSettings

    settings = AskSettings(recipe, of, lang, none, seed)
    with memeloc.Workspace.find() as workspace:
        questions = workspace.knowledge.questions
        if dry_run:
            show(questions.plan(settings, model=model), plan_lines, as_json=as_json)
            return
        with progress(unit="questions") as bar:
            result = questions.ask(settings, model=model, budget=budget, on_progress=bar.report)
    show_result(result, as_json=as_json)
