"""`memeloc evaluate`. In: runs, answers, datasets. Out: how right models are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.groups import RunByDefault
from memeloc.cli.options import ColumnMapOption, column_map, pairs, split
from memeloc.cli.output import progress, say
from memeloc.cli.show import Column, Table, explain, show
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.figures import gaps, of_analysis, wide

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(
    help="Ask models about memes, score their answers, and train baselines.",
    no_args_is_help=True,
    cls=RunByDefault,
)

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
            show(opened.plan(), _PLAN, _plan_lines)
            return
        with progress("Asking", unit="questions") as bar:
            result = opened.ask(
                on_progress=bar.report,
                on_model=None if output.as_json else lambda title: say(f"Asking {title}."),
            )
    show(result, _result_lines)
    explain("", result["failures"])
    if result["over_budget"]:
        say("The same command with a larger --budget goes on.")
    if result["stopped"]:
        explain("memeloc", [result["stopped"]])
    if result["failures"] or result["stopped"]:
        raise typer.Exit(1)


def _workspace() -> Any:
    """Return the workspace of this folder; a context without one where there is none."""
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


_CULTURES = Table(
    "Accuracy by culture",
    lambda scored: _cultures(scored.figures),
    "condition culture items accuracy low high sd f1 best",
)
_DIMENSIONS = Table(
    "Accuracy by dimension",
    lambda scored: _dimensions(scored.figures),
    "condition dimension questions accuracy",
)
_BASELINES = Table(
    "Beside answers without the meme",
    lambda scored: _rows(scored.figures, "beside-baselines", "baseline", "questions", "difference"),
    "condition baseline questions accuracy of_baseline difference low high",
)


def score(
    answers: list[Path] = Argument(
        ...,
        metavar="ANSWERS",
        help="Tables, an answer a row, or folders of them (MODEL/x_de.csv).",
    ),
    gold: Path | None = Option(
        None, metavar="TABLE", help="What is right: a row an item, a column a culture."
    ),
    run: str = Option(
        "multi3hate", metavar="RUN", help="Whose options these are: a shipped run, or a run file."
    ),
    map_: ColumnMapOption = None,
    options: str = Option(
        "",
        metavar="LIST",
        help="The options in the first prompt's order, as a=Hate,b=Non-hate.",
        show_default="as the prompts list them, else the run's",
    ),
    language: str = Option(
        "", metavar="TAG", help="Of the prompts.", show_default="read from their texts, else en"
    ),
    model: str = Option("", metavar="NAME", help="Who answered.", show_default="the file's name"),
    seed: int = Option(0, help="Of the resamples of items."),
    bootstraps: int = Option(1_000, min=2, help="Resamples of items behind an interval."),
    out: Path | None = Option(None, metavar="DIR", help="Write the report there, too."),
) -> None:
    """Score answers that were made elsewhere, as those of a run are scored.

    An answer may be stored with its prompt or as a whole chat: it is read from behind it. Prompts
    are numbers (0 to 5 as Multi3Hate's: three wordings in two orders) or texts. The roles of --map:
    item, prompt, answer, model; of multiple choice dimension, meme, correct and option (several:
    the columns of their texts); of the gold gold_item, and label, as label.US=COLUMN.

    Example:
      memeloc evaluate score responses_en.csv --gold final_annotations.csv
      memeloc evaluate score answers.csv --map item=ID,answer=response --gold gold.csv
      memeloc evaluate score questions.csv --run multiple-choice --map item=id,correct=right
      memeloc evaluate score answers.csv --run m-quest --gold benchmark/questions.csv
    """
    from memeloc.evaluate.reading import score_answers
    from memeloc.evaluate.scores import ScoreSettings, write_evaluation

    scored = score_answers(
        answers,
        gold,
        run=run,
        column_map=column_map(map_),
        language=language,
        model=model,
        options=tuple(pairs("--options", split(options)).items()),
        settings=ScoreSettings(seed=seed, bootstraps=bootstraps),
    )
    if out is not None:
        with progress("Drawing", None, unit="plots") as bar:
            files = write_evaluation(
                scored.answers,
                scored.gold,
                out,
                scored.settings,
                figures=scored.figures,
                on_progress=bar.report,
            )
    explain("Note", gaps(scored.figures[scored.figures["analysis"] == "answers"]))
    if output.as_json:
        show(scored.figures)
        return
    show(scored, _lines, _CULTURES, _DIMENSIONS, _BASELINES)
    if out is not None:
        typer.echo(f"The report: {files.page}")


def _lines(scored: Any) -> Iterator[str]:
    counts = wide(scored.figures, "answers").astype(int, errors="ignore").iloc[0]
    yield (
        f"{counts['answers']:,} answers to {counts['items']:,} items: {counts['invalid']:,} "
        f"invalid, {counts['refused']:,} of them refused."
    )


def _rows(
    figures: pd.DataFrame, analysis: str, item: str, n: str, figure: str = "accuracy"
) -> list[dict[str, Any]]:
    """Return the wide rows of an analysis under the headings of the terminal."""
    names = {"group": "condition", "item": item, "n": n}
    table = wide(figures, analysis)
    if table.empty:
        return []
    table = table.astype({"n": int}).rename(
        columns=names | {f"{figure}_low": "low", f"{figure}_high": "high"}
    )
    cells = table.astype(object).where(table.notna(), None)
    # Columns of what is nowhere defined are not there.
    empty = dict.fromkeys(("low", "high", "sd", "f1"))
    return [empty | dict(zip(table.columns, row, strict=True)) for row in cells.to_numpy()]


def _cultures(figures: pd.DataFrame) -> list[dict[str, Any]]:
    ranks = of_analysis(figures, "best-culture", "rank")
    best = ranks[ranks["value"] == 1]
    keys = set(zip(best["group"], best["item"], strict=True))
    return [
        {**row, "best": (row["condition"], row["culture"]) in keys}
        for row in _rows(figures, "accuracy", "culture", "items")
    ]


def _dimensions(figures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the dimensions of each condition, then what it reaches as a whole."""
    from memeloc.statistics.significance import rows_of

    rows = _rows(figures, "dimensions", "dimension", "questions")
    whole = {
        "macro": "all, mean of the dimensions",
        "group_accuracy": "memes, all right",
        "pair_accuracy": "pairs, both right",
    }
    for row in rows_of(of_analysis(figures, "choice", *whole)):
        cells = {"condition": row.group, "dimension": whole[row.figure], "questions": int(row.n)}
        rows.append({**cells, "accuracy": row.value})
    order = {row["condition"]: place for place, row in enumerate(rows[::-1])}
    return sorted(rows, key=lambda row: -order[row["condition"]])


_COLUMNS: list[Column] = [
    ("model", "group"),
    ("labels of", "item"),
    ("items", lambda row: f"{row['n']:.0f}"),
    *(
        (heading, lambda row, name=name: f"{row[name]:.3f}")
        for heading, name in (
            ("accuracy",) * 2,
            ("F1", "f1"),
            ("low", "f1_low"),
            ("high", "f1_high"),
        )
    ),
]


_MODELS = Table(
    "Models",
    lambda written: [
        row
        for name in ("accuracy", "tasks")
        for row in wide(written.figures, name).to_dict("records")
    ],
    _COLUMNS,
)


def train(
    run: Path = Argument(
        metavar="RUN",
        help="A run file (.toml), or a shipped one: charmemes, harmeme, araharmeme; fine-tuned: "
        "charmemes-finetuning, harmeme-finetuning, araharmeme-finetuning, multi3hate-lora.",
    ),
    out: Path | None = Option(
        None, metavar="DIR", help="Where all of it is written.", show_default="the run's name"
    ),
) -> None:
    """Train models on a dataset with labels, test them, and compare them on one page.

    A run names the dataset (a table, a release, or a survey of the workspace), how it is split,
    features of texts and pictures, and models on them, beside random and majority. Vectors of
    embedding models are kept in DIR, so a run that was stopped goes on where it was. The same run
    gives the same predictions.
    A run of the kind finetuning or lora trains networks on PyTorch (the extra torch) instead.

    Example:
      memeloc evaluate train baselines.toml
      memeloc evaluate train harmeme --out harmeme
      memeloc evaluate train charmemes-finetuning --out networks
      memeloc evaluate train baselines.toml --out results --json
    """
    from memeloc.evaluate.training import read_run, train_run, write_training

    settings, folder, dataset = read_run(run), out or Path(run.stem), None
    if settings.dataset.survey:
        with memeloc.Workspace.find() as workspace:
            dataset = workspace.evaluating.labelled(settings.dataset, settings.gold)
    with progress("Training", None, unit="models") as bar:
        training = train_run(settings, folder, dataset, bar.phase)
    with progress("Drawing", None, unit="plots") as bar:
        written = write_training(training, folder, on_progress=bar.report)
    explain("Note", written.notes)
    if output.as_json:
        show(written.figures)
    else:
        show(written, _MODELS, f"The report: {written.files.page}")


for _command in (run, score, train):
    app.command()(_command)
