"""Datasets that are tables: items, pictures, options and labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.evaluate.runs.tables import read_table_data
from tests.evaluate.runs.small_dataset import checkout

OWN_LABELS = {"path": ""}
"""Of a table that is no checkout: labels are in it."""


def _run(**changes: object) -> Run:
    return read_run("multi3hate", {"dataset": {"languages": ["en", "de"]}, **changes})[0]


def test_a_checkout_is_read_by_language(tmp_path: Path) -> None:
    data = read_table_data(_run(), checkout(tmp_path))
    assert [(item.id, item.language) for item in data.items][:4] == [
        ("007", "en"),
        ("12", "en"),
        ("30", "en"),
        ("007", "de"),
    ]
    assert data.items[0].picture == tmp_path / "data/memes/en/7.jpg"
    assert data.gold is not None
    assert data.gold.cultures == ("US", "DE")
    assert list(data.gold.table.loc["007"]) == ["Hate", "Non-hate"]
    assert data.gold.table["DE"].isna()["30"]


def test_a_gold_table_goes_before_the_runs(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label,note\n7,hate,x\n12,Non-hate,y\n")
    data = read_table_data(_run(), checkout(tmp_path / "set"), gold)
    assert data.gold is not None
    assert data.gold.table["label"].to_dict() == {"007": "Hate", "12": "Non-hate"}


def test_a_plain_table_has_its_own_labels(tmp_path: Path) -> None:
    table = tmp_path / "memes.csv"
    table.write_text("id,text,language,label\n1,tea,en,0\n2,rain,en,1\n3,cat,fr,1\n")
    data = read_table_data(_run(gold=OWN_LABELS), table)
    assert [item.text for item in data.items] == ["tea", "rain"]
    assert data.gold is not None
    assert data.gold.table["gold"].to_dict() == {"1": "Non-hate", "2": "Hate"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("id,text,language\n1,a,en\n1,b,en\n", "another row has the item '1' in en"),
        ("text,language\na,en\n", "no column of items"),
        ("id,text\n1,a\n", "no language"),
        ("id,text,language\n1,a,fr\n", "no item of these languages"),
        ("id,text,language,label\n1,a,en,tea\n", "the label 'tea', which is none of"),
        ("id,text,language\n,a,en\n", "names no item"),
    ],
)
def test_a_wrong_table_is_a_sentence(tmp_path: Path, rows: str, message: str) -> None:
    table = tmp_path / "memes.csv"
    table.write_text(rows)
    with pytest.raises(InputError, match=message):
        read_table_data(_run(gold=OWN_LABELS), table)


def test_no_picture_outside_of_the_folder_is_taken(tmp_path: Path) -> None:
    data = checkout(tmp_path / "set")
    table = tmp_path / "set" / "memes.csv"
    table.write_text("id,language,picture\n1,en,../../secret.jpg\n2,en,7.jpg\n")
    (tmp_path / "set/data/secret.jpg").write_bytes(b"x")
    dataset = {"languages": ["en"], "pictures": "data/memes/en"}
    run = _run(dataset=dataset, gold=OWN_LABELS)
    items = read_table_data(run, table).items
    assert [item.picture for item in items] == [None, data / "data/memes/en/7.jpg"]


def test_multiple_choice_has_options_of_each_item(tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text(
        "meme,dimension,question,A,B,C,D,correct\n"
        "7,Toxicity,Is it kind?,Yes,No,Perhaps,None of the others,B\n"
        "7,Scene,Where is it?,At home,Office,Sea,None of the others,office\n"
    )
    run, _ = read_run("multiple-choice")
    data = read_table_data(run, table)
    assert [item.id for item in data.items] == ["7/Toxicity", "7/Scene"]
    assert data.items[1].options == ("At home", "Office", "Sea", "None of the others")
    assert data.items[1].meme == "7"
    assert data.gold is not None
    assert data.gold.table["gold"].tolist() == ["No", "Office"]
    assert data.gold.labels == ()


def test_a_right_option_that_is_none_names_its_row(tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("item,question,A,B,C,D,correct\n1,Why?,x,y,z,w,E\n")
    with pytest.raises(InputError, match=r"row 2.*none of the options"):
        read_table_data(read_run("multiple-choice")[0], table)
