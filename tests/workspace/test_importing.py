"""Published datasets, imported into new workspaces: row by row the same, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.publish.folder import RELEASE
from memeloc.publish.publishing import publish
from memeloc.publish.release import Release, ReleaseSettings
from memeloc.workspace import Workspace
from tests.collect.datasets_on_disk import OTHER, PICTURE, put
from tests.workspace.teams import workspace_of

PEOPLE = [f"kitty-{number:04}" for number in range(3)]
ABOUT = ReleaseSettings(name="tea", title="Tea", licence="CC-BY-4.0", authors=("Lee, Ann",))
LAYOUTS: list[tuple[str, dict[str, Any]]] = [
    ("hf", {}),
    ("hf", {"pictures": "folder"}),
    ("csv", {}),
    ("webdataset", {}),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Four memes in two languages, two finished memes, and a survey that three people answered."""
    folder = tmp_path_factory.mktemp("workspace")
    workspace = workspace_of(folder, ["de"], memes=4)
    workspace.surveys.build("pilot", "US", size=4, answers=3, explicit=0, implicit=0)
    survey = workspace.survey("pilot")
    workspace.rendering.render(folder / "out", max_side=96)
    sheets = survey.sheets.export(
        "csv", pictures=folder / "out", contact="lab@university.example", out=folder / "sheets"
    )["files"]
    for sheet in sheets:
        table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
        chosen = table["choose from"].str.split(" | ", regex=False).str[0]
        for person in PEOPLE:
            filled = table.assign(participant=person, answer=chosen)
            filled.to_csv(folder / f"{sheet.stem}-{person}.csv", index=False)
    survey.answers.import_files(sorted(folder.glob("*-kitty-*.csv")))
    put(folder / "found/a.png", PICTURE)
    put(folder / "found/b.jpg", OTHER)
    put(
        folder / "found/memes.csv",
        'id,image,text,language\n7,a.png,"=tea, ""now"" // \'we\' drink",en\n8,b.jpg,,de\n',
    )
    workspace.collecting.collect("table", {"path": folder / "found/memes.csv"})
    workspace.curating.select({"kind": "picture"})
    workspace.settings = workspace.settings.model_copy(update={"release": ABOUT})
    return workspace.publishing.gather(folder / "out")


Imported = tuple[Path, Workspace, dict[str, Any]]


@pytest.fixture(scope="module", params=LAYOUTS, ids=lambda each: "-".join([each[0], *each[1]]))
def imported(
    request: pytest.FixtureRequest, release: Release, tmp_path_factory: pytest.TempPathFactory
) -> Imported:
    layout, options = request.param
    folder = tmp_path_factory.mktemp("published") / "tea"
    publish(release, folder, layout, options=options)
    workspace = Workspace.create(folder.parent / "new")
    return folder, workspace, workspace.publishing.import_folder(folder)


