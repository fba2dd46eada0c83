"""What goes out of a workspace, and what stays behind."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin
from memeloc.model import Caption
from memeloc.publish.metadata import without_metadata
from memeloc.publish.release import Release
from memeloc.workspace import Workspace
from memeloc.workspace.publishing import Scope
from tests.publish.test_checks import picture as picture_with_metadata
from tests.workspace.publishing.published import MEMES, PERSON, fill, with_settings
from tests.workspace.test_survey_collected import picture


def test_pictures_come_by_split_and_again(release: Release) -> None:
    first, again = list(release.pictures()), list(release.pictures())
    assert [each.path for each in first] == [each.path for each in again]
    splits = [each.split for each in first]
    assert splits == sorted(splits, key=["train", "validation", "test"].index)
    templates = {(each.row["template"], each.split) for each in first}
    assert len(templates) == len({each.row["template"] for each in first})


def test_no_id_of_a_person_goes_out(workspace: Workspace, release: Release) -> None:
    stored = {sent.participant for sent in workspace.survey("pilot").submissions}
    texts = [table.frame.to_json() for table in release.tables.values()]
    texts += [json.dumps(release.provenance), *release.texts.values()]
    assert not [text for text in texts if PERSON in text or any(id in text for id in stored)]


def test_annotators_have_other_names_in_other_releases(workspace: Workspace, folder: Path) -> None:
    def names(name: str) -> set[str]:
        release = with_settings(workspace, name=name).publishing.gather(folder / "out")
        return set(release.tables["answers"].frame["annotator"])

    first = names("first")
    assert first == names("first")
    assert first.isdisjoint(names("second"))


def test_demographics_go_out_only_by_permission(
    workspace: Workspace, folder: Path, release: Release
) -> None:
    plain = release.tables["people"]
    assert list(plain.frame.columns) == ["annotator", "culture"]
    allowed = with_settings(workspace, demographics=["gender"], smallest_cell=2)
    people = allowed.publishing.gather(folder / "out").tables["people"].frame
    cells = people[people["gender"] != ""].groupby(["culture", "gender"]).size()
    assert len(cells)
    assert cells.min() >= 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"demographics": ["shoe-size"]}, "shoe-size"),
        ({"surveys": ["census"]}, "census"),
        ({"files": ["../outside"]}, "outside"),
        ({"model_labels": ["nowhere.csv"]}, "nowhere"),
    ],
)
def test_settings_that_name_nothing_are_a_sentence(
    workspace: Workspace, folder: Path, values: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        with_settings(workspace, **values).publishing.gather(folder / "out")


def test_own_files_go_out_but_hidden_ones(workspace: Workspace, folder: Path) -> None:
    graphs = folder / "work" / "graphs"
    graphs.mkdir()
    (graphs / "tea.ttl").write_text("# tea")
    (graphs / ".secret").write_text("key")
    release = with_settings(workspace, files=["graphs"]).publishing.gather(folder / "out")
    assert set(release.files) >= {"files/graphs/tea.ttl"}
    assert not [name for name in release.files if "secret" in name]


def test_dropped_memes_stay_behind(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "work", tmp_path / "work")
    with Workspace.open(tmp_path / "work") as workspace:
        dropped, other = workspace.captions.table()["meme_id"][:2]
        workspace.captions.drop([dropped], "not funny", person="anna")
        workspace.captions.drop([other], "no such word", languages=["de"], person="anna")
        release = workspace.publishing.gather(folder / "out")
        keys = {(each.meme, each.language) for each in release.pictures()}
        assert len(keys) == sum(release.counts.values()) == 3 * MEMES - 4
        assert dropped not in {meme for meme, _ in keys}
        assert (other, "de") not in keys
        assert dropped not in set(release.tables["answers"].frame["meme_id"])
        assert any("answers stay behind" in note for note in release.notes)


def test_pictures_of_earlier_captions_stay_behind(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    with Workspace.create(tmp_path / "work") as workspace:
        for text in ("tea // is ready", "tea // is cold"):
            table.write_text(f"meme_id,template,en\ntea,robot-chef,{text}\n")
            workspace.import_captions(table)
            if text.endswith("ready"):
                workspace.render(tmp_path / "out")
        release = workspace.publishing.gather(tmp_path / "out")
        assert not list(release.pictures())
        assert any("another caption than stands" in note for note in release.notes)


def test_finished_memes_go_out_with_their_terms(tmp_path: Path) -> None:
    origin = Origin("shop", "blue", "https://memes.example/blue", "CC-BY-4.0")
    near = Origin("shop", "blue-again", "https://memes.example/again", "CC-BY-4.0")
    with Workspace.create(tmp_path / "work") as workspace:
        pictures = [
            FoundPicture(origin, picture("blue"), "blue", ("monday",), "en", labels={"fun": "yes"}),
            FoundPicture(near, picture("blue", "GIF"), "blue", ("monday",), "en"),
        ]
        workspace.store.items.add(pictures)
        workspace.surveys.build("shop", "US", collected="shop", size=2, explicit=0, implicit=0)
        fill(workspace.survey("shop"), tmp_path)
        ids = [item.id for item in workspace.store.items.find("picture")]
        release = workspace.publishing.gather()
        published = {each.meme: each for each in release.pictures()}
        assert set(published) == set(ids)
        assert len({each.split for each in published.values()}) == 1
        first = published[ids[0]]
        assert first.row["url"] == "https://memes.example/blue"
        assert first.row["template_licence"] == "CC-BY-4.0"
        assert first.language == "en"
        assert release.tables["collected_labels"].frame["label"].tolist() == ["yes"]


def test_what_a_machine_wrote_is_counted_as_unread(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    table.write_text("meme_id,template,en\ntea,robot-chef,tea // is ready\n")
    with Workspace.create(tmp_path / "work", languages=["de"]) as workspace:
        workspace.import_captions(table)
        workspace.translate(["de"], translator="pseudo")
        release = workspace.publishing.gather()
        assert release.unread == {"de": 1}
        states = release.tables["captions"].frame.set_index("language")["state"].to_dict()
        assert states == {"en": "given", "de": "machine"}
        accepted = with_settings(workspace, captions="accepted").publishing.gather()
        assert [each.language for each in accepted.pictures()] == ["en"]
        assert accepted.unread == {}


def test_models_and_prompts_of_translations_are_named(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    table.write_text("meme_id,template,en\ntea,robot-chef,tea // is ready\n")
    with Workspace.create(tmp_path / "work", languages=["de"]) as workspace:
        workspace.import_captions(table)
        (missing,) = workspace.store.captions.to_translate("de")
        workspace.store.captions.add_translation(
            "tea",
            "de",
            Caption(("Tee", "ist fertig")),
            source_id=missing.source.id,
            translator="openai",
            provenance={"model": "parrot-7b", "prompt": "0123abcd"},
        )
        (made_by,) = workspace.publishing.gather().provenance["translations"]
    assert made_by == {
        "language": "de",
        "translator": "openai",
        "captions": 1,
        "model": "parrot-7b",
        "prompt": "0123abcd",
    }


def test_metadata_of_finished_memes_stays_behind(tmp_path: Path) -> None:
    content = picture_with_metadata("JPEG")
    with Workspace.create(tmp_path / "work") as workspace:
        workspace.store.items.add([FoundPicture(Origin("shop", "a"), content, "a")])
        workspace.surveys.build("shop", "US", collected="shop", size=1, explicit=0, implicit=0)
        fill(workspace.survey("shop"), tmp_path)
        release = workspace.publishing.gather()
        (released,) = release.pictures()
        assert released.content() == without_metadata(content)
        memes = release.tables["memes"].frame
        assert memes["collected_sha256"].tolist() == [hashlib.sha256(content).hexdigest()]
        (linked,) = workspace.publishing.gather(with_pictures=False).pictures()
        assert linked.row["sha256"] == memes["collected_sha256"][0]


def test_a_part_of_a_workspace_is_published(workspace: Workspace, folder: Path) -> None:
    scope = Scope(survey="pilot", languages=("de",))
    release = workspace.publishing.gather(folder / "out", scope=scope)
    assert release.languages == ("de",)
    assert {each.language for each in release.pictures()} == {"de"}
    assert {*release.tables["captions"].frame["language"]} == {"de"}
    with pytest.raises(InputError, match="nothing to publish"):
        workspace.publishing.gather(folder / "out", scope=Scope(selected=True))
    with pytest.raises(InputError, match="census"):
        workspace.publishing.gather(folder / "out", scope=Scope(survey="census"))


def test_only_the_memes_of_a_survey_go_out_with_it(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "work", tmp_path / "work")
    with Workspace.open(tmp_path / "work") as workspace:
        table = tmp_path / "more.csv"
        table.write_text("meme_id,template,en\nother,robot-chef,one // more\n")
        workspace.import_captions(table)
        release = workspace.publishing.gather(folder / "out", scope=Scope(survey="pilot"))
        assert "other" not in set(release.tables["memes"].frame["meme_id"])
        assert len(release.tables["memes"].frame) == MEMES
        whole = workspace.publishing.gather(folder / "out")
        assert "other" in set(whole.tables["memes"].frame["meme_id"])


def test_shares_that_sum_to_more_than_one_are_a_sentence(
    workspace: Workspace, folder: Path
) -> None:
    for splits, is_wrong in (({"train": 0.8, "test": 0.4}, True), ({"a": 0.33, "b": 0.66}, False)):
        with_settings(workspace, splits=splits)
        if is_wrong:
            with pytest.raises(InputError, match=r"sum up to 1\.2, and not to 1"):
                workspace.publishing.gather(folder / "out")
        else:
            workspace.publishing.gather(folder / "out")


def test_labels_outside_the_taxonomy_are_a_sentence(workspace: Workspace, folder: Path) -> None:
    meme = workspace.captions.table()["meme_id"][0]
    (folder / "work" / "models.csv").write_text(
        f"meme_id,model,label\n{meme},parrot,hate\n{meme},parrot,maybe\n"
    )
    release = with_settings(workspace, model_labels=["models.csv"]).publishing.gather(
        folder / "out"
    )
    (note,) = (note for note in release.notes if "taxonomy" in note)
    assert note.startswith("models.csv, row 3: the label 'maybe' is not of the taxonomy")


def test_a_changed_licence_counts_without_rendering_again(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    table.write_text("meme_id,template,en\ntea,blue,tea // is ready\n")
    with Workspace.create(tmp_path / "work") as workspace:
        (tmp_path / "work" / "templates" / "blue").mkdir(parents=True)
        (tmp_path / "work" / "templates" / "blue" / "blue.png").write_bytes(picture("blue"))
        settings = tmp_path / "work" / "templates" / "blue" / "template.toml"
        boxes = '[[box]]\nname = "top"\nx = 0.1\ny = 0.05\nwidth = 0.8\nheight = 0.3\n'
        boxes += boxes.replace("top", "bottom").replace("0.05", "0.6")
        about = 'title = "Blue"\nimage = "blue.png"\nlicence = "CC-BY-4.0"\nsource = "drawn"\n'
        about += boxes
        settings.write_text(about)
        workspace.import_captions(table)
        workspace.render(tmp_path / "out")
    settings.write_text(about.replace("CC-BY-4.0", "CC0-1.0"))
    with Workspace.open(tmp_path / "work") as workspace:
        (released,) = workspace.publishing.gather(tmp_path / "out").pictures()
        assert released.row["template_licence"] == "CC0-1.0"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s3://bucket/set", "fetch it to a disk first"),
        ("release", "is a release that memeloc published, and no rendered set"),
        ("nowhere", "There is no rendered set here"),
    ],
)
def test_what_is_no_rendered_set_is_said_at_once(
    workspace: Workspace, folder: Path, tmp_path: Path, name: str, message: str
) -> None:
    workspace.publishing.publish(tmp_path / "release", rendered=folder / "out")
    rendered = name if ":" in name else tmp_path / name
    with pytest.raises(InputError, match=message):
        workspace.publishing.publish(tmp_path / "new", rendered=rendered)
    with pytest.raises(InputError, match="is a set of pictures that memeloc rendered"):
        workspace.publishing.publish(folder / "out", rendered=folder / "out")
    with pytest.raises(InputError, match="is a release that memeloc published"):
        workspace.render(tmp_path / "release")


def test_pictures_of_which_captions_were_read_stay_behind(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "work") as workspace:
        found = [FoundPicture(Origin("s", name), picture(name), name) for name in ("blue", "red")]
        workspace.store.items.add(found)
        ids = [item.id for item in workspace.store.items.find("picture")]
        workspace.store.curation.add_selection({}, [], ids)
        table = tmp_path / "captions.csv"  # as `memeloc match --captions` writes it
        table.write_text(f"meme_id,template,en\n{ids[0]},robot-chef,tea // is ready\n")
        workspace.import_captions(table)
        release = workspace.publishing.gather()
        rows = {each.meme: each.row["template"] for each in release.pictures()}
        assert rows[ids[0]] == "robot-chef"
        assert any("captions that were read in them go out" in note for note in release.notes)
