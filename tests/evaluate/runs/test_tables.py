"""Datasets that are tables: items, pictures, options and labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import read_table_data
from memeloc.evaluate.runs.run import Run, read_run
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
