"""`memeloc evaluate RUN`. In: a run file or a shipped run. Out: every answer, and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, explain, show
from memeloc.counts import counted
from memeloc.errors import InputError

_PLAN = Table(
    lambda plan: (
        f"{plan['run']}: {counted(plan['items'], 'item')} in {', '.join(plan['languages'])}"
    ),
    "models",
    "model questions cached tokens_in tokens_out expected most currency",
)


def run(
    name: str = Argument(
        ...,
        metavar="RUN",
        help="A run file, or a shipped run: araharmeme, charmemes, m-quest, m-quest-figure-6, "
        "multi3hate, multiple-choice.",
    ),
    data: Path | None = Option(
        None,
        metavar="PATH",
        help="The dataset: a table, a folder of one (such as a checkout of Multi3Hate), or a "
        "published dataset.",
        show_default="the run's, else the workspace's memes",
    ),
    gold: Path | None = Option(
        None,
        metavar="TABLE",
        help="What is right: a row an item, a column a culture.",
        show_default="the run's, else the dataset's labels",
    ),
    model: list[str] | None = Option(
        None,
        metavar="NAME",
        help="A model at the server of memeloc.toml or OPENAI_BASE_URL, in the place of the "
        "run's; may be repeated.",
    ),
    pictures: Path | None = Option(
        None,
        metavar="DIR",
        help="Pictures of the workspace's memes, as memeloc render made them.",
        show_default="out in the workspace",
    ),
    prompts: str = Option(
        "",
        metavar="FILE",
        help="Other prompts: a TOML file, or published ones such as Multi3Hate's all_prompts.py, "
        "taken word for word.",
    ),
    only: str = Option("", metavar="NAMES", help="Only these conditions of the run."),
    inputs: str = Option("", metavar="NAMES", help="Only these of picture, text, both, none."),
    langs: str = Option("", metavar="TAGS", help="Only memes in these languages."),
    limit: int | None = Option(None, min=1, help="Only so many items, the first."),
    out: Path | None = Option(
        None, metavar="DIR", help="Folder of the results.", show_default="evaluation-RUN"
    ),
    dry_run: bool = Option(
        False, "--dry-run", help="Only say what would be asked and cost; nothing is sent."
    ),
    budget: float | None = Option(
        None, min=0, help="Stop before more than this is spent, in the currency of the prices."
    ),
    as_json: AsJson = False,
) -> None:
    """Ask models a run's questions, read their answers, and score them.

    Each answer is kept as it comes: the same command again goes on where it was, and pays for
    nothing twice. The folder gets answers.parquet (an answer a row), run.json and a report. The
    word run may be left out.

    Example:
      memeloc evaluate run multi3hate --data Multi3Hate --model a-model-you-have --dry-run
      memeloc evaluate run multi3hate --data Multi3Hate --model a-model-you-have --budget 20
      memeloc evaluate run my-run.toml --only native --langs de,hi --out native
    """
    from memeloc.workspace.evaluating import open_run

    with _workspace() as workspace:
        opened = open_run(
            name,
            out,
            workspace=workspace,
            data=data,
            gold=gold,
            models=model or (),
            pictures=pictures,
            prompts=prompts or None,
            only=split(only),
            inputs=split(inputs),
            languages=split(langs),
            limit=limit,
            budget=budget,
        )
        if dry_run:
            show(opened.plan(), _PLAN, _plan_lines, as_json=as_json)
            return
        with progress("Asking", unit="questions") as bar:
            result = opened.ask(
                on_progress=bar.report,
                on_model=None if as_json else lambda title: say(f"Asking {title}."),
            )
    show(result, _result_lines, as_json=as_json)
    explain("", result["failures"])
    if result["over_budget"]:
        say("The same command with a larger --budget goes on.")
    if result["stopped"]:
        explain("memeloc", [result["stopped"]])
    if result["failures"] or result["stopped"]:
        raise typer.Exit(1)


def _workspace() -> Any:
    """The workspace of this folder; a context without one where there is none."""
    from memeloc.workspace.own_folders import workspace_folder

    try:
        workspace_folder()
    except InputError:
        return nullcontext(None)
    return memeloc.Workspace.find()


def _plan_lines(plan: Mapping[str, Any]) -> list[str]:
    return [
        f"At the most {plan['most']:.4f} {plan['currency']}, with every question asked again as "
        "often as the run allows; nothing was asked.",
        *plan["notes"],
        *(f"\nThe first question:\n{sample}" for sample in plan["models"][0].samples[:1]),
    ]


def _result_lines(result: Mapping[str, Any]) -> Iterator[str]:
    cut = f", {result['cut']:,} cut" if result["cut"] else ""
    yield (
        f"{result['answered']:,} of {counted(result['questions'], 'question')} answered "
        f"({result['cached']:,} kept from before), {result['invalid']:,} invalid "
        f"({result['refused']:,} refused{cut}), {result['reasked']:,} asked again; "
        f"{counted(result['requests'], 'request')}, {result['cost']:.4f} {result['currency']}"
    )
    yield from result["notes"]
    if result["page"] is not None:
        yield f"Report: {result['page']}"
    elif result["answers"] is not None:
        yield f"Answers: {result['answers']}; without labels there is no report (--gold)"
