"""The page of a set, as it is written: without a browser."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from memeloc.render.sets.page import CHUNK
from tests.render.test_page import CAPTIONS, page_of, picture


def test_the_page_is_the_same_however_its_rows_are_cut(tmp_path: Path) -> None:
    rows = [
        picture(n, language, text)
        for n in range(2 * CHUNK + 3)
        for language, text in CAPTIONS.items()
    ]
    at_once = page_of(tmp_path / "a" / "set", [rows])
    cuts = [0, 1, 2, 703, 704, 1000, len(rows)]
    pieces = [rows[begin:end] for begin, end in pairwise(cuts)]
    other = page_of(tmp_path / "b" / "set", pieces)
    assert at_once.read_bytes() == other.read_bytes()

    def names(page: Path) -> set[str]:
        return {path.name for path in (page.parent / ".memeloc" / "page").iterdir()}

    assert names(at_once) == names(other)
    assert len(names(other)) == 5
    assert page_of(tmp_path / "b" / "set", [rows[:5]]) == other
    assert len(names(other)) == 1, "data of the former page goes"


def test_pandas_stays_out() -> None:
    code = "import sys, memeloc.render.sets.page; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
