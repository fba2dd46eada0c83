"""What is right, in tables of any layout: one map says which column is what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import read_gold
from memeloc.evaluate.runs.run import read_run
from memeloc.tables.column_map import read_map
from tests.each import each

CASES = Path(__file__).parents[2] / "tables" / "cases"
RUN = read_run("multi3hate")[0]

MULTI3HATE = {
    "columns": {"gold_item": "Meme ID", "culture": "Nationality", "label": "hatespeech"},
    "labels": {"-1": "", "2": ""},
    "cultures": {"en": "US", "de": "DE"},
}
CODES = {
    "columns": {"culture": "group", "label": "q1"},
    "labels": {"1": "Hate", "2": "Non-hate", "9": ""},
}
ARABIC = {
    "columns": {"gold_item": "المعرف", "culture": "البلد", "label": "الإجابة"},
    "labels": {"ضار": "Hate", "غير ضار": "Non-hate", "لا أعرف": ""},
}
LABEL_STUDIO = pd.DataFrame(
    {"id": [1, 2], "image": ["/data/7.jpg", "/data/8.jpg"], "meme": ["7", "8"],
     "choice": ["Hate", "not hate"], "annotator": [3, 3], "lead_time": [2.5, 9.0]}
)  # fmt: skip
FRAME = pd.DataFrame({"meme_id": [7, 8], "US": [1, 0], "DE": [0, None]})
WIDE = {"US": "United_States_Hate", "GB": "United_Kingdom_Hate"}


@each(
    ("table", "column_map", "labels"),
    [
        ("raw_annotations.csv", MULTI3HATE, ["10 DE -", "11 US -", "11 DE +"]),
        ("wide_cultures.csv", {"columns": {"label": WIDE}},
         ["a1 US +", "a1 GB -", "a2 US -", "a2 GB -", "a3 US +"]),
        ("numeric_codes.csv", CODES, ["m2 DE +", "m2 US -"]),
        ("arabic_headings.csv", ARABIC, ["m2 JO +"]),
        (LABEL_STUDIO, {"columns": {"gold_item": "meme", "label": {"US": "choice"}}},
         ["7 US +", "8 US -"]),
        (FRAME, {}, ["7 US +", "7 DE -", "8 US -"]),
    ],
)  # fmt: skip
def test_one_map_reads_every_layout(
    table: Any, column_map: dict[str, Any], labels: list[str]
) -> None:
    items = ["10", "11", "a1", "a2", "a3", "m1", "m2", "7", "8"]
    source = CASES / table if isinstance(table, str) else table
    gold = read_gold(RUN, source, items, {}, read_map(column_map))
    assert gold is not None
    signs = {"Hate": "+", "Non-hate": "-"}
    read = gold.table.stack().dropna().map(signs)
    assert [f"{item} {culture} {sign}" for (item, culture), sign in read.items()] == labels


def test_columns_that_hold_labels_only_are_cultures() -> None:
    gold = read_gold(RUN, CASES / "wide_cultures.csv", ["a1", "a2", "a3"], {})
    assert gold is not None
    assert gold.cultures == (
        "United_States_Hate",
        "Australia_Hate",
        "United_Kingdom_Hate",
        "Singapore_Hate",
    )


@each(
    ("rows", "column_map", "message"),
    [
        ({"id": ["7", "7"], "US": ["1", "0"]}, {}, "row 2.*stands in row 1 too"),
        ({"id": ["7", "8"], "US": ["1", "later"]}, {"label": {"US": "US"}}, "row 2, column US"),
        ({"id": ["7", "8"], "note": ["x", "y"]}, {}, "--cultures"),
        ({"id": ["5", "6"], "US": ["1", "0"]}, {}, "--map gold_item"),
        ({"id": ["7", "8"], "US": ["1", "0"]}, {"gold_item": "key"}, "'key'.*'id', 'US'"),
    ],
)
def test_what_cannot_be_read_is_said(
    rows: dict[str, list[str]], column_map: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_gold(RUN, pd.DataFrame(rows), ["7", "8"], {}, read_map({"columns": column_map}))
