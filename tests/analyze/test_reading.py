"""Tables of answers on disk: columns, labels and cultures as the map has them, and bad input."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.analyze import Answers, read_answers
from memeloc.errors import InputError
from memeloc.resources import folder
from memeloc.tables import write_table
from memeloc.tables.writing import Column
from tests.each import each

HEADINGS = ["item", "annotator", "culture", "label"]
ROWS = [
    ("007", "a1", "US", "hate"),
    ("007", "b1", "DE", "non-hate"),
    ("008", "a1", "US", "non-hate"),
    ("008", "b1", "DE", "I don't know"),
]


def frame(rows: list[tuple[str, ...]] = ROWS, columns: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns or HEADINGS, dtype=object)


def read(rows: list[tuple[str, ...]] | pd.DataFrame, **settings: Any) -> Answers:
    table = rows if isinstance(rows, pd.DataFrame) else frame(rows)
    return read_answers(table, **settings)


def notes(answers: Answers) -> str:
    return "\n".join(answers.notes)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "xlsx"])
def test_every_kind_of_table_is_read_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answers.{suffix}"
    if suffix == "xlsx":
        frame().to_excel(path, index=False)
    else:
        write_table(path, [Column(name) for name in HEADINGS], ROWS)
    answers = read_answers(path)
    assert answers.names == ("007", "008")
    assert answers.cultures == ("DE", "US")
    assert answers.labels == ("hate", "non-hate")
    assert answers.abstentions == {"I don't know"}
    assert answers.notes == ()


def test_a_label_that_the_map_lacks_is_kept_and_noted() -> None:
    answers = read([*ROWS, ("9", "a", "US", "hates")], mapping={"labels": {"hate": "hate"}})
    assert answers.labels == ("hate", "hates", "non-hate")
    assert "row 5: the map does not name the label 'hates'" in notes(answers)


def test_the_earlier_of_two_answers_counts() -> None:
    columns = [*HEADINGS, "time"]
    rows = [
        ("1", "a", "US", "hate", "2026-03-02T10:00"),
        ("1", "a", "US", "non-hate", "2026-03-01 10:00+01:00"),
        ("2", "a", "US", "hate", "yesterday"),
    ]
    answers = read(frame(rows, columns))
    assert answers.table["label"].tolist() == ["non-hate", "hate"]
    assert "row 1: another answer of the same person to the same item" in notes(answers)
    assert "row 3: 'yesterday' is not a time that can be read" in notes(answers)


def test_what_is_known_of_items_stands_beside_the_answers() -> None:
    rows = [(*row, "office", "weather") for row in ROWS]
    answers = read(frame(rows, [*HEADINGS, "Topic", "mood"]))
    assert answers.items["topic"].to_dict() == {"007": "office", "008": "office"}
    assert answers.notes == ("not used: 1 column ('mood')",)


@each(
    ("mapping", "sentence"),
    [
        ({"lables": {}}, "did you mean 'labels'"),
        ({"order": ["a", "b", "a"]}, "twice"),
        ({"levels": {"a": float("nan")}}, "number"),
        ({"columns": {"item": 3}}, "columns.item"),
    ],
)
def test_a_map_that_cannot_be_is_one_sentence(mapping: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(ROWS, mapping=mapping)


def test_the_map_of_the_guide_reads_a_table() -> None:
    guide = (folder("guides") / "analysis.md").read_text("utf-8")
    mapping = tomllib.loads(guide.partition("```toml\n")[2].partition("```")[0])
    columns = ["meme", "worker", "culture", "label", "age", "gender", "submitted"]
    rows = [
        ("1", "a", "United States", "RUDE!", "30", "f", "2026-03-01"),
        ("1", "b", "DE", "Very rude", "40", "m", "2026-03-02"),
        ("1", "c", "DE", "don't know", "50", "f", ""),
        ("1", "model-a", "DE", "fine", "", "", ""),
    ]
    answers = read(frame(rows, columns), mapping=mapping)
    assert answers.table["label"].tolist() == ["very rude", "unsure", "rude"]
    assert answers.levels == {"fine": 0, "rude": 1, "very rude": 2}
    assert answers.cultures == ("DE", "US")
    assert answers.models["label"].tolist() == ["fine"]
