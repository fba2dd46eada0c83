"""`--recipe` of dedup, filter and select: a paper's settings, with its funnel beside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.curate.verdict import Judgement
from memeloc.items import FoundPicture, Origin
from memeloc.store.records import FileRecord
from memeloc.workspace import Workspace
from tests.curate.drawn import as_png, draw_picture

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")

TEXTS = {
    "tea": "When the tea is ready before the meeting",
    "tea-again": "When the tea is ready before the meeting",
    "german": "Wenn du merkst, dass heute doch erst Dienstag ist",
    "cat": "My cat has been sitting on the keyboard all day",
    "drawn": "They told me it would only take five minutes",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five finished memes: a duplicate, a German one, a cartoon by people's answers."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    seeds = {"tea": 1, "tea-again": 1, "german": 2, "cat": 3, "drawn": 4}
    with Workspace.create(tmp_path / "ws") as workspace:
        store = workspace.store
        store.items.add(
            [
                FoundPicture(
                    Origin("test", name), as_png(draw_picture(seeds[name])), name, (text,), "en"
                )
                for name, text in TEXTS.items()
            ]
        )
        ids = {item.name: item.id for item in store.items.find("picture")}
        answers = [
            Judgement(ids[name], question, "ana", yes_if(name == "drawn", question), row=row)
            for question in ("unreadable", "unimodal", "cartoon")
            for row, name in enumerate(TEXTS)
        ]
        store.curation.add_judgements(
            FileRecord("judgements", "sheet.csv", "0" * 64, len(answers)), answers
        )
    # What memeloc.toml says does not count beside a recipe.
    file = tmp_path / "ws" / "memeloc.toml"
    text = file.read_text(encoding="utf-8")
    own = '[curate]\nfilters = ["script"]\n[curate.dedup]\ndistance = 1\n'
    file.write_text(text.replace("[curate]\n", own), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


def yes_if(is_cartoon: bool, question: str) -> str:
    return "yes" if is_cartoon and question == "cartoon" else "no"


def test_options_come_before_the_recipe(folder, command) -> None:
    given = ("quality", "--set", "smallest_side=1", "--recipe", "araharmeme", "--json")
    run = json.loads(command("filter", *given).out)
    stated = {row["setting"]: (row["value"], row["stated"]) for row in run["recipe"]["settings"]}
    assert stated["quality.smallest_side"] == (1, "given now")
    assert stated["quality.blank"] == (2.0, "not stated")
    # Nobody has said yet whether they are relevant.
    assert run["filters"][0]["ask"] == 5
    assert run["filters"][0]["reasons"][0]["reason"] == "not answered: irrelevant"
    status = json.loads(command("review", "status", "irrelevant", "--json").out)
    assert status["questions"][0]["subjects"] == 5


def test_a_paper_without_duplicates(folder, command) -> None:
    refused = command("dedup", "--recipe", "multi3hate")
    assert refused.status == 1
    assert "looks for no duplicates" in refused.err
    stages = json.loads(command("select", "--recipe", "multi3hate", "--json").out)["stages"]
    assert "duplicates" not in {stage["stage"] for stage in stages}
