"""`memeloc filter` and `memeloc select`: from collected items to memes, and back."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.curate.review.judgement import Judgement
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin
from memeloc.store.records import FileRecord
from memeloc.workspace import Workspace
from tests.conftest import Outcome

Command = Callable[..., Outcome]

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")

ENGLISH = (
    "When the bread comes out of the oven",
    "They told me it would only take five minutes",
    "Nobody has watered this plant since Monday",
    "My face when the meeting could have been a letter",
    "I said I would start running tomorrow",
)
GERMAN = "Wenn du merkst, dass heute doch erst Dienstag ist"


def _picture(seed: int, width: int = 400, height: int = 300) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    return file.getvalue()


def _make(folder: Path) -> None:
    matches: list[FoundTemplate | FoundCaption] = []
    names = ("German baker", "Germans at sea", "Germany by train", "German tea", "Sunday cat")
    for number, name in enumerate(names):
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        origin = Origin("test", name, fetched=moment)
        small = (60, 40) if name == "German tea" else (400, 300)
        matches.append(FoundTemplate(origin, name, _picture(number, *small)))
        for place, text in enumerate((*ENGLISH, GERMAN)):
            key = Origin("test", f"{name}/{place}", fetched=moment)
            matches.append(FoundCaption(key, name, (text, ""), votes=place))
    with Workspace.create(folder, languages=["de", "es"]) as workspace:
        workspace.store.items.add(matches)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_once: Callable[..., Path]) -> Path:
    """A workspace of five templates; each has five English captions and one in German."""
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    made_once(_make, tmp_path / "ws")
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


FEW = ("--per-template", "5", "--templates-per-topic", "3")


def _json(outcome: Outcome, status: int = 0) -> dict:
    assert outcome.status == status, outcome.err
    return json.loads(outcome.out)


def test_filters_judge_once_and_again_only_what_changed(folder, command: Command):
    first = {entry["filter"]: entry for entry in _json(command("filter", "--json"))["filters"]}
    assert {name: entry["judged"] for name, entry in first.items()} == {
        "language": 30,
        "script": 30,
        "mixing": 30,
        "quality": 5,
        "topics": 5,
    }
    assert (first["language"]["keep"], first["language"]["drop"]) == (25, 5)
    assert (first["quality"]["drop"], first["topics"]["drop"]) == (1, 1)
    again = {entry["filter"]: entry for entry in _json(command("filter", "--json"))["filters"]}
    assert all(entry["judged"] == 0 for entry in again.values())
    assert {name: entry["reasons"] for name, entry in again.items()} == {
        name: entry["reasons"] for name, entry in first.items()
    }
    other = _json(command("filter", "language", "--set", "sure=0.95", "--json"))["filters"]
    assert [entry["judged"] for entry in other] == [30]
    german = _json(command("filter", "language", "--lang", "de", "--json"))["filters"][0]
    assert (german["keep"], german["drop"]) == (5, 25)


def test_a_dry_run_stores_nothing(folder, command: Command):
    result = _json(command("filter", "--dry-run", "--json"))
    assert [entry["to_judge"] for entry in result["filters"]] == [30, 30, 30, 5, 5]
    with Workspace.find(folder) as workspace:
        assert workspace.store.curation.verdicts() == {}


def test_the_table_counts_by_reason(folder, command: Command):
    out = command("filter", "language", "quality").out
    assert "language\tdrop\tother language\t5" in out
    assert "quality\tdrop\ttoo small\t1" in out


def test_pictures_without_text_name_ocr_as_the_next_step(folder, command: Command):
    with Workspace.find(folder) as workspace:
        workspace.store.items.add([FoundPicture(Origin("test", "p"), _picture(9), name="p")])
    assert "Next: memeloc ocr, as 1 picture has no text yet" in command("filter", "language").err
    assert "Next: memeloc select" in command("filter", "topics").err


def test_settings_of_the_workspace_are_used(folder, command: Command):
    file = folder / "memeloc.toml"
    text = file.read_text(encoding="utf-8").replace(
        "[curate]", '[curate]\nfilters = ["quality"]\n\n[curate.quality]\nsmallest_side = 10\n'
    )
    file.write_text(text, encoding="utf-8")
    (entry,) = _json(command("filter", "--json"))["filters"]
    assert (entry["filter"], entry["keep"]) == ("quality", 5)


def test_every_verdict_of_an_item_can_be_explained(folder, command: Command):
    command("filter")
    with Workspace.find(folder) as workspace:
        item = next(
            entry for entry in workspace.store.items.find("caption") if entry.parts[0] == GERMAN
        )
    result = _json(command("filter", "--explain", item.id, "--json"))
    verdicts = {entry["filter"]: entry for entry in result["verdicts"]}
    assert verdicts["language"]["reason"] == "other language"
    assert verdicts["language"]["evidence"]["language"] == "de"
    assert "other language" in command("filter", "--explain", item.id).out
    missing = command("filter", "--explain", "nothing")
    assert missing.status == 1
    assert "There is no item 'nothing'" in missing.err


def test_filters_and_their_settings_are_listed(command: Command):
    listed = _json(command("filter", "--list", "--json"))["filters"]
    assert [entry["name"] for entry in listed][:5] == [
        "language",
        "script",
        "mixing",
        "quality",
        "topics",
    ]
    assert listed[0]["settings"]["sure"]["default"] == 0.9
    assert "language.identifier" in command("filter", "--list").out


@pytest.mark.parametrize(
    ("arguments", "status", "answer"),
    [
        (("nonsense",), 1, "There is no filter 'nonsense'"),
        (("language", "--set", "colour=red"), 1, "has no setting 'colour'"),
        (("language", "--set", "sure=2"), 1, "less than or equal to 1"),
        (("language", "topics", "--set", "sure=0.5"), 2, "say whose it is"),
        (("language", "--set", "topics.file=x"), 1, "does not run now"),
        (("language", "--set", "sure"), 1, "--set is KEY=VALUE, not 'sure'"),
        (("topics", "--lang", "de"), 1, "looks at languages"),
        (("topics", "--set", "file=none.toml"), 1, "cannot be read"),
    ],
)
def test_wrong_use_is_reported(folder, command: Command, arguments, status, answer):
    outcome = command("filter", *arguments)
    assert outcome.status == status
    assert answer in " ".join(outcome.err.replace("│", " ").split())


def test_one_filter_that_cannot_go_on_leaves_the_others(folder, command: Command):
    with Workspace.find(folder) as workspace:
        says = [
            Judgement(entry.id, "description", person, "A kitchen.", row=row)
            for row, person in enumerate(("ana", "ben"))
            for entry in workspace.store.items.find("template")
        ]
        workspace.store.curation.add_judgements(
            FileRecord("judgements", "sheet.csv", "0" * 64, 10), says
        )
    outcome = command("filter", "multimodality", "language", "--json")
    assert outcome.status == 1
    failed, done = json.loads(outcome.out)["filters"]
    assert "model" in failed["failure"]
    assert (done["judged"], done["failure"]) == (30, "")


def test_choosing_again_undoes_a_selection(folder, command: Command):
    command("filter")
    result = _json(command("select", *FEW, "--json"))
    stages = {entry["stage"]: entry for entry in result["stages"]}
    assert stages["language"]["reasons"] == {"other language": 5}
    assert stages["quality"]["reasons"] == {"too small": 5}
    assert stages["on a topic"]["reasons"] == {"no topic": 5}
    assert len(result["items"]) == result["new"] == 15
    page = (folder / "funnel.html").read_text(encoding="utf-8")
    assert "15 of 30 captions selected" in page
    assert "German baker" in page
    with Workspace.find(folder) as workspace:
        assert workspace.store.captions.count() == 15
        assert len(list((folder / "templates").iterdir())) == 3

    none = _json(command("select", "--json"))
    assert none["items"] == []
    with Workspace.find(folder) as workspace:
        assert workspace.store.captions.count() == 0
    back = _json(command("select", *FEW, "--json"))
    assert (len(back["items"]), back["new"]) == (15, 0)
    with Workspace.find(folder) as workspace:
        assert workspace.store.captions.count() == 15


def test_a_dry_run_selects_nothing(folder, command: Command):
    command("filter")
    outcome = command("select", *FEW, "--dry-run")
    assert "15 captions would be selected" in outcome.err
    assert "other language 5" in outcome.out
    assert not (folder / "funnel.html").exists()
    with Workspace.find(folder) as workspace:
        assert workspace.store.curation.selection() is None
        assert workspace.store.captions.count() == 0


def test_people_overrule_filters(folder, command: Command):
    command("filter")
    with Workspace.find(folder) as workspace:
        german = [
            entry for entry in workspace.store.items.find("caption") if entry.parts[0] == GERMAN
        ]
        says = [Judgement(german[0].id, "language", "ana", "keep", "a quotation", 2)]
        workspace.store.curation.add_judgements(
            FileRecord("judgements", "sheet.csv", "0" * 64, 1), says
        )
    result = _json(command("select", *FEW, "--json"))
    assert german[0].id in result["items"]
    assert len(result["items"]) == 16
    explained = _json(command("filter", "--explain", german[0].id, "--json"))
    assert [(entry["person"], entry["answer"]) for entry in explained["people"]] == [
        ("ana", "keep")
    ]


def test_captions_whose_template_has_no_picture_are_counted(folder, command: Command):
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with Workspace.find(folder) as workspace:
        name = "German rain"
        found = [FoundTemplate(Origin("test", name, fetched=moment), name)]
        captions = [
            FoundCaption(Origin("test", f"{name}/{place}", fetched=moment), name, (text, ""))
            for place, text in enumerate(ENGLISH)
        ]
        three = ("one", "two", "three")
        baker = "German baker"
        long = FoundCaption(Origin("test", "long", fetched=moment), baker, three)
        workspace.store.items.add([*found, *captions, long])
    dry = _json(command("select", "--no-topics", "--per-template", "1", "--dry-run", "--json"))
    result = _json(command("select", "--no-topics", "--per-template", "1", "--json"))
    assert (dry["stages"], dry["items"]) == (result["stages"], result["items"])
    stages = result["stages"]
    assert stages[0]["reasons"] == {"its template has no picture": 5}
    assert stages[-1]["stage"] == "can be a meme"
    assert stages[-1]["reasons"] == {"more parts than boxes": 1}
    assert stages[0]["in"] - sum(stage["out"] for stage in stages) == len(result["items"]) == 30
    assert "30 of 36 captions selected" in (folder / "funnel.html").read_text(encoding="utf-8")
    assert f"in all\t36\t6\t{30}" in command("select", "--no-topics", "--per-template", "1").out


def test_selection_s_options(folder, command: Command):
    command("filter", "language", "topics")
    result = _json(command("select", *FEW, "--filters", "language,script", "--json", "--dry-run"))
    stages = {entry["stage"]: entry for entry in result["stages"]}
    assert stages["script"]["reasons"] == {"not judged yet": 25}
    free = _json(command("select", "--no-topics", "--per-template", "1", "--json", "--dry-run"))
    assert len(free["items"]) == 25
    best = _json(command("select", *FEW, "--most-per-template", "2", "--json", "--dry-run"))
    assert {entry["stage"] for entry in best["stages"]} >= {"at most 2 captions a template"}
    wrong = command("select", "--filters", "nonsense")
    assert wrong.status == 1
    elsewhere = folder / "elsewhere.html"
    command("select", *FEW, "--dry-run", "--page", elsewhere)
    assert "captions selected" in elsewhere.read_text(encoding="utf-8")


def test_templates_without_a_topic_are_listed_with_the_nearest(folder, command: Command):
    listed = _json(command("keywords", "topics", "--json"))
    assert listed["templates"] == 5
    (row,) = listed["without"]
    assert (row["name"], row["captions"], len(row["nearest"])) == ("Sunday cat", 6, 3)
    assert {"topic", "nearness", "keyword", "captions"} <= set(row["nearest"][0])
    shown = command("keywords", "topics", "--file", "multi3hate")
    assert "Sunday cat" in shown.out
