"""Parts of a set: drawn by the seed, or where a model's rounds differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.design.sampling import read_differing, sampled

MEMES = {f"m{number:02d}": "cloud-monday" for number in range(30)}


def rounds(folder: Path, *rows: str) -> Path:
    path = folder / "rounds.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_sample_has_so_many_memes_by_the_seed() -> None:
    first = sampled(MEMES, 10, seed=1)
    assert len(first) == 10
    assert first.items() <= MEMES.items()
    assert sampled(dict(reversed(MEMES.items())), 10, seed=1) == first
    assert sampled(MEMES, 10, seed=2) != first


@pytest.mark.parametrize("count", [0, 30, 200])
def test_sample_of_all_is_all(count: int) -> None:
    assert sampled(MEMES, count, seed=1) == MEMES


def test_memes_on_which_rounds_differ_are_taken(tmp_path: Path) -> None:
    table = rounds(tmp_path, "meme_id,one,two,three", "a,x,x,x", "b,x,y,x", "c,y,y,y", "d,x,y,z")
    assert read_differing(table) == ["b", "d"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("meme_id,one", "a,x"), "two or more"),
        (("meme_id,one,two", "a,x,"), "'a' has no label here"),
        (("meme_id,one,two", "a,x,y", "a,x,x"), "'a' is there already, in row 2"),
        (("meme_id,one,two", "a,x,x"), "nothing to ask"),
        (("id,one,two", "a,x,y"), "meme_id"),
    ],
)
def test_table_of_rounds_that_cannot_be_is_refused(
    tmp_path: Path, rows: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_differing(rounds(tmp_path, *rows))
