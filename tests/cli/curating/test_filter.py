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

from memeloc.curate.verdict import Judgement
from memeloc.items import FoundCaption, FoundTemplate, Origin
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


FEW = ("--set", "per_template=5", "--set", "templates_per_topic=3")


def _json(outcome: Outcome, status: int = 0) -> dict:
    assert outcome.status == status, outcome.err
    return json.loads(outcome.out)


def test_settings_of_the_workspace_are_used(folder, command: Command):
    file = folder / "memeloc.toml"
    text = file.read_text(encoding="utf-8").replace(
        "[curate]", '[curate]\nfilters = ["quality"]\n\n[curate.quality]\nsmallest_side = 10\n'
    )
    file.write_text(text, encoding="utf-8")
    (entry,) = _json(command("filter", "--json"))["filters"]
    assert (entry["filter"], entry["keep"]) == ("quality", 5)


@pytest.mark.parametrize(
    ("arguments", "status", "answer"),
    [
        (("nonsense",), 1, "There is no filter 'nonsense'"),
        (("language", "--set", "colour=red"), 1, "has no setting 'colour'"),
        (("language", "--set", "sure=2"), 1, "less than or equal to 1"),
        (("language", "topics", "--set", "sure=0.5"), 2, "say whose it is"),
        (("language", "--set", "topics.file=x"), 1, "does not run now"),
        (("language", "--set", "sure"), 1, "--set is KEY=VALUE, not 'sure'"),
        (("topics", "--langs", "de"), 1, "looks at languages"),
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
    dry = _json(
        command("select", "--set", "topics=false", "--set", "per_template=1", "--dry-run", "--json")
    )
    result = _json(command("select", "--set", "topics=false", "--set", "per_template=1", "--json"))
    assert (dry["stages"], dry["items"]) == (result["stages"], result["items"])
    stages = result["stages"]
    assert stages[0]["reasons"] == {"its template has no picture": 5}
    assert stages[-1]["stage"] == "can be a meme"
    assert stages[-1]["reasons"] == {"more parts than boxes": 1}
    assert stages[0]["in"] - sum(stage["out"] for stage in stages) == len(result["items"]) == 30
    assert "30 of 36 captions selected" in (folder / "funnel.html").read_text(encoding="utf-8")
    assert (
        f"in all\t36\t6\t{30}"
        in command("select", "--set", "topics=false", "--set", "per_template=1").out
    )


def test_selection_s_options(folder, command: Command):
    command("filter", "language", "topics")
    result = _json(command("select", *FEW, "--filters", "language,script", "--json", "--dry-run"))
    stages = {entry["stage"]: entry for entry in result["stages"]}
    assert stages["script"]["reasons"] == {"not judged yet": 25}
    free = _json(
        command("select", "--set", "topics=false", "--set", "per_template=1", "--json", "--dry-run")
    )
    assert len(free["items"]) == 25
    best = _json(command("select", *FEW, "--set", "most_per_template=2", "--json", "--dry-run"))
    assert {entry["stage"] for entry in best["stages"]} >= {"at most 2 captions a template"}
    wrong = command("select", "--filters", "nonsense")
    assert wrong.status == 1
    elsewhere = folder / "elsewhere.html"
    command("select", *FEW, "--dry-run", "--page", elsewhere)
    assert "captions selected" in elsewhere.read_text(encoding="utf-8")
