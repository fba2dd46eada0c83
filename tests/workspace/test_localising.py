"""Finished memes whose template is known become captions, which are translated and rendered."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.items import FoundPicture, FoundTemplate, Origin
from memeloc.workspace import Workspace

MEME = "cloud-monday-01"


@pytest.fixture
def finished(
    world: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workspace:
    """A workspace that has one picture collected, rendered elsewhere, and nothing else."""
    (drawn,) = (world("rendered") / "out" / "en").rglob(f"{MEME}*.jpg")
    workspace = Workspace.create(tmp_path / "finished", languages=["de"])
    monkeypatch.chdir(tmp_path / "finished")
    workspace.store.items.add([found(drawn.read_bytes())])
    return workspace


def found(picture: bytes, *parts: str, key: str = "one", language: str = "") -> FoundPicture:
    return FoundPicture(Origin("folder", key), picture, key, parts, language)


def picture_of(workspace: Workspace) -> tuple[str, bytes]:
    """The collected picture's id and bytes."""
    (item,) = workspace.store.items.find("picture")
    assert item.path is not None
    return item.id, item.path.read_bytes()


def match(workspace: Workspace) -> tuple[list[dict[str, str]], list[str]]:
    """The captions table that matching writes, and why others are left out."""
    table = Path("captions.csv")
    result = workspace.curating.match(captions=table, jobs=1)["captions"]
    assert result is not None
    with table.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == result["memes"]
    return rows, [row["why"] for row in result["left_out"]]


@pytest.mark.parametrize(
    ("parts", "language", "why"),
    [
        ((), "", "It has no text"),
        (("one", "two", "three"), "", "3 parts, its template cloud-monday has 2 boxes"),
        (("Wetter am Montag:",), "de", "in de, captions of this workspace in en"),
    ],
)
def test_what_becomes_no_caption_says_why(
    parts: tuple[str, ...], language: str, why: str, finished: Workspace
) -> None:
    with finished as workspace:
        _, picture = picture_of(workspace)
        workspace.store.items.add([found(picture, *parts, language=language)])
        rows, left_out = match(workspace)
    assert rows == []
    assert why in left_out[0]


def test_a_picture_that_was_not_selected_is_left_out(finished: Workspace) -> None:
    with finished as workspace:
        first, picture = picture_of(workspace)
        workspace.store.items.add([found(picture, "me"), found(picture, "you", key="two")])
        assert len(match(workspace)[0]) == 2
        workspace.store.curation.add_selection({}, [], [first], kinds=["picture"])
        assert [row["meme_id"] for row in match(workspace)[0]] == [first]


def test_a_collected_template_is_made_ready_for_the_import(finished: Workspace) -> None:
    with finished as workspace:
        _, picture = picture_of(workspace)
        workspace.store.items.add(
            [
                FoundTemplate(Origin("site", "snow"), "Snow", picture),
                found(picture, "so much", "snow", key="snow"),
            ]
        )
        rows, _ = match(workspace)
        (row,) = rows
        assert workspace.captions.import_table("captions.csv").waiting == {}
        assert row["template"].startswith("snow-")


def test_what_the_source_says_can_be_corrected_as_a_transcript(finished: Workspace) -> None:
    with finished as workspace:
        item, picture = picture_of(workspace)
        workspace.store.items.add([found(picture, "as stated", "in the table", key="two")])
        result = workspace.collecting.read(reader="source")
        assert (result["pictures"], result["readers"]) == (1, {"source in en": 1})
        assert workspace.collecting.read(reader="source")["pictures"] == 0
        assert workspace.collecting.read(reader="source", only="all")["changed"] == 0
        (stated,) = workspace.store.transcripts.all().values()
        assert (stated.parts, stated.stage) == (("as stated", "in the table"), "read")
        assert item not in workspace.store.transcripts.all()
        rows, left_out = match(workspace)
        assert rows[0]["en"] == "as stated // in the table"
        assert len(left_out) == 1
