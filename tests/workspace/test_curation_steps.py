"""`memeloc status` names what comes next, from collected pictures to the export of the selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.curate.verdict import Judgement, Verdict
from memeloc.items import FoundPicture, Origin
from memeloc.ocr.transcript import Transcript
from memeloc.store.records import FileRecord
from memeloc.workspace import Workspace
from tests.curate.drawn import as_png, draw_picture


def _make(folder: Path) -> None:
    with Workspace.create(folder) as workspace:
        workspace.store.items.add(
            [
                FoundPicture(Origin("test", name), as_png(draw_picture(seed)), name)
                for seed, name in enumerate(("tea", "rain", "cat"))
            ]
        )


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_once):
    """Three finished memes whose text nobody has read."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    with Workspace.open(made_once(_make, tmp_path / "ws")) as workspace:
        yield workspace


def _ids(workspace: Workspace) -> list[str]:
    return [item.id for item in workspace.store.items.find("picture")]


def _judge(workspace: Workspace, name: str, outcome="keep", reason="", **evidence) -> None:
    workspace.store.curation.add_verdicts(
        [Verdict(item, name, outcome, None, reason, evidence) for item in _ids(workspace)]
    )


def _answer(workspace: Workspace, question: str, answer: str, subject: str = "") -> None:
    subjects = [subject] if subject else _ids(workspace)
    answers = [Judgement(each, question, "ana", answer, row=n) for n, each in enumerate(subjects)]
    record = FileRecord("judgements", "a.csv", f"{question}{answer}".ljust(64, "0"), len(answers))
    workspace.store.curation.add_judgements(record, answers)


def _next(workspace: Workspace) -> str:
    return workspace.status()["next"].partition("  #")[0]


def _path(workspace: Workspace) -> dict[str, str]:
    return {step.stage: step.next for step in workspace.status()["path"] if step.next}


def test_captions_of_ones_own_are_selected_before_they_are_memes(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    rows = (f"own-{n},cloud-monday,one {n}\n" for n in range(3))
    table.write_text("meme_id,template,en\n" + "".join(rows), encoding="utf-8")
    with Workspace.create(tmp_path / "ws", languages=["de"]) as workspace:
        workspace.collecting.collect("captions", {"path": table})
        assert _path(workspace)["select"] == "memeloc select --take N"
        with pytest.warns(UserWarning, match="memeloc select makes memes"):
            record = workspace.import_captions(table)
        assert (record.memes, record.problems["not selected"]) == (0, 3)
        workspace.curating.select({})
        record = workspace.import_captions(table)
        assert (record.problems, record.unchanged) == ({}, 3)


def test_who_selects_without_duplicates_does_not_want_them(workspace) -> None:
    _judge(workspace, "quality")
    assert _path(workspace)["filter"] == "memeloc dedup"
    workspace.curating.select({})
    assert "filter" not in _path(workspace)


def test_a_selection_that_verdicts_have_overtaken(workspace) -> None:
    workspace.store.transcripts.add(
        [Transcript(item, ("so much tea",), "en", "reader", 0.9) for item in _ids(workspace)]
    )
    for name in ("dedup", "quality"):
        _judge(workspace, name)
    workspace.curating.select({})
    assert "select" not in _path(workspace)
    assert _next(workspace).startswith("memeloc correct export --kind transcript")
    _judge(workspace, "quality", "drop", "cartoon")
    assert _next(workspace) == "memeloc select"
    workspace.curating.select({})
    assert workspace.status()["next"] == (
        "memeloc export items --to items.csv"
        "  # nothing passes: 3 of 3 go out at the stage 'quality', as 'cartoon'"
    )


def test_pictures_that_nobody_read_are_read_before_people_are_asked(workspace) -> None:
    tea, *others = _ids(workspace)
    _judge(workspace, "dedup")
    pair = {"stage": "hash", "kept": others[0], "question": "duplicates"}
    doubt = Verdict(tea, "dedup", "ask", None, "perhaps a duplicate", pair)
    workspace.store.curation.add_verdicts([doubt])
    _judge(workspace, "quality", "ask", "not read yet")
    workspace.curating.select({})
    assert _path(workspace)["select"] == "memeloc ocr"


def test_what_came_later_is_named(workspace) -> None:
    for name in ("dedup", "quality"):
        _judge(workspace, name)
    workspace.curating.select({}, recipe="araharmeme")
    more = FoundPicture(Origin("test", "bus"), as_png(draw_picture(7)), "bus", ("late",))
    workspace.store.items.add([more])
    assert _next(workspace) == "memeloc ocr"
    assert _path(workspace)["filter"] == "memeloc dedup --recipe araharmeme"


@pytest.mark.parametrize(
    ("name", "reason", "question"),
    [
        ("quality", "blurred", "quality"),
        ("quality", "no text", "no-text"),
        ("quality", "unreadable text", "unreadable"),
        ("cartoon", "nobody looked", "cartoon"),
        ("language", "unsure language", "language"),
        ("script", "mixed script", "script"),
    ],
)
def test_each_doubt_has_its_question(workspace, name, reason, question) -> None:
    _judge(workspace, "dedup")
    _judge(workspace, name, "ask", reason)
    _, step = (step for step in workspace.status()["path"] if step.stage in ("collect", "filter"))
    assert str(step) == f"memeloc review export {question} --person NAME  # 3 to ask"
    assert (step.done, step.open) == (0, 3)


def test_what_goes_out_anyway_is_not_asked_about(workspace) -> None:
    for name in ("dedup", "quality"):
        _judge(workspace, name)
    _judge(workspace, "language", "drop", "other language")
    _judge(workspace, "script", "ask", "mixed script")
    workspace.curating.select({})
    assert "filter" not in _path(workspace)


def test_people_s_keep_settles_it(workspace) -> None:
    _judge(workspace, "dedup")
    _judge(workspace, "script", "ask", "mixed script")
    _answer(workspace, "script", "keep")
    assert _path(workspace) == {"collect": "memeloc ocr", "select": "memeloc select"}
