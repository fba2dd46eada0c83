"""Datasets that are tables: items, pictures, options and labels."""

from __future__ import annotations

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
