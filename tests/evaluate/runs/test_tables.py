"""Datasets and labels that are tables of any layout: one map says which column is what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import read_gold, read_table_data
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.tables.column_map import read_map
from tests.each import each
from tests.evaluate.runs.small_dataset import checkout

OWN_LABELS = {"path": ""}
"""Of a table that is no checkout: labels are in it."""


def _run(**changes: object) -> Run:
    return read_run("multi3hate", {"dataset": {"languages": ["en", "de"]}, **changes})[0]


def test_no_picture_outside_of_the_folder_is_taken(tmp_path: Path) -> None:
    data = checkout(tmp_path / "set")
    table = tmp_path / "set" / "memes.csv"
    table.write_text("id,language,picture\n1,en,../../secret.jpg\n2,en,7.jpg\n")
    (tmp_path / "set/data/secret.jpg").write_bytes(b"x")
    dataset = {"languages": ["en"], "pictures": "data/memes/en"}
    run = _run(dataset=dataset, gold=OWN_LABELS)
    items = read_table_data(run, table).items
    assert [item.picture for item in items] == [None, data / "data/memes/en/7.jpg"]


def test_a_right_option_that_is_none_names_its_row(tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("item,question,A,B,C,D,correct\n1,Why?,x,y,z,w,E\n")
    with pytest.raises(InputError, match=r"row 2.*none of the options"):
        read_table_data(read_run("multiple-choice")[0], table)


def test_questions_as_m_quest_publishes_them(tmp_path: Path) -> None:
    node = {
        "@context": {"@vocab": "http://example.org/multimodal-taxonomy#"},
        "@id": "http://example.org/multimodal-taxonomy#qa_7",
        "@type": "QuestionAnswerPair",
        "question": "Where is it?",
        "answers": [
            {"text": text, "is_correct": text == "Office"}
            for text in ("Home", "Office", "Sea", "Tea")
        ],
        "dimension": "Scene",
        "sourceImage": {"@type": "Image", "filename": "m.png", "path": "img/m.png"},
    }
    for folder in ("qa/Scene", "img"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "qa/Scene/m_Scene_qa_7.jsonld").write_text(json.dumps(node))
    (tmp_path / "img/m.png").write_bytes(b"x")
    data = read_table_data(read_run("m-quest", {"dataset": {"pictures": "."}})[0], tmp_path)
    (item,) = data.items
    assert (item.id, item.meme, item.dimension) == ("qa_7", "m", "Scene")
    assert item.options == ("Home", "Office", "Sea", "Tea")
    assert item.picture == tmp_path / "img/m.png"
    assert data.gold is not None
    assert data.gold.table["gold"].to_dict() == {"qa_7": "Office"}


@pytest.mark.parametrize(
    "table",
    [
        "question,option_a,option_b,answer\nWhy?,tea,rain,b\n",
        "id,question,choices,answer\n2,Why?,tea | rain,rain\n",
        "id,question,choice 1,choice 2,correct\n2,Why?,tea,rain,2\n",
    ],
)
def test_any_table_of_questions(tmp_path: Path, table: str) -> None:
    (tmp_path / "questions.csv").write_text(table)
    data = read_table_data(read_run("multiple-choice")[0], tmp_path / "questions.csv")
    assert data.items[0].options == ("tea", "rain")
    assert data.gold is not None
    assert data.gold.table["gold"].to_dict() == {"2": "rain"}


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
