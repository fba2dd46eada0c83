"""`memeloc select` for finished memes: the same figures on the screen, in JSON and on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.curate.verdict import Verdict
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin, Refusal
from memeloc.workspace import Workspace
from tests.curate.drawn import as_png, draw_picture


def _make(folder: Path) -> None:
    names = ("tea", "rain", "desk", "cat", "bread", "bus")
    with Workspace.create(folder) as workspace:
        store = workspace.store
        store.items.add(
            [
                FoundPicture(Origin("test", name), as_png(draw_picture(seed)), name, (f"{name}!",))
                for seed, name in enumerate(names)
            ]
        )
        store.items.add_refusals([Refusal("test", "x.png", "not a picture", "It is a text.")])
        ids = {item.name: item.id for item in store.items.find("picture")}
        outcomes = [
            ("rain", "dedup", "drop", "same file", {"stage": "bytes", "kept": ids["tea"]}),
            ("desk", "quality", "drop", "cartoon", {}),
            ("cat", "quality", "ask", "unreadable text", {}),
        ]
        judged = {(name, filter_) for name, filter_, *_ in outcomes}
        outcomes += [
            (name, filter_, "keep", "", {})
            for name in names
            for filter_ in ("dedup", "quality")
            if (name, filter_) not in judged
        ]
        store.curation.add_verdicts(
            [
                Verdict(ids[name], filter_, outcome, None, reason, evidence)
                for name, filter_, outcome, reason, evidence in outcomes
            ]
        )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_once: Callable[..., Path]) -> Path:
    """Six finished memes: a duplicate, a cartoon, one to ask about, three that stay."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    made_once(_make, tmp_path / "ws")
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


def test_the_figures_are_the_same_everywhere(folder, command) -> None:
    result = json.loads(command("select", "--json").out)
    stages = {stage["stage"]: stage for stage in result["stages"]}
    assert {stage["kind"] for stage in result["stages"]} == {"picture"}
    assert stages["duplicates: same file"]["reasons"] == {"same file": 1}
    assert stages["quality"]["reasons"] == {"asked: unreadable text": 1, "cartoon": 1}
    assert result["selected"] == {"picture": 3}
    assert result["refused"] == {"not a picture": 1}
    assert result["new"] == 0
    shown = command("select")
    rows = [line.split("\t") for line in shown.out.splitlines()]
    on_screen = {row[0]: row[1:4] for row in rows if len(row) > 3}
    page = (folder / "funnel.html").read_text(encoding="utf-8")
    assert "3 of 6 finished memes selected" in page
    for name, stage in stages.items():
        figures = [str(stage[key]) for key in ("in", "out", "left")]
        assert on_screen[name] == figures
        cells = "".join(rf"<td class=number>{figure}</td>\s*" for figure in figures)
        assert re.search(rf"<bdi>{name}</bdi></td>\s*{cells}", page)
    assert on_screen["in all"] == ["6", "3", "3"]
    assert "not a picture 1" in shown.err
    assert "3 finished memes selected" in shown.err


def test_selected_pictures_are_stored(folder, command) -> None:
    with Workspace.find(folder) as workspace:
        assert workspace.store.curation.selection() is None
    command("select", "--dry-run")
    with Workspace.find(folder) as workspace:
        assert workspace.store.curation.selection() is None
    result = json.loads(command("select", "--set", "asked=keep", "--json").out)
    with Workspace.find(folder) as workspace:
        chosen = workspace.store.curation.selection().pictures
        names = {item.id: item.name for item in workspace.store.items.find("picture")}
    assert [names[item] for item in chosen] == ["tea", "cat", "bread", "bus"]
    assert list(chosen) == result["items"]


def test_selecting_one_kind_leaves_the_other_as_it_is(folder, command) -> None:
    with Workspace.find(folder) as workspace:
        workspace.store.items.add(
            [
                FoundTemplate(Origin("test", "sofa"), "sofa", as_png(draw_picture(9))),
                FoundCaption(Origin("test", "sofa/1"), "sofa", ("monday", "again")),
            ]
        )
    free = ("--set", "topics=false", "--set", "per_template=1", "--filters", "dedup")
    both = json.loads(command("select", *free, "--json").out)
    assert both["selected"] == {"caption": 1, "picture": 5}
    again = json.loads(command("select", "--kind", "picture", "--json").out)
    assert again["selected"] == {"picture": 3}
    with Workspace.find(folder) as workspace:
        selection = workspace.store.curation.selection()
        assert (len(selection.items), len(selection.pictures)) == (4, 3)
        assert {stage["kind"] for stage in selection.funnel} == {"caption", "picture"}
        assert workspace.store.captions.count() == 1
    command("select", "--kind", "caption", *free)
    with Workspace.find(folder) as workspace:
        assert len(workspace.store.curation.selection().pictures) == 3
