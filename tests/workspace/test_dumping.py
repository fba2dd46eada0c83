"""A whole workspace as plain files: what travels, what stays, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from memeloc import Workspace
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.version import __version__
from tests.store.test_collected import caption, cat
from tests.store.test_dumps import content

TABLE = "meme_id,template,en\nm1,robot-chef,Monday // again\nm2,mine,Finally // Friday\n"


@pytest.fixture(autouse=True)
def _on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY", "MEMELOC_ERASURE_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace that has a template of its own and a collected picture, and its
    dump."""
    folder = tmp_path_factory.mktemp("dumping")
    (folder / "captions.csv").write_text(TABLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        with Workspace.create(folder / "work", languages=["de"]) as workspace:
            Image.new("RGB", (320, 240), "teal").save(folder / "work" / "templates" / "mine.png")
            (folder / "work" / "templates" / ".hidden").write_text("x")
            (folder / "work" / "words.csv").write_text("term,de\nMonday,Montag\n")
            settings = folder / "work" / "memeloc.toml"
            text = settings.read_text(encoding="utf-8")
            settings.write_text(text.replace('glossary = ""', 'glossary = "words.csv"'))
            workspace.store.items.add([cat(), caption(1, "a", "b")])
        with Workspace.open(folder / "work") as workspace:
            workspace.import_captions(folder / "captions.csv")
            workspace.translate(translator="pseudo")
            workspace.store.surveys.hash_participant("ada")  # makes the key
            workspace.dump(folder / "dump")
    return folder


@pytest.fixture
def copy(first: Path, tmp_path: Path) -> Path:
    """The dump, to be spoiled."""
    return Path(shutil.copytree(first / "dump", tmp_path / "copy"))


def manifest(folder: Path) -> dict[str, object]:
    values: dict[str, object] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return values


def test_dump_load_and_dump_are_byte_identical(first: Path, tmp_path: Path) -> None:
    loaded = Workspace.load(first / "dump", tmp_path / "new")
    with Workspace.open(tmp_path / "new") as workspace:
        workspace.dump(tmp_path / "again")
        assert "mine" in workspace.templates
        (template,) = workspace.store.items.find("template")
        assert template.picture is not None
    assert content(tmp_path / "again") == content(first / "dump")
    assert loaded["rows"]["captions"] == 4
    assert not list((tmp_path / "new").rglob(".*"))


def test_keys_and_hidden_files_stay_where_they_are(first: Path) -> None:
    names = {path.removeprefix("workspace/") for path in content(first / "dump")}
    assert (first / "work" / "survey.key").exists()
    files = {name for name in names if not name.startswith(("tables/", "images/"))}
    assert files == {"manifest.json", "memeloc.toml", "templates/mine.png", "words.csv"}
    everything = b"".join(content(first / "dump").values())
    assert (first / "work" / "survey.key").read_bytes() not in everything


def test_a_loaded_workspace_makes_no_key_of_its_own(first: Path, tmp_path: Path) -> None:
    loaded = Workspace.load(first / "dump", tmp_path / "new")
    assert any("Copy survey.key" in note for note in loaded["notes"])
    key = tmp_path / "new" / "survey.key"
    with Workspace.open(tmp_path / "new") as workspace:
        hashed = workspace.store.surveys.hash_participant
        with pytest.raises(InputError, match=r"its key survey\.key is missing"):
            hashed("ada")
        key.write_text("another")
        with pytest.raises(InputError, match=r"its key survey\.key is another one"):
            hashed("ada")
        shutil.copy(first / "work" / "survey.key", key)
        with Workspace.open(first / "work") as before:
            assert hashed("ada") == before.store.surveys.hash_participant("ada")


def test_another_key_is_refused(first: Path, tmp_path: Path) -> None:
    (tmp_path / "survey.key").write_text("another")
    with pytest.raises(InputError, match=r"survey\.key here is another one"):
        Workspace.load(first / "dump", tmp_path)


def test_an_interrupted_dump_is_run_again(first: Path, copy: Path) -> None:
    (copy / "manifest.json").rename(copy / "manifest.incomplete")
    (copy / "tables" / "memes.jsonl").unlink()
    (copy / "workspace" / "templates" / ".left-over.png").write_text("half")
    with pytest.raises(InputError, match="interrupted before it was whole"):
        Workspace.load(copy, copy.parent / "new")
    with Workspace.open(first / "work") as workspace:
        workspace.dump(copy)
    assert content(copy) == content(first / "dump")


def test_an_interrupted_load_is_run_again(first: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    Workspace.load(first / "dump", new)
    (new / "memeloc.toml").unlink()  # it comes last
    (new / "templates" / "mine.png").unlink()
    again = Workspace.load(first / "dump", new)
    assert again["seen"]
    with Workspace.open(new) as workspace:
        assert "mine" in workspace.templates


def test_a_dump_overwrites_nothing(first: Path, copy: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with Workspace.open(first / "work") as workspace:
        with pytest.raises(InputError, match="There is a dump here already"):
            workspace.dump(copy)
        with pytest.raises(InputError, match="not empty"):
            workspace.dump(tmp_path / "mine")


def test_a_load_overwrites_nothing(first: Path, tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "new") as workspace:
        Image.new("RGB", (32, 24), "red").save(tmp_path / "new" / "templates" / "mine.png")
    with pytest.raises(InputError, match=r"mine\.png: The file is here already"):
        Workspace.load(first / "dump", tmp_path / "new")
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    with Workspace.open(tmp_path / "new") as workspace:
        workspace.import_captions(tmp_path / "table.csv")
    with pytest.raises(InputError, match="loaded into an empty workspace"):
        Workspace.load(first / "dump", tmp_path / "new")


def test_settings_that_are_there_stay(first: Path, tmp_path: Path) -> None:
    with Workspace.create(tmp_path, languages=["hi"]):
        pass
    loaded = Workspace.load(first / "dump", tmp_path)
    assert any("memeloc.toml of this folder stays" in note for note in loaded["notes"])
    with Workspace.open(tmp_path) as workspace:
        assert [locale.tag for locale in workspace.languages] == ["hi"]


@pytest.mark.parametrize(
    "path",
    [
        "../x.txt",
        "workspace/../../x.txt",
        "/etc/x.txt",
        "workspace//x.txt",
        "workspace/c:/x.txt",
        "workspace\\x.txt",
        "workspace/.git/config",
        "elsewhere/x.txt",
        "workspace/survey.key",
        "workspace/Survey.KEY",
        "workspace/memeloc.db",
    ],
)
def test_a_path_to_anywhere_else_is_refused(copy: Path, path: str) -> None:
    values = manifest(copy)
    values["files"].append({"path": path, "sha256": "0" * 64, "size": 1})  # type: ignore[attr-defined]
    (copy / "manifest.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest is wrong at files\.\d+\.path"):
        Workspace.load(copy, copy.parent / "new")
    assert not (copy.parent / "new").exists()


def test_a_link_to_anywhere_else_is_refused(copy: Path) -> None:
    picture = copy / "workspace" / "templates" / "mine.png"
    outside = picture.rename(copy.parent / "outside.png")
    picture.symlink_to(outside)
    with pytest.raises(InputError, match="a link to outside of the dump"):
        Workspace.load(copy, copy.parent / "new")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("format", "memeloc dump 9", f"Load it with memeloc {__version__}"),
        ("database", "schema_99", "has the schema schema_99"),
        ("format", "something", "not the manifest of a dump"),
        ("files", [], "The manifest lacks tables/"),
        ("files", [7], "manifest is wrong at files.0"),
        ("keys", {"id_rsa": "x"}, "a key 'id_rsa', which is unknown"),
    ],
)
def test_an_unknown_manifest_is_refused(
    copy: Path, field: str, value: object, sentence: str
) -> None:
    (copy / "manifest.json").write_text(json.dumps({**manifest(copy), field: value}))
    with pytest.raises(InputError, match=sentence):
        Workspace.load(copy, copy.parent / "new")


def test_what_is_missing_or_changed_is_named(copy: Path) -> None:
    picture = copy / "workspace" / "templates" / "mine.png"
    picture.write_bytes(picture.read_bytes() + b"x")
    with pytest.raises(InputError, match=r"mine\.png: The file is not as it was dumped"):
        Workspace.load(copy, copy.parent / "new")
    picture.unlink()
    with pytest.raises(InputError, match=r"mine\.png: The dump lacks this file"):
        Workspace.load(copy, copy.parent / "new")
    with pytest.raises(InputError, match="not a dump of a workspace"):
        Workspace.load(copy / "tables", copy.parent / "new")


def test_where_the_database_is_stays_out(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first / "work", tmp_path / "work")
    file = tmp_path / "work" / "memeloc.toml"
    there = tmp_path / "work" / "elsewhere.db"
    (tmp_path / "work" / "memeloc.db").rename(there)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('url = ""', f'url = "sqlite:///{there}" # ours'))
    with Workspace.open(tmp_path / "work") as workspace:
        workspace.dump(tmp_path / "dump")
    assert (tmp_path / "dump" / "workspace" / "memeloc.toml").read_text(encoding="utf-8") == text


