"""`memeloc knowledge ask`. In: what was extracted, a model. Out: its questions, stored."""

from __future__ import annotations

from typer import Option

import memeloc
from memeloc.cli.knowledge.extract import plan_lines, show_result
from memeloc.cli.knowledge.options import AskDryRun, Budget, Model, OfRecipe
from memeloc.cli.options import AsJson
from memeloc.cli.output import progress
from memeloc.cli.show import show


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

    \b
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
