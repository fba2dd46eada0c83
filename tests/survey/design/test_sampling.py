"""Parts of a set: drawn by the seed, or where a model's rounds differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.design.tables import read_differing


def rounds(folder: Path, *rows: str) -> Path:
    path = folder / "rounds.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


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
