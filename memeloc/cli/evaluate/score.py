"""`memeloc evaluate score`. In: tables of answers and of labels. Out: how right the answers are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, split
from memeloc.cli.output import print_json, progress
from memeloc.cli.show import Table, explain, show

_CULTURES = Table(
    "Accuracy by culture",
    lambda scored: _rows(scored.summary),
    "model input language culture items accuracy low high sd f1 best",
)
_DIMENSIONS = Table(
    "Accuracy by dimension",
    lambda scored: _dimensions(scored.summary),
    "model input dimension questions accuracy",
)
_BASELINES = Table(
    "Beside answers without the meme",
    lambda scored: _beside(scored.summary),
    "model input baseline questions accuracy of_baseline difference low high",
)


def score(
    answers: list[Path] = Argument(..., metavar="ANSWERS...", help="Tables, an answer a row."),
    gold: Path | None = Option(
        None, metavar="TABLE", help="What is right: a row an item, a column a culture."
    ),
    run: str = Option(
        "multi3hate", metavar="RUN", help="Whose options these are: a shipped run, or a run file."
    ),
    column_map: Path | None = Option(
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
        column_map=read_map(column_map, **columns),
        language=language,
        model=model,
        options=tuple((marker, name) for marker, name in pairs if name),
        settings=ScoreSettings(seed=seed, bootstraps=bootstraps),
    )
    if out is not None:
        with progress("Drawing", None, unit="plots") as bar:
            files = write_evaluation(scored.evaluation, out, on_progress=bar.report)
    if as_json:
        print_json(scored.summary)
        return
    explain("Note", scored.summary["notes"])
    show(scored, _lines, _CULTURES, _DIMENSIONS, _BASELINES, as_json=False)
    if out is not None:
        typer.echo(f"The report: {files.page}")


def _lines(scored: Any) -> Iterator[str]:
    summary = scored.summary
    yield (
        f"{summary['answers']:,} answers to {summary['items']:,} items: {summary['invalid']:,} "
        f"invalid, {summary['refused']:,} of them refused."
    )


def _rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **condition,
            **scores,
            "culture": culture,
            "best": (condition["best"] or {}).get("culture") == culture,
        }
        for condition in summary["conditions"]
        for culture, scores in condition["cultures"].items()
    ]


def _dimensions(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**_asked(condition), "dimension": name, **figures}
        for condition in summary["conditions"]
        for scores in condition["cultures"].values()
        for name, figures in [
            *scores.get("dimensions", {}).items(),
            *_whole(scores),
        ]
    ]


def _asked(condition: dict[str, Any]) -> dict[str, Any]:
    return {name: condition[name] for name in ("model", "input")}


def _beside(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**_asked(condition), "baseline": name, **figures}
        for condition in summary["conditions"]
        for name, figures in condition["beside_baselines"].items()
    ]


def _whole(scores: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    if "dimensions" not in scores:
        return []
    return [
        (
            "all, mean of the dimensions",
            {"questions": scores["items"], "accuracy": scores["macro"]},
        ),
        (
            "memes, all right",
            {"questions": scores["group_memes"], "accuracy": scores["group_accuracy"]},
        ),
        ("pairs, both right", {"questions": scores["pairs"], "accuracy": scores["pair_accuracy"]}),
    ]
