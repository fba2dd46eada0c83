"""An evaluation as a page. In: answers, gold, figures. Out: a `Report`, and its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.counts import counted
from memeloc.evaluate.answers import CONDITION, ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores.scoring import score
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.files import replacing
from memeloc.reports import Report, ReportFiles, write_report
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = Path(__file__).with_name("report.toml")
_NAMES = ("Models", "Input", "Memes in", "Prompts in", "Countries named")
"""Of the columns of a condition among the facts of the page."""


def report_of(
    answers: ModelAnswers, gold: Gold, figures: pd.DataFrame, settings: ScoreSettings
) -> Report:
    """Return the report of what `score` computed."""
    import pandas as pd

    values = [answers.table[name].fillna("").unique() for name in CONDITION]
    about = {str(name): str(text) for name, text in gold.about.items()}
    labels = gold.labels or answers.labels
    facts = {name: ", ".join(filter(None, each)) for name, each in zip(_NAMES, values, strict=True)}
    facts |= {"Cultures": ", ".join(gold.cultures), "Labels": ", ".join(labels), **about}
    mappings = [
        (task, label, coarser)
        for task, mapping in gold.coarser.items()
        for label, coarser in mapping.items()
    ]
    tables = {"tasks": pd.DataFrame(mappings, columns=["task", "label", "counts as"])}
    return Report(
        name="evaluation",
        title=f"Evaluation of {counted(len(values[0]), 'model')}",
        figures=figures,
        texts=_TEXTS,
        settings=asdict(settings),
        facts={name: text for name, text in facts.items() if text},
        cultures=gold.cultures,
        labels=labels,
        tables=tables if mappings else {},
    )


def scored_table(answers: ModelAnswers, gold: Gold, settings: ScoreSettings) -> pd.DataFrame:
    """Return an answer a row, and for each culture what is right in its eyes.

    Columns: those of `ModelAnswers`, then `gold CULTURE` (the label, missing where there is none)
    and `right CULTURE` (missing where there is no gold). Its `attrs`, which Parquet keeps, say
    which dataset, split, mapping and seed these are.
    """
    table = answers.table.copy()
    right = gold.table[~gold.table.index.duplicated()]
    right = right.set_axis(right.index.astype(str)).reindex(table["item"].astype(str))
    for culture in gold.cultures:
        label = right[culture].set_axis(table.index)
        same = (table["choice"] == label) & ~table["invalid"].fillna(False).astype(bool)
        table[f"gold {culture}"] = label
        table[f"right {culture}"] = same.astype("boolean").mask(label.isna())
    about = {str(name): str(text) for name, text in gold.about.items()}
    table.attrs = {"about": about, "seed": settings.seed, "memeloc": __version__}
    return table


def write_evaluation(
    answers: ModelAnswers,
    gold: Gold,
    out: str | Path,
    settings: ScoreSettings | None = None,
    *,
    figures: pd.DataFrame | None = None,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> ReportFiles:
    """Write the report, and the long table of all answers as `scored.parquet`.

    Args:
        figures: of `score` with the same settings; computed where they are not given.

    Raises:
        InputError: answers and gold do not fit, or a file cannot be written.
        MissingError: matplotlib or pyarrow is not installed.
    """
    settings = settings or ScoreSettings()
    if figures is None:
        figures = score(answers, gold, settings)
    report = report_of(answers, gold, figures, settings)
    files = write_report(report, out, on_progress=on_progress)
    with replacing(Path(out) / "scored.parquet") as temporary:
        scored_table(answers, gold, settings).to_parquet(temporary, index=False)
    return files
