"""`--recipe` of dedup, filter and select: a paper's settings, with its funnel beside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.curate.review.judgement import Judgement
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


def test_harmeme_from_duplicates_to_the_funnel(folder, command) -> None:
    dedup = json.loads(command("dedup", "--recipe", "harmeme", "--json").out)
    stated = {row["setting"]: (row["value"], row["stated"]) for row in dedup["recipe"]["settings"]}
    assert stated["dedup.keep"] == ("largest", "4.1: the highest resolution of each group")
    assert stated["dedup.distance"] == (5, "not stated")
    run = json.loads(command("filter", "--recipe", "harmeme", "--json").out)
    assert [row["filter"] for row in run["filters"]] == ["language", "mixing", "quality"]
    stated = {row["setting"]: (row["value"], row["stated"]) for row in run["recipe"]["settings"]}
    assert stated["language.sure"][1] == stated["quality.blurred"][1] == "not stated"
    result = json.loads(command("select", "--recipe", "harmeme", "--json").out)
    out = {stage["stage"]: stage["reasons"] for stage in result["stages"] if stage["out"]}
    assert out == {
        "duplicates: same file": {"same file": 1},
        "language": {"other language": 1},
        "quality": {"cartoon": 1},
    }
    assert [row["here_out"] for row in result["paper"]] == [1, 0, 1, 0, 0, 1, 0, 1]
    assert "duplicates: similar by models (not run)" in {row["stage"] for row in result["stages"]}
    assert result["paper"][0]["paper_out"] == 1483
    shown = command("select", "--recipe", "harmeme")
    assert "duplicates\t4.1\t5027\t1483\t3544\t5\t1\t4" in shown.out
    assert "select.asked\tout\tnot stated" in shown.out
    assert "harmeme: How many memes each of the four reasons rejected is not stated" in shown.err
    page = (folder / "funnel.html").read_text(encoding="utf-8")
    assert "Beside HarMeme" in page
    assert "1,483" in page
    with Workspace.find(folder) as workspace:
        assert workspace.store.curation.selection().settings["recipe"] == "harmeme"


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


def test_an_unknown_recipe(folder, command) -> None:
    for name in ("dedup", "filter", "select"):
        outcome = command(name, "--recipe", "soup")
        assert (outcome.status, "There is no recipe 'soup'" in outcome.err) == (1, True)