def test_a_link_is_not_followed(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first / "work", tmp_path / "work")
    (tmp_path / "private.txt").write_text("private")
    (tmp_path / "work" / "templates" / "notes.txt").symlink_to(tmp_path / "private.txt")
    (tmp_path / "work" / "templates" / "more").symlink_to(tmp_path)
    with Workspace.open(tmp_path / "work") as workspace:
        result = workspace.dump(tmp_path / "dump")
    assert any("notes.txt is a link" in note for note in result["notes"])
    assert b"private" not in content(tmp_path / "dump").values()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "manifest.incomplete").touch()
    (tmp_path / "half" / "workspace").symlink_to(tmp_path / "elsewhere")
    with (
        Workspace.open(tmp_path / "work") as workspace,
        pytest.raises(InputError, match="This is a link"),
    ):
        workspace.dump(tmp_path / "half")


def test_a_dump_never_says_where_the_database_is(copy: Path, tmp_path: Path) -> None:
    file = copy / "workspace" / "memeloc.toml"
    there = tmp_path / "theirs.db"
    text = file.read_text("utf-8").replace('url = ""', f'url = "sqlite:///{there}"')
    file.write_text(text, "utf-8")
    values = manifest(copy)
    for each in values["files"]:  # type: ignore[attr-defined]
        if each["path"] == "workspace/memeloc.toml":
            each |= {"sha256": file_sha256(file), "size": file.stat().st_size}
    (copy / "manifest.json").write_text(json.dumps(values), encoding="utf-8")
    Workspace.load(copy, tmp_path / "new")
    assert not there.exists()
    assert "theirs.db" not in (tmp_path / "new" / "memeloc.toml").read_text("utf-8")


def test_templates_outside_of_the_folder_are_named(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first / "work", tmp_path / "work")
    file = tmp_path / "work" / "memeloc.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('["templates"]', '["templates", "../more"]'), encoding="utf-8")
    (tmp_path / "more").mkdir()
    with Workspace.open(tmp_path / "work") as workspace:
        result = workspace.dump(tmp_path / "dump")
    assert any("more is outside of the workspace" in note for note in result["notes"])
