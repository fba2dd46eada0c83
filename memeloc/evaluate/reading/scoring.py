"""Scoring answers made elsewhere. In: tables of answers and labels. Out: `ScoredFiles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.reading.columns import AnswerColumns, AnswerRow, read_rows
from memeloc.evaluate.reading.labels import gold_of_file
from memeloc.evaluate.reading.prompts import PromptReader, Shown
from memeloc.evaluate.reading.questions import (
    ReadAnswers,
    read_labelled,
    read_questions,
    right_options,
)
from memeloc.evaluate.reading.summary import summary_of
from memeloc.evaluate.runs.items import RunData
from memeloc.evaluate.runs.reading_prompts import read_prompts
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.evaluate.runs.tables import GOLD, plain_id, read_table_data
from memeloc.evaluate.scores import Evaluation, ScoreSettings, score
from memeloc.tables import read_table


@dataclass(frozen=True, slots=True, eq=False)
class ScoredFiles:
    """Answers made elsewhere, scored.

    Attributes:
        run: whose options and prompts were answered.
        evaluation: figures and sections, as those of a run.
        summary: the figures as plain values; `memeloc evaluate score --json` prints it.
    """

    run: Run
    evaluation: Evaluation
    summary: Mapping[str, Any]


def score_answers(
    files: str | Path | Sequence[str | Path],
    gold: str | Path | None = None,
    *,
    run: str | Path = "multi3hate",
    columns: AnswerColumns | None = None,
    language: str = "",
    model: str = "",
    options: Sequence[tuple[str, str]] = (),
    option_columns: Sequence[str] = (),
    gold_item: str = "",
    cultures: Mapping[str, str] | None = None,
    settings: ScoreSettings | None = None,
) -> ScoredFiles:
    """Read what answers choose, and score them like a run's.

        scored = score_answers("responses_en.csv", "final_annotations.csv", run="multi3hate")
        scored.summary["cultures"]["USA"]["accuracy"]

    Args:
        files: tables with an answer a row.
        gold: a table with what is right; None where the answers have it (`columns.correct`). Of
            multiple choice it may be the table of questions that a run is asked.
        run: which options and prompts these are: a shipped run or a run file. One without labels
            is multiple choice, and so is any with `columns.correct`.
        columns: which column holds what; by name where it is not given.
        language: of the prompts; read from their texts where it is not given, else English.
        model: its name, where no column has it; else the file's name.
        options: marker and name of each, in the order of the first prompt, where no text shows
            them.
        option_columns: of multiple choice the columns with the options' texts.
        gold_item: the gold's column of items.
        cultures: the gold's columns by culture.

    Raises:
        InputError: something cannot be read: the file, row and column are named.
        MissingError: pandas or scipy is not installed.
    """
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]
    columns = columns or AnswerColumns()
    opened, folder = read_run(run)
    rows = [row for path in paths for row in read_rows(path, columns, option_columns)]
    if not rows:
        raise InputError("has no rows", file=paths[0])
    shown: Shown = tuple(options)
    if columns.correct or not opened.labels:
        read, right = _questions(opened, rows, gold, columns, gold_item, model, language, shown)
    else:
        reader = PromptReader(
            opened.labels,
            read_prompts(opened.prompts, folder, opened.labels),
            len(opened.orders),
            language,
            _options_in_order(opened, shown),
        )
        if gold is None:
            raise InputError("Name the table of what is right: --gold.")
        items = list(dict.fromkeys(row.item for row in rows))
        right = gold_of_file(opened, Path(gold), items, item=gold_item, cultures=cultures)
        read = read_labelled(rows, reader, model)
    evaluation = score(read.answers, right, settings)
    return ScoredFiles(opened, evaluation, summary_of(opened.name, evaluation, read.numbers))


def _questions(
    run: Run,
    rows: Sequence[AnswerRow],
    gold: str | Path | None,
    columns: AnswerColumns,
    gold_item: str,
    model: str,
    language: str,
    options: Shown,
) -> tuple[ReadAnswers, Any]:
    if gold is None:
        return read_questions(rows, {}, model, language=language, options=options)
    items = list(dict.fromkeys(row.item for row in rows))
    data = _asked(run, Path(gold)) if not (columns.correct or gold_item) else None
    if data is None or data.gold is None:
        right = right_options(Path(gold), columns.correct or "correct", items, gold_item)
        return read_questions(rows, right, model, language=language, options=options)
    by_id = {plain_id(item.id): item for item in data.items}
    asked = {item: by_id[plain_id(item)] for item in items if plain_id(item) in by_id}
    labels = data.gold.table[GOLD]
    right = {item: labels[each.id] for item, each in asked.items() if each.id in labels}
    return read_questions(rows, right, model, language=language, options=options, asked=asked)


def _asked(run: Run, table: Path) -> RunData | None:
    """What a table asks, as a run reads it; None where it is no table of questions."""
    columns = {name.casefold() for name in read_table(table).columns}
    options = {name.casefold() for name in run.dataset.options}
    is_asked = not run.labels and {"question", "correct"} <= columns and options <= columns
    return read_table_data(run, table) if is_asked and options else None


def _options_in_order(run: Run, shown: Shown) -> Shown:
    """The options that the user named, in the order of the run's labels."""
    if not shown:
        return ()
    if len(shown) != len(run.labels):
        raise InputError(
            f"The run {run.name} has {len(run.labels)} options ({', '.join(run.labels)}); "
            f"{len(shown)} were named."
        )
    return shown
