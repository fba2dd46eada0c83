"""`memeloc evaluate score`. In: tables of answers and of labels. Out: how right the answers are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, split
from memeloc.cli.output import print_json, progress
from memeloc.cli.show import Table, explain, show
from memeloc.reports.figures import gaps, of_analysis, wide

if TYPE_CHECKING:
    import pandas as pd

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
    answers: list[Path] = Argument(..., metavar="ANSWERS...", help="Tables, an answer a row."),
    gold: Path | None = Option(
        None, metavar="TABLE", help="What is right: a row an item, a column a culture."
    ),
    run: str = Option(
        "multi3hate", metavar="RUN", help="Whose options these are: a shipped run, or a run file."
    ),
    map_: Path | None = Option(
        None,
        "--map",
        metavar="TOML",
        help="Which columns hold what, and what labels mean; options go before it.",
    ),
    item: str = Option("", metavar="COL", help="The column of the items.", show_default="by name"),
    prompt: str = Option(
        "", metavar="COL", help="That of the prompt's number or text.", show_default="by name"
    ),
    answer: str = Option("", metavar="COL", help="That of the answer.", show_default="by name"),
    model_column: str = Option("", metavar="COL", help="That of the model.", show_default="model"),
    dimension: str = Option("", metavar="COL", help="Multiple choice: what a question is about."),
    meme: str = Option("", metavar="COL", help="Multiple choice: the meme, for group accuracy."),
    correct: str = Option(
        "",
        metavar="COL",
        help="Multiple choice: the right option's letter or text, here or in the gold.",
    ),
    options: str = Option(
        "",
        metavar="LIST",
        help="The options in the first prompt's order, as a=Hate,b=Non-hate; of multiple choice "
        "the columns with their texts.",
        show_default="as the prompts list them, else the run's",
    ),
    language: str = Option(
        "", metavar="TAG", help="Of the prompts.", show_default="read from their texts, else en"
    ),
    model: str = Option("", metavar="NAME", help="Who answered.", show_default="the file's name"),
    gold_item: str = Option(
        "", metavar="COL", help="The gold's column of the items.", show_default="by name, or values"
    ),
    cultures: str = Option(
        "",
        metavar="LIST",
        help="The gold's columns, as USA,Germany or US=USA,DE=Germany.",
        show_default="all that hold labels only",
    ),
    seed: int = Option(0, help="Of the resamples of items."),
    bootstraps: int = Option(1_000, min=2, help="Resamples of items behind an interval."),
    out: Path | None = Option(None, metavar="DIR", help="Write the report there, too."),
    as_json: AsJson = False,
) -> None:
    """Score answers that were made elsewhere, as those of a run are scored.

    An answer may be stored with its prompt or as a whole chat: it is read from behind it. Prompts
    are numbers (0 to 5 as Multi3Hate's: three wordings in two orders) or texts.

    Example:
      memeloc evaluate score responses_en.csv --gold final_annotations.csv
      memeloc evaluate score answers.csv --item ID --answer response --gold gold.csv --json
      memeloc evaluate score questions.csv --run multiple-choice --item id --correct correct
      memeloc evaluate score answers.csv --run m-quest --gold benchmark/questions.csv
    """
    from memeloc.evaluate.reading import score_answers
    from memeloc.evaluate.scores import ScoreSettings, write_evaluation
    from memeloc.tables.column_map import read_map

    pairs = [tuple(map(str.strip, part.partition("=")[::2])) for part in split(options)]
    columns = {
        "item": item,
        "answer": answer,
        "prompt": prompt,
        "model": model_column,
        "dimension": dimension,
        "meme": meme,
        "correct": correct,
        "option": tuple(column for column, name in pairs if not name),
        "gold_item": gold_item,
        "label": {
            part.partition("=")[0]: part.partition("=")[2] or part for part in split(cultures)
        },
    }
    scored = score_answers(
        answers,
        gold,
        run=run,
        column_map=read_map(map_, **columns),
        language=language,
        model=model,
        options=tuple((marker, name) for marker, name in pairs if name),
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
    if as_json:
        from memeloc.reports import as_json_rows

        print_json(as_json_rows(scored.figures))
        return
    show(scored, _lines, _CULTURES, _DIMENSIONS, _BASELINES, as_json=False)
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
