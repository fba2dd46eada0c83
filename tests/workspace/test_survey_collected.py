"""Surveys of finished memes: the same pictures for all, and one that changes is noticed."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import MEME, FoundPicture, Origin
from memeloc.studio.serving import serve_survey
from memeloc.studio.sheets import Pictures
from memeloc.workspace import Workspace
from memeloc.workspace.publishing import Scope
from tests.cli.survey.test_survey import folder, rendered, saved, write
from tests.conftest import Outcome
from tests.workspace.teams import team_table

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]


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
        assert (built["memes"], built["sheets"]) == (2, 2)
        assert any("browsers do not show" in remark for remark in built["remarks"])
        (sheet, _) = workspace.survey("harm").sheets.export("csv", contact="lab")["files"]
    table = sheet.read_text(encoding="utf-8-sig")
    assert "monday // again" in table
    stored = {path.read_bytes() for path in (sheet.parent / "pictures").rglob("*.png")}
    assert {picture("blue"), picture("red")} <= stored


def test_a_server_shows_finished_memes(folder: Path, collected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        with pytest.raises(InputError, match="no setting 'sizes'; did you mean 'size'"):
            workspace.surveys.build("harm", "US", sizes=4)
        workspace.surveys.build("harm", "US", collected="harmeme", order="drawn")
        server = serve_survey(workspace.survey("harm"), contact="lab")
        assert server.to_send.order == "drawn"
        shown = {path.read_bytes() for path in Pictures(server).names}
    assert {picture("blue"), picture("red")} <= shown


def test_what_a_filter_dropped_is_left_out(folder: Path, collected: dict[str, str]) -> None:
    dropped = Verdict(collected["red"], "quality", "drop", reason="blurred")
    with Workspace.find() as workspace:
        workspace.store.curation.add_verdicts([dropped])
        built = workspace.surveys.build("harm", "US", collected="harmeme")
        assert built["batches"][0]["memes"] == (collected["blue"],)
        assert "1 finished memes are left out, as filters dropped them." in built["remarks"]


def test_a_picture_that_is_gone_is_a_sentence(folder: Path, collected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US", collected="harmeme")
        for item in workspace.store.items.find("picture"):
            assert item.path is not None
            item.path.unlink()
        with pytest.raises(InputError, match="cannot be read"):
            workspace.survey("harm").sheets.export("csv", contact="lab")


# What was selected


@pytest.fixture
def selected(folder: Path, collected: dict[str, str]) -> dict[str, str]:
    """The finished memes, of which the blue one and the green one were selected."""
    with Workspace.find() as workspace:
        chosen = [collected["blue"], collected["green"]]
        workspace.store.curation.add_selection({}, [], chosen, kinds=["picture"])
    return collected


def test_selected_memes_are_the_same_in_two_cultures(selected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        built = workspace.surveys.build("harm", "US,DE", collected="selected")
        assert set(built["batches"][0]["memes"]) == {selected["blue"], selected["green"]}
        survey = workspace.survey("harm")
        (of_us, of_de) = survey.sheets.export("csv", contact="lab")["files"]
    assert [picture_names(table) for table in (of_us, of_de)] == [picture_names(of_us)] * 2
    assert survey.pictures[selected["blue"]] == hashlib.sha256(picture("blue")).hexdigest()


def picture_names(table: Path) -> list[bytes]:
    """The pictures of the sheet that a table is of, sorted."""
    return sorted(path.read_bytes() for path in (table.parent / "pictures").rglob("*.png"))


def test_a_recipe_asks_about_what_was_selected(folder: Path, selected: dict[str, str]) -> None:
    team = team_table(folder, {"native": 3})
    with Workspace.find() as workspace:
        built = workspace.surveys.build("ara", "US", recipe="araharmeme", people=team)
        assert set(built["batches"][0]["memes"]) == {selected["blue"], selected["green"]}
        built = workspace.surveys.build(
            "own", "US", recipe="araharmeme", people=team, collected="none"
        )
        assert set(built["batches"][0]["memes"]) == set(workspace.store.captions.templates())


def test_labels_and_agreement_of_selected_memes(folder: Path, selected: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US,DE", collected="selected", answers=3)
        survey = workspace.survey("harm")
        answers = [
            saved(sheet, f"{sheet.culture.code}-{n}", "hate")
            for sheet in survey.all_sheets
            for n in range(3)
        ]
        survey.answers.import_files([write(folder / "back.json", answers)])
        assert len(survey.answers.check().retained) == 6
        result = survey.labels.settle()
        assert {row["picture"] for row in result.labels} == set(survey.pictures.values())
        assert list(result.table["picture"]) == [survey.pictures[id] for id in result.table["item"]]
        assert {part.measures["items"] for part in survey.status()["agreement"]} == {2}


def test_corrected_texts_become_the_transcripts(folder: Path, selected: dict[str, str]) -> None:
    (folder / "items.csv").write_text(
        f"meme_id,readable,ocr-text\n{selected['blue']},,mondey\n{selected['green']},,left\n",
        encoding="utf-8",
    )
    with Workspace.find() as workspace:
        workspace.surveys.build(
            "ara", "US", recipe="araharmeme", people=team_table(folder, {"native": 3}),
            items=folder / "items.csv",
        )  # fmt: skip
        survey = workspace.survey("ara")
        answers = []
        for number, text in enumerate(("monday // again", "monday //  again", "munday")):
            for sheet in survey.all_sheets:
                page = saved(sheet, f"native-{number + 1}@team.example", "genuine")
                for answer in page["answers"]:
                    answer["further"] = {"readable": ["text"], "ocr-text": [text]}
                answers.append(page)
        survey.answers.import_files([write(folder / "back.json", answers)])
        survey.answers.check()
        assert survey.labels.settle().texts == 2
        assert survey.labels.settle().texts == 0
        texts = workspace.store.transcripts.all()
        assert texts[selected["blue"]].parts == ("monday", "again")
        assert (texts[selected["blue"]].stage, texts[selected["blue"]].person) == (
            "settled",
            "survey ara",
        )


# A picture that changes


def test_a_picture_that_changed_is_named_and_not_shown(
    command: Run, selected: dict[str, str]
) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("harm", "US", collected="selected")
        survey = workspace.survey("harm")
        assert survey.sheets.export("csv", contact="lab")["changed"] == ()
        blue = FoundPicture(Origin("harmeme", "blue"), picture("navy"), "blue", ("tuesday",))
        workspace.store.items.add([blue])
        result = survey.sheets.export("csv", contact="lab")
        assert result["changed"] == (selected["blue"],)
        assert survey.status()["changed"] == (selected["blue"],)
    (sheet,) = result["files"]
    assert picture("blue") in picture_names(sheet)
    table = sheet.read_text(encoding="utf-8-sig")
    assert "monday // again" in table
    assert "tuesday" not in table
    done = command("survey", "status", "harm")
    assert f"The picture of {selected['blue']} has changed since" in done.out + done.err


# Versions of one meme in several languages


VERSIONS = {"en/a": "blue", "de/a": "navy", "en/b": "red", "de/b": "maroon", "en/c": "grey"}


@pytest.fixture
def parallel(folder: Path) -> dict[str, str]:
    """Two finished memes in English and German, and a third in English alone; ids by key."""
    pictures = [
        FoundPicture(
            Origin("multi3hate", key),
            picture(colour),
            key[3:],
            (key,),
            language=key[:2],
            details={MEME: key[3:]},
        )
        for key, colour in VERSIONS.items()
    ]
    with Workspace.find() as workspace:
        workspace.store.items.add(pictures)
        return {item.origin.key: item.id for item in workspace.store.items.find("picture")}


def test_each_culture_sees_a_meme_in_its_language(folder: Path, parallel: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        built = workspace.surveys.build(
            "both", "US,DE", collected="multi3hate", implicit=0, explicit=0
        )
        # The third has one version, which everybody sees.
        assert (built["memes"], built["sheets"]) == (3, 2)
        assert any("People of DE see texts in en" in remark for remark in built["remarks"])
        survey = workspace.survey("both")
        english, german = survey.sheets.export("csv", contact="lab")["files"]
    expected = {"en/a": "blue", "en/b": "red", "en/c": "grey"}
    assert shown(english) == {text: picture(each) for text, each in expected.items()}
    expected = {"de/a": "navy", "de/b": "maroon", "en/c": "grey"}
    assert shown(german) == {text: picture(each) for text, each in expected.items()}


def shown(table: Path) -> dict[str, bytes]:
    """Return the pictures of a sheet by the captions beside them."""
    with table.open(encoding="utf-8-sig", newline="") as stream:
        return {
            row["text"]: (table.parent / row["picture"]).read_bytes()
            for row in csv.DictReader(stream)
            if row["picture"] and row["text"]
        }


def test_labels_of_versions_are_of_one_meme(folder: Path, parallel: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("both", "US,DE", collected="multi3hate", answers=1)
        survey = workspace.survey("both")
        pages = [saved(sheet, sheet.culture.code, "hate") for sheet in survey.all_sheets]
        survey.answers.import_files([write(folder / "back.json", pages)])
        labels = survey.labels.settle().labels
        by_meme: dict[str, set[str]] = {}
        for row in labels:
            by_meme.setdefault(row["item"], set()).add(row["picture"])
        assert sorted(len(pictures) for pictures in by_meme.values()) == [1, 2, 2]
        cells = f"meme_id,model,label\n{parallel['de/a']},parrot-1,hate\n"
        (folder / "models.csv").write_text(cells, encoding="utf-8")
        analysed = survey.analysis.analysed_answers(models=folder / "models.csv")
        (meme,) = (each for each in by_meme if each.startswith("a-"))
        assert analysed.models.to_numpy().tolist() == [[meme, "DE", "parrot-1", "hate"]]
        assert set(analysed.table.groupby("item")["culture"].nunique()) == {2}
        of_items = analysed.versions.set_index(["item", "culture"])["text"]
        assert sorted(of_items[meme, "DE"] for meme in by_meme) == ["de/a", "de/b", "en/c"]
        items = {item.id for item in workspace.store.items.find("picture")}
        assert len(set(by_meme) - items) == 2
        release = workspace.publishing.publish("release", "csv", scope=Scope(survey="both"))
        assert release["pictures"] == {"de": 2, "en": 3}
        assert (release["tables"]["memes"], release["tables"]["labels"]) == (3, 6)


def test_a_meme_without_a_version_is_left_out(folder: Path, parallel: dict[str, str]) -> None:
    with Workspace.find() as workspace:
        built = workspace.surveys.build("all", "US,DE,MX=es", collected="multi3hate")
        assert built["memes"] == 1
        assert any("2 finished memes are left out" in remark for remark in built["remarks"])
        # Whoever names items means these very pictures.
        memes = [parallel["en/a"], parallel["de/a"]]
        built = workspace.surveys.build("few", "US", collected="multi3hate", memes=memes)
        assert set(built["batches"][0]["memes"]) == set(memes)
