"""Batches that a team gives: the table's memes in its order, and every wrong cell a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design
from memeloc.survey.design.given import GivenBatch, build_given, read_batches
from memeloc.survey.model import Culture
from memeloc.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("multi3hate")
CODES = ("US", "DE")
LOCALES = {"US": "en", "DE": "de"}
DESIGN = Design(
    "pilot",
    TAXONOMY.name,
    tuple(Culture(code, default().get(LOCALES[code])) for code in CODES),
    answers=3,
    seed=7,
)


def table(folder: Path, text: str) -> Path:
    path = folder / "batches.csv"
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, text: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    given = read_batches(table(folder, text), CODES)
    return [(batch.name, batch.memes, batch.cultures) for batch in given]


def test_batches_stand_in_the_order_of_the_rows(tmp_path: Path) -> None:
    text = "batch,meme_id\nlate,m3\nlate,m1\nearly,m2\nlate,m4\n"
    assert read(tmp_path, text) == [
        ("late", ("m3", "m1", "m4"), CODES),
        ("early", ("m2",), CODES),
    ]


def test_positions_go_before_the_order_of_the_rows(tmp_path: Path) -> None:
    text = "Position;Meme_ID;Batch\n3;m1;1\n1;m2;1\n2;m3;1\n"
    assert read(tmp_path, text) == [("1", ("m2", "m3", "m1"), CODES)]


def test_a_batch_goes_to_the_cultures_that_it_names(tmp_path: Path) -> None:
    text = 'batch,meme_id,culture\na,m1,de\nb,m2,"DE,US"\nc,m3,\n'
    assert [cultures for _, _, cultures in read(tmp_path, text)] == [("DE",), CODES, CODES]


def test_a_row_a_culture_is_the_same_batch(tmp_path: Path) -> None:
    text = "batch,meme_id,culture\na,m1,US\na,m1,DE\na,m2,US\na,m2,DE\n"
    assert read(tmp_path, text) == [("a", ("m1", "m2"), CODES)]


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


GIVEN = (
    GivenBatch("first", {"m2": 2, "m1": 3, "m3": 4}, CODES),
    GivenBatch("second", {"m4": 5, "m5": 6}, ("DE",)),
)
MEMES = {f"m{number}": f"t{number}" for number in range(1, 6)}


def test_memes_keep_their_order_and_checks_are_drawn_in() -> None:
    first, second = build_given(GIVEN, MEMES, DESIGN, TAXONOMY)
    assert (first.id, first.memes, first.cultures) == ("r1-first", ("m2", "m1", "m3"), CODES)
    assert (second.id, second.memes, second.cultures) == ("r1-second", ("m4", "m5"), ("DE",))
    for batch in (first, second):
        checks = [slot.check for slot in batch.slots if slot.check]
        assert sorted(checks) == ["explicit", "implicit", "implicit", "implicit"]
        assert not batch.slots[0].check
        assert not batch.slots[-1].check
        assert batch.answers == 3


def test_the_seed_decides_where_checks_stand() -> None:
    same = build_given(GIVEN, MEMES, DESIGN, TAXONOMY)
    assert build_given(GIVEN, MEMES, DESIGN, TAXONOMY) == same
    others = {build_given(GIVEN, MEMES, replace(DESIGN, seed=n), TAXONOMY) for n in range(5)}
    assert len(others) > 1
    assert all(batches[0].memes == ("m2", "m1", "m3") for batches in others)


def test_a_meme_is_not_called_like_a_check() -> None:
    given = (GivenBatch("a", {"check-1": 2}, CODES),)
    with pytest.raises(InputError, match="other entries are called so"):
        build_given(given, {"check-1": "t"}, DESIGN, TAXONOMY)
