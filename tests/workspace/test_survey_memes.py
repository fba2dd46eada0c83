"""What a survey is made of: batches that a team gives, and finished memes that were collected."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin
from memeloc.workspace import Workspace
from tests.cli.test_survey import folder, rendered, saved, sheets_of, write
from tests.conftest import Outcome

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]


def memes() -> list[str]:
    with Workspace.find() as workspace:
        return list(workspace.store.captions.templates())


def batches(folder: Path, *rows: str, heading: str = "batch,meme_id") -> Path:
    path = folder / "batches.csv"
    path.write_text("\n".join((heading, *rows)) + "\n", encoding="utf-8")
    return path


# Given batches


def test_given_batches_are_the_sheets(folder: Path) -> None:
    first, second, third = memes()[:3]
    table = batches(folder, f"a,{second}", f"b,{third}", f"a,{first}")
    with Workspace.find() as workspace:
        built = workspace.surveys.build("fixed", "US,DE", batches=table)
        assert [(batch.id, batch.memes) for batch in built.batches] == [
            ("r1-a", (second, first)),
            ("r1-b", (third,)),
        ]
        assert workspace.surveys.build("fixed", "US,DE", batches=table).new == 0
        assert len(workspace.survey("fixed").export("csv", contact="lab").files) == 4
    assert [sheet.id for sheet in sheets_of("fixed")] == [
        "r1-a-US", "r1-a-DE", "r1-b-US", "r1-b-DE",
    ]  # fmt: skip


def test_another_table_is_another_survey(folder: Path) -> None:
    first, second = memes()[:2]
    with Workspace.find() as workspace:
        table = batches(folder, f"a,{first}", f"a,{second}")
        workspace.surveys.build("fixed", "US", batches=table)
        table = batches(folder, f"a,{first}", f"b,{second}")
        with pytest.raises(InputError, match="other settings"):
            workspace.surveys.build("fixed", "US", batches=table)


def test_an_unknown_meme_of_a_table_has_its_row(folder: Path) -> None:
    table = batches(folder, f"a,{memes()[0]}", "a,nobody-knows-it")
    with Workspace.find() as workspace, pytest.raises(InputError, match="nobody-knows") as caught:
        workspace.surveys.build("fixed", "US", batches=table)
    assert (caught.value.row, caught.value.column) == (3, "meme_id")


def test_a_given_meme_needs_captions_in_its_own_cultures(folder: Path) -> None:
    lonely = "lonely"
    captions = folder / "more.csv"
    captions.write_text(f"meme_id,template,en\n{lonely},cloud-monday,a // b\n", encoding="utf-8")
    rows = [f"a,{memes()[0]},", f"b,{lonely},US"]
    with Workspace.find() as workspace:
        workspace.import_captions(captions)
        table = batches(folder, *rows, heading="batch,meme_id,culture")
        assert workspace.surveys.build("fixed", "US,DE", batches=table).memes == 2
        table = batches(folder, f"b,{lonely},DE", heading="batch,meme_id,culture")
        with pytest.raises(InputError, match="no caption in de") as caught:
            workspace.surveys.build("other", "US,DE", batches=table)
    assert caught.value.row == 2


def test_given_batches_go_without_other_choices(folder: Path, command: Run) -> None:
    table = batches(folder, f"a,{memes()[0]}")
    build = ("survey", "build", "fixed", "--cultures", "US", "--batches", table)
    assert "leave out --memes" in command(*build, "--preannotate").err
    done = command(*build, "--json")
    assert json.loads(done.out)["batches"][0]["id"] == "r1-a", done.err


# Finished memes


def picture(colour: str, kind: str = "PNG") -> bytes:
    stream = BytesIO()
    Image.new("RGB", (64, 48), colour).save(stream, kind)
    return stream.getvalue()


@pytest.fixture
def collected(folder: Path) -> dict[str, str]:
    """Three finished memes of a source and one of another; ids by key."""
    pictures = [
        FoundPicture(Origin("harmeme", "blue"), picture("blue"), "blue", ("monday", "again")),
        FoundPicture(Origin("harmeme", "red"), picture("red"), "red"),
        FoundPicture(Origin("harmeme", "old"), picture("grey", "BMP"), "old"),
        FoundPicture(Origin("folder", "green"), picture("green"), "green"),
    ]
    with Workspace.find() as workspace:
        workspace.store.items.add(pictures)
        return {item.origin.key: item.id for item in workspace.store.items.find("picture")}


def test_finished_memes_go_out_as_they_are(folder: Path, collected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        built = workspace.surveys.build("harm", "US,DE", collected="harmeme")
        assert (built.memes, built.sheets) == (2, 2)
        assert any("browsers do not show" in remark for remark in built.remarks)
        (sheet, _) = workspace.survey("harm").export("csv", contact="lab").files
    table = sheet.read_text(encoding="utf-8-sig")
    assert "monday // again" in table
    stored = {path.read_bytes() for path in (sheet.parent / "pictures").rglob("*.png")}
    assert {picture("blue"), picture("red")} <= stored


OPTIONS = {
    "html": {"codes": False},
    "google-forms": {"pictures_base": "https://host.example/p"},
}


@pytest.mark.parametrize("target", ["html", "label-studio", "potato", "qsf", "google-forms"])
def test_every_target_takes_finished_memes(
    target: str, folder: Path, collected: dict[str, str]
) -> None:
    options = OPTIONS.get(target, {})
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US", collected="harmeme")
        assert workspace.survey("harm").export(target, contact="lab", options=options).files


def test_answers_to_finished_memes_settle(folder: Path, collected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US", collected="harmeme")
        survey = workspace.survey("harm")
        answers = [saved(sheet, str(n), "hate") for sheet in survey.sheets for n in range(3)]
        survey.import_files([write(folder / "back.json", answers)])
        labels = survey.settle({"answers": 3}).table
    assert set(labels["item"]) == {collected["blue"], collected["red"]}
    assert set(labels["label"]) == {"hate"}


def test_what_a_filter_dropped_is_left_out(folder: Path, collected: dict[str, str]) -> None:
    dropped = Verdict(collected["red"], "quality", "drop", reason="blurred")
    with Workspace.find() as workspace:
        workspace.store.curation.add_verdicts([dropped])
        built = workspace.surveys.build("harm", "US", collected="harmeme")
        assert built.batches[0].memes == (collected["blue"],)
        assert "1 finished memes are left out, as filters dropped them." in built.remarks


def test_finished_memes_can_stand_in_given_batches(folder: Path, collected: dict[str, str]) -> None:
    table = batches(folder, f"a,{collected['red']}", f"b,{collected['blue']}")
    with Workspace.find() as workspace:
        built = workspace.surveys.build("harm", "US", collected="harmeme", batches=table)
        assert [batch.memes for batch in built.batches] == [
            (collected["red"],),
            (collected["blue"],),
        ]
        table = batches(folder, f"a,{collected['green']}")
        with pytest.raises(InputError, match="collected from harmeme has no meme"):
            workspace.surveys.build("other", "US", collected="harmeme", batches=table)


def test_a_source_without_finished_memes_is_a_sentence(
    folder: Path, collected: dict[str, str]
) -> None:
    with Workspace.find() as workspace, pytest.raises(InputError, match="of harmeme, folder"):
        workspace.surveys.build("harm", "US", collected="imgflip")


def test_a_picture_that_is_gone_is_a_sentence(folder: Path, collected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US", collected="harmeme")
        for item in workspace.store.items.find("picture"):
            assert item.path is not None
            item.path.unlink()
        with pytest.raises(InputError, match="cannot be read"):
            workspace.survey("harm").export("csv", contact="lab")
