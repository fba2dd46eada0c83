"""An evaluation as a page. In: an `Evaluation`. Out: a `Report`, and its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.evaluate.answers import CONDITION
from memeloc.evaluate.scores.evaluation import Evaluation
from memeloc.files import replacing
from memeloc.reports.cells import clean, shown
from memeloc.reports.sections import Report
from memeloc.reports.writing import ReportFiles, write_report
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_IN_FACTS = ("seed", "bootstraps", "confidence", "alpha")


def report_of(evaluation: Evaluation) -> Report:
    """The report of an evaluation; it does not say how many processes made it."""
    coded = evaluation.coded
    settings = {n: v for n, v in asdict(evaluation.settings).items() if n != "jobs"}
    models = list(dict.fromkeys(each.condition.model for each in coded.answered))
    answers = len(evaluation.answers.table)
    heading = (
        f"{counted(answers, 'answer')} of {counted(len(models), 'model')} to "
        f"{counted(len(coded.items), 'item')}"
    )
    return Report(
        name="evaluation",
        title=f"Evaluation of {counted(len(models), 'model')}",
        heading=heading,
        facts=_facts(evaluation, models),
        sections=evaluation.sections,
        methods=_methods(evaluation),
        notes=evaluation.notes,
        notes_title="What was noticed while the answers were scored",
        labels=() if coded.is_choice else coded.labels,
        data={
            "answers": answers,
            "items": len(coded.items),
            "models": models,
            "cultures": coded.cultures,
            "labels": () if coded.is_choice else coded.labels,
            "about": dict(evaluation.gold.about),
            "settings": settings,
        },
        jobs=evaluation.settings.jobs,
    )


def scored_table(evaluation: Evaluation) -> pd.DataFrame:
    """The long table: an answer a row, and for each culture what is right in its eyes.

    Columns: those of `ModelAnswers`, then `gold CULTURE` (the label, missing where there is none)
    and `right CULTURE` (missing where there is no gold). Its `attrs`, which Parquet keeps, say
    which dataset, split, mapping and seed these are.
    """
    coded, table = evaluation.coded, evaluation.answers.table.copy()
    right = evaluation.gold.table
    right = right[~right.index.duplicated()].set_axis(
        right.index[~right.index.duplicated()].astype(str)
    )
    for culture in coded.cultures:
        gold = right[culture].reindex(table["item"].astype(str)).set_axis(table.index)
        table[f"gold {culture}"] = gold
        same = (table["choice"] == gold) & ~table["invalid"].fillna(False).astype(bool)
        table[f"right {culture}"] = same.astype("boolean").mask(gold.isna())
    table.attrs = {
        "about": {str(name): str(text) for name, text in evaluation.gold.about.items()},
        "seed": evaluation.settings.seed,
        "memeloc": __version__,
    }
    return table


def write_evaluation(
    evaluation: Evaluation,
    out: str | Path,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> ReportFiles:
    """Write the report, and the long table of all answers as `scored.parquet`.

    Raises:
        InputError: a file cannot be written.
        MissingError: matplotlib or pyarrow is not installed.
    """
    files = write_report(report_of(evaluation), out, on_progress=on_progress)
    with replacing(Path(out) / "scored.parquet") as temporary:
        scored_table(evaluation).to_parquet(temporary, index=False)
    return files


def _facts(evaluation: Evaluation, models: list[str]) -> dict[str, str]:
    coded, table = evaluation.coded, evaluation.answers.table
    facts = {"Models": ", ".join(models), "Cultures": ", ".join(coded.cultures)}
    if not coded.is_choice:
        facts["Labels"] = ", ".join(coded.labels)
    names = {"input": "Input", "language": "Memes in", "prompt_language": "Prompts in"}
    names["country"] = "Countries named"
    for column in CONDITION[1:]:
        values = [str(v) for v in dict.fromkeys(table[column].fillna("")) if v]
        if values:
            facts[names[column]] = ", ".join(values)
    settings = {name: getattr(evaluation.settings, name) for name in _IN_FACTS}
    facts |= {clean(str(name)): clean(str(text)) for name, text in evaluation.gold.about.items()}
    return facts | {
        "Settings": ", ".join(f"{name} {shown(value)}" for name, value in settings.items())
    }


def _methods(evaluation: Evaluation) -> tuple[str, ...]:
    about: dict[str, Any] = dict(evaluation.gold.about)
    settings = evaluation.settings
    last = (
        f"Intervals are {settings.confidence:.0%} intervals that rest on "
        f"{settings.bootstraps:,} resamples of items; the seed is {settings.seed}. "
        + (
            f"Gold: {'; '.join(f'{name} {text}' for name, text in about.items())}. "
            if about
            else ""
        )
        + f"All figures were computed with memeloc {__version__}."
    )
    paragraphs = [" ".join(section.sentences) for section in evaluation.sections]
    return tuple(clean(paragraph) for paragraph in (*paragraphs, last) if paragraph)
