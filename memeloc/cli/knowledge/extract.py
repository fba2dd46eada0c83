"""`memeloc knowledge extract` and `ask`. In: memes, a model. Out: meanings, questions, stored."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from typer import Option

import memeloc
from memeloc.cli.jobs import ask_model
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
from memeloc.counts import counted


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
        knowledge = workspace.knowledge
        _ask(
            lambda: knowledge.plan(settings, model=model),
            lambda report: knowledge.extract(
                settings, model=model, budget=budget, on_progress=report
            ),
            dry_run=dry_run,
            unit="answers",
            as_json=as_json,
        )


_ask = partial(
    ask_model,
    asked=lambda plan: f"to ask about by {plan['recipe']}",
    done=lambda result: [
        f"{result['model']} answered about {counted(result['memes'], 'meme')} by "
        f"{result['recipe']}: {counted(result['asked'], 'answer')} now ({result['refused']:,} "
        f"refused, {result['wrong']:,} wrong), {result['there']:,} before"
    ],
)


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
    from memeloc.workspace.knowledge.asking import AskSettings

    settings = AskSettings(recipe, of, lang, none, seed)
    with memeloc.Workspace.find() as workspace:
        questions = workspace.knowledge.questions
        _ask(
            lambda: questions.plan(settings, model=model),
            lambda report: questions.ask(settings, model=model, budget=budget, on_progress=report),
            dry_run=dry_run,
            unit="questions",
            as_json=as_json,
        )
