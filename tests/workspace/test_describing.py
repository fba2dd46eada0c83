"""Statistics of what a workspace has collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin, Year
from memeloc.ocr.transcript import NO_TEXT, Transcript
from memeloc.reports.figures import value_of
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.curate.drawn import as_png, draw_picture


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Three finished memes, one of them not read, and a caption on a template of a topic."""
    with Workspace.create(tmp_path_factory.mktemp("described") / "ws") as workspace:
        pictures = [
            FoundPicture(
                Origin("test", name, dataset=dataset),
                as_png(draw_picture(seed)),
                name,
                parts,
                language="en" if parts else "",
                year=Year(2020 + seed, "dataset"),
                labels={"mood": mood},
                details={"keyword": "office"},
            )
            for seed, (name, dataset, parts, mood) in enumerate(
                [
                    ("tea", "kitchen", ("tea", "again"), "calm"),
                    ("rain", "kitchen", ("no tea",), "sad"),
                    ("fog", "weather", (), "calm"),
                ]
            )
        ]
        sofa = FoundTemplate(Origin("test", "sofa"), "sofa", as_png(draw_picture(9)))
        monday = FoundCaption(Origin("test", "sofa/1"), "sofa", ("monday",), "en")
        workspace.store.items.add([*pictures, sofa, monday])
        ids = {item.name: item.id for item in workspace.store.items.find()}
        topic = {"category": "Home", "topic": "Rest", "keyword": "sofa"}
        verdict = Verdict(ids["sofa"], "topics", "keep", None, "", {"topics": [topic]})
        workspace.store.curation.add_verdicts([verdict])
        workspace.store.transcripts.add(
            [Transcript(ids["fog"], (), "en", "r", 0.0, (NO_TEXT, "only fragments"))]
        )
        yield workspace


def test_memes_are_pictures_and_captions(workspace: Workspace) -> None:
    memes = workspace.curating.memes().set_index("text")
    assert memes.loc["tea // again", ["label", "source", "time"]].tolist() == [
        "calm", "kitchen", "2020",
    ]  # fmt: skip
    assert memes["keyword"].to_dict() == {
        "tea // again": "office", "no tea": "office", "": "office", "monday": "sofa",
    }  # fmt: skip
    assert memes.loc["", "reading"] == "only fragments"
    assert memes.loc["no tea", "format"] == "png"


def test_the_figures_are_of_what_is_known(workspace: Workspace) -> None:
    rows = workspace.curating.analyze().figures
    kinds = {"language", "source", "keyword", "reading", "year"}
    assert kinds <= set(rows.loc[rows["analysis"] == "dataset", "group"])
    assert "dialect" not in set(rows["group"])
    assert value_of(rows, "dataset", "memes") == 4


def test_labels_are_of_the_question_that_is_asked_for(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="question 'harm'"):
        workspace.curating.memes("harm")
    with pytest.raises(InputError, match="Nothing was selected"):
        workspace.curating.memes(selected=True)


def test_an_empty_workspace_is_a_sentence(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "ws") as empty, pytest.raises(InputError, match="nothing was"):
        empty.curating.analyze()


def test_without_a_survey_the_report_is_of_what_was_collected(
    workspace: Workspace, tmp_path: Path, command: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    assert workspace.root is not None
    monkeypatch.chdir(workspace.root)
    done = command("analyze", "--out", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert "<h1>Analysis of a dataset</h1>" in page
    assert "0 answers" not in page
    assert (tmp_path / "report" / "tables" / "caption-lengths.csv").is_file()
