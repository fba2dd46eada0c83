"""The page of a set, as it is written: without a browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from memeloc.render.sets.parallel_set import render_table
from tests.render.rendered_set import write_captions


def _memes(out: Path) -> list[str]:
    """The memes of a small page, in its order."""
    text = (out / "index.html").read_text("utf-8")
    first = re.search(r'<script type="application/json" id="first">(.*?)</script>', text)
    assert first, text[-3000:]
    return [meme for meme, *_ in json.loads(first[1])]


def test_memes_stand_as_in_the_table_and_those_of_earlier_runs_last(tmp_path: Path) -> None:
    out = tmp_path / "out"
    rows = {meme: (meme, "robot-chef", "tea", "Tee") for meme in ("m1", "m2", "m3", "m0")}

    def render(*memes: str) -> list[str]:
        table = write_captions(
            tmp_path, [rows[meme] for meme in memes], ("meme_id", "template", "en", "de")
        )
        render_table(table, out, max_side=64)
        return _memes(out)

    assert render("m1", "m2", "m3") == ["m1", "m2", "m3"]
    assert render("m3", "m0", "m1") == ["m3", "m0", "m1", "m2"]
    before = (out / "index.html").stat().st_mtime_ns
    assert render("m3", "m0", "m1") == ["m3", "m0", "m1", "m2"]
    assert (out / "index.html").stat().st_mtime_ns == before
    assert render("m0", "m1", "m3") == ["m0", "m1", "m3", "m2"]


def test_pandas_stays_out() -> None:
    code = "import sys, memeloc.render.sets.page; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