def _without_nothing(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is known: a text of no letters is as good as none, for CSV has no other."""
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def test_every_picture_comes_back_with_its_row(imported: Imported, release: Release) -> None:
    _, workspace, _ = imported
    templates = {item.id: item.name for item in workspace.store.items.find("template")}
    items = {item.origin.key: item for item in workspace.store.items.find("picture")}
    pictures = {picture.path: picture for picture in release.pictures()}
    assert len(pictures) == 10
    assert items.keys() == pictures.keys()
    for path, picture in pictures.items():
        item = items[path]
        assert item.path is not None
        assert item.path.read_bytes() == picture.content()
        known = {
            **{name: item.details.get(name) for name in picture.values},
            "text": " // ".join(item.parts),
            "language": item.language,
            "template": templates.get(item.parent),
            "path": path,
        }
        assert _without_nothing(known) == _without_nothing(picture.values)


def test_captions_come_back_as_captions(imported: Imported, release: Release) -> None:
    _, workspace, result = imported
    frame = release.tables["captions"].frame
    frame = frame[frame["stage"] != "collected"]
    wide = frame.pivot(index="meme_id", columns="language", values="text")
    there = workspace.table("captions").set_index("meme_id")
    assert there[["en"]].to_dict() == wide[["en"]].to_dict()
    assert there["de"].to_dict() == wide["de"].to_dict()
    assert (result["memes"], result["captions"]) == (4, {"en": 4, "de": 4})


def _texts(frame: pd.DataFrame) -> list[list[str]]:
    """The cells as CSV has them."""
    plain = frame.astype(object).where(frame.notna(), "")
    return [[str(value) for value in row] for row in plain.values.tolist()]


def test_every_table_comes_along_row_by_row(imported: Imported, release: Release) -> None:
    _, _, result = imported
    assert result["kept"] is not None
    assert set(result["tables"]) == set(release.tables)
    assert {"answers", "labels", "people", "memes", "captions"} <= set(result["tables"])
    for name, table in release.tables.items():
        (path,) = result["kept"].glob(f"tables/{name}.*")
        if path.suffix == ".parquet":
            read = pd.read_parquet(path)
        else:
            from memeloc.tables import read_table

            whole = read_table(path)
            read = pd.DataFrame([row.cells for row in whole.rows], columns=whole.columns)
        assert list(read.columns) == list(table.frame.columns)
        assert _texts(read) == _texts(table.frame)


def test_further_files_come_along(imported: Imported, release: Release) -> None:
    folder, _, result = imported
    assert result["kept"] is not None
    names = {*release.files, *release.texts, "README.md", "provenance.json", RELEASE}
    assert any("taxonom" in name for name in names)
    for name in names:
        assert (result["kept"] / name).read_bytes() == (folder / name).read_bytes()


def test_the_same_folder_again_changes_nothing(imported: Imported) -> None:
    folder, workspace, _ = imported
    again = workspace.publishing.import_folder(folder)
    assert (again["collected"].new, again["collected"].changed, again["captions"]) == (0, 0, {})
    assert again["collected"].refusals == []


def test_tables_beside_pictures_that_others_made_are_read(tmp_path: Path) -> None:
    put(tmp_path / "cats/images/a.png", PICTURE)
    put(tmp_path / "cats/train.csv", "image_path,caption,label\nimages/a.png,tea,calm\n")
    workspace = Workspace.create(tmp_path / "new")
    assert workspace.publishing.import_folder(tmp_path / "cats")["collected"].source == "table"
    (item,) = workspace.store.items.find("picture")
    assert (item.parts, item.labels) == (("tea",), {"label": "calm"})


def test_without_pictures_the_rest_comes_and_they_are_named(
    release: Release, tmp_path: Path
) -> None:
    def bare() -> Any:
        return (replace(picture, file=None) for picture in release.pictures())

    publish(replace(release, pictures=bare), tmp_path / "tea")
    workspace = Workspace.create(tmp_path / "new")
    result = workspace.publishing.import_folder(tmp_path / "tea")
    assert (result["memes"], result["collected"].refused) == (4, {"no picture": 10})
    assert "10 pictures are not in the release" in result["notes"][-1]


@pytest.fixture(scope="module")
def plain(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "tea"
    publish(release, folder, "csv")
    return folder


def test_a_dump_has_the_tables_of_imported_releases(plain: Path, tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "new")
    workspace.publishing.import_folder(plain)
    workspace.dump(tmp_path / "dump")
    Workspace.load(tmp_path / "dump", tmp_path / "loaded")
    kept = tmp_path / "loaded/releases/tea/tables/answers.csv"
    assert kept.read_bytes() == (plain / "tables/answers.csv").read_bytes()


def _named_outside(folder: Path) -> None:
    values = json.loads((folder / RELEASE).read_text(encoding="utf-8"))
    values["files"]["../secret.txt"] = {"sha256": "0" * 64}
    (folder / RELEASE).write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "captions.csv").unlink(), r"captions\.csv: is missing"),
        (lambda folder: (folder / "captions.csv").write_text("x"), "is not as it was published"),
        (_named_outside, "which is outside of it"),
    ],
)
def test_a_damaged_release_is_refused_whole(
    plain: Path, tmp_path: Path, damage: Callable[[Path], Any], message: str
) -> None:
    folder = tmp_path / "tea"
    shutil.copytree(plain, folder)
    damage(folder)
    workspace = Workspace.create(tmp_path / "new")
    with pytest.raises(InputError, match=message):
        workspace.publishing.import_folder(folder)
    assert list(workspace.store.items.find()) == []


def test_another_source_language_is_a_sentence(plain: Path, tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "new", source="hi")
    with pytest.raises(InputError, match=r"captions in en, de, and the source language .* is hi"):
        workspace.publishing.import_folder(plain)


def test_a_command_imports_a_release(
    plain: Path,
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Workspace.create(tmp_path / "new").close()
    monkeypatch.chdir(tmp_path / "new")
    done = command("import", plain)
    assert done.status == 0, done.err
    assert "10 finished memes and " in done.out
    assert "Captions of 4 memes: 8 new or changed." in done.out
    refused = command("import", plain, "--strict")
    assert "of a captions table" in refused.err


def test_a_command_imports_what_others_made(
    tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace.create(tmp_path / "new").close()
    monkeypatch.chdir(tmp_path / "new")
    put(tmp_path / "cats/train/a.png", PICTURE)
    put(tmp_path / "cats/train/b.jpg", OTHER)
    rows = "file_name,text,label\na.png,tea is ready,calm\ngone.png,no tea,wild\n"
    put(tmp_path / "cats/train/metadata.csv", rows)
    done = command("import", tmp_path / "cats")
    assert done.status == 0, done.err
    assert "1 finished meme and 0 templates: 1 new" in done.out
    assert "image = file_name, text = text, labels = label" in " ".join(done.err.split())
    assert "gone.png" in done.err
    assert "no row of the metadata names it" in done.err
