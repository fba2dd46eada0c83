"""Batches that a team gives: the table's memes in its order, and every wrong cell a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.design.tables import read_batches

CODES = ("US", "DE")


def table(folder: Path, text: str) -> Path:
    path = folder / "batches.csv"
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, text: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    given = read_batches(table(folder, text), CODES)
    return [(batch.name, batch.memes, batch.cultures) for batch in given]


def test_positions_go_before_the_order_of_the_rows(tmp_path: Path) -> None:
    text = "Position;Meme_ID;Batch\n3;m1;1\n1;m2;1\n2;m3;1\n"
    assert read(tmp_path, text) == [("1", ("m2", "m3", "m1"), CODES)]


@pytest.mark.parametrize(
    ("text", "row", "column", "message"),
    [
        ("batch,meme_id\na b,m1\n", 2, "batch", "cannot be called 'a b'"),
        ("batch,meme_id\na,m1\nA,m2\n", 3, "batch", "called 'a' above"),
        ("batch,meme_id\na,m1\na,\n", 3, "meme_id", "no meme here"),
        ("batch,meme_id\na,m1\na,m1\n", 3, "meme_id", "already, in row 2"),
        ("batch,meme_id,position\na,m1,first\n", 2, "position", "'first' is not a place"),
        ("batch,meme_id,position\na,m1,1\na,m2,1\n", 3, "position", "already, in row 2"),
        ("batch,meme_id,culture\na,m1,FR\n", 2, "culture", "it has US, DE"),
        ("batch,meme_id,culture\na,m1,US\na,m2,DE\n", 3, "batch", "other memes"),
        ("batch,meme\na,m1\n", None, "meme_id", "no column 'meme_id'"),
        ("batch,meme_id\n", None, None, "no batches in it"),
    ],
)
def test_a_wrong_cell_is_named_by_its_place(
    text: str, row: int | None, column: str | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert (caught.value.row, caught.value.column) == (row, column)
    assert caught.value.file == str(tmp_path / "batches.csv")
