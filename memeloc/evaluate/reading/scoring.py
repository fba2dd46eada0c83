"""Scoring answers made elsewhere. In: tables of answers and labels. Out: `ScoredFiles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.reading.answers import choices_of, headings, read_answers, read_questions
from memeloc.evaluate.reading.prompts import PromptReader, Shown
from memeloc.evaluate.runs.items import RunItem
from memeloc.evaluate.runs.labels import GOLD, item_column, plain_id, read_cells, read_gold
from memeloc.evaluate.runs.reading_prompts import read_prompts
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.evaluate.runs.tables import read_table_data
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.statistics.significance import rows_of
from memeloc.tables.column_map import ColumnMap, Role, columns_of, read_map
from memeloc.tables.frames import Frame

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class ScoredFiles:
    """Answers made elsewhere, scored.

    Attributes:
        run: whose options and prompts were answered.
        answers, gold, settings: what was scored, and with what.
        figures: rows of the table of figures; `memeloc evaluate score --json` prints them.
    """

    run: Run
    answers: ModelAnswers
    gold: Gold
    settings: ScoreSettings
    figures: pd.DataFrame


def score_answers(
    files: str | Path | Frame | Sequence[str | Path | Frame],
    gold: str | Path | Frame | None = None,
    *,
    run: str | Path = "multi3hate",
    column_map: ColumnMap | Mapping[str, Any] | str | Path | None = None,
    language: str = "",
    model: str = "",
    options: Shown = (),
    settings: ScoreSettings | None = None,
) -> ScoredFiles:
    """Read what answers choose, and score them like a run's.

        scored = score_answers("responses_en.csv", "final_annotations.csv", run="multi3hate")
        wide(scored.figures, "accuracy")  # of memeloc.reports.figures

    Args:
        files: tables with an answer a row, files or data frames.
        gold: a table with what is right; None where the answers have it (the column `correct`). Of
            multiple choice it may be the table of questions that a run is asked.
        run: which options and prompts these are: a shipped run or a run file. One without labels
            is multiple choice, and so is any whose map names the column `correct`.
        column_map: which column holds what, of the answers (`item`, `answer`, `prompt`, `model`,
            `language`, `input`, `dimension`, `meme`, `correct`, `option`) and of what is right
            (`gold_item`, `label`, `culture`), and what labels mean; by name where it says nothing.
        language: of the prompts; read from their texts where it is not given, else English.
        model: its name, where no column has it; else the file's name.
        options: marker and name of each, in the order of the first prompt, where no text shows
            them.

    Raises:
        InputError: something cannot be read: the file, row and column are named.
        MissingError: pandas or scipy is not installed.
    """
    opened, folder = read_run(run)
    mapped = read_map(column_map)
    tables = [files] if isinstance(files, str | Path | Frame) else list(files)
    elsewhere = headings(gold) if gold is not None else set()
    rows = read_answers(tables, mapped, model, elsewhere)
    items = list(dict.fromkeys(rows["item"]))
    if "correct" in mapped.columns or not opened.labels:
        asked, right_options = _asked(opened, gold, items, mapped)
        answers, right = read_questions(
            rows, right_options, language=language, options=options, asked=asked
        )
    else:
        if options and len(options) != len(opened.labels):
            raise InputError(
                f"The run {opened.name} has {len(opened.labels)} options "
                f"({', '.join(opened.labels)}); {len(options)} were named."
            )
        if gold is None:
            raise InputError("Name the table of what is right: --gold.")
        texts = read_prompts(opened.prompts, folder, opened.labels)
        reader = PromptReader(opened.labels, texts, len(opened.orders), language, options)
        labels = read_gold(opened, gold, items, {"run": opened.name}, mapped)
        if labels is None:
            raise InputError("The table of what is right has no label of any item.")
        answers = choices_of(rows, reader.read(rows_of(rows)), opened.labels, reader.notes)
        right = labels
    settings = settings or ScoreSettings()
    return ScoredFiles(opened, answers, right, settings, score(answers, right, settings))


def _asked(
    run: Run, gold: str | Path | Frame | None, items: Sequence[str], column_map: ColumnMap
) -> tuple[dict[str, RunItem], dict[str, str]]:
    """Return by item the question that the gold asks, if it does, and what is right."""
    if gold is None:
        return {}, {}
    named = column_map.columns
    asks = {"question", "correct", *(name.casefold() for name in run.dataset.options)}
    if (
        isinstance(gold, str | Path)
        and not run.labels
        and not named.keys() & {"correct", "gold_item"}
        and asks <= headings(gold)
    ):
        data = read_table_data(run, Path(gold))
        by_id = {plain_id(item.id): item for item in data.items}
        asked = {item: by_id[plain_id(item)] for item in items if plain_id(item) in by_id}
        labels = {} if data.gold is None else data.gold.table[GOLD].to_dict()
        return asked, {item: labels[each.id] for item, each in asked.items() if each.id in labels}
    cells, file = read_cells(gold)
    role = Role("correct", ("correct",), required=True)
    columns = ColumnMap(columns={"correct": named["correct"]} if "correct" in named else {})
    (column,) = columns_of(cells.columns.tolist(), columns, [role], file)["correct"]
    key = item_column(cells, items, named.get("gold_item", ""), file)
    right = dict(zip(cells[key].map(plain_id), cells[column].str.strip(), strict=True))
    return {}, {item: right[plain_id(item)] for item in items if plain_id(item) in right}
