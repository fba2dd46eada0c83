"""`memeloc export`: a table as a file that memeloc and others read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _workspace(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    command("init", "--langs", "de")
    Path("table.csv").write_text(
        "meme_id,template,en,de\na,cloud-monday,one // two,=eins // zwei\n", encoding="utf-8"
    )
    command("import", "table.csv")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_captions_are_read_back(command: Command, ending: str) -> None:
    done = command("export", "captions", "--to", f"out.{ending}")
    assert done.out == f"Wrote 1 row of captions to out.{ending}\n"
    assert command("import", f"out.{ending}").out.startswith("Nothing is new")
    rendered = command(
        "render", f"out.{ending}", "--langs", "all", "--out", "out", "--jobs", 1, "--json"
    )
    assert json.loads(rendered.out)["rendered"] == 2


def test_pandas_reads_the_csv(command: Command) -> None:
    command("export", "history", "--to", "history.csv")
    frame = pd.read_csv("history.csv")
    assert list(frame["language"]) == ["de", "en"]
    assert list(frame["text"]) == ["'=eins // zwei", "one // two"]


def test_what_cannot_be_is_a_sentence(command: Command) -> None:
    assert "There is no table 'memez'; there are" in command("export", "memez", "--to", "x.csv").err
    assert "as .csv, .jsonl or .parquet" in command("export", "memes", "--to", "x.ods").err
    assert not Path("x.csv").exists()


def test_as_json(command: Command) -> None:
    done = command("export", "memes", "--to", "memes.parquet", "--json")
    shown = {"table": "memes", "rows": 1, "file": "memes.parquet", "acceptance": None}
    assert json.loads(done.out) == shown
