"""Releases as folders: what readers find in them, and what becomes of earlier ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin
from memeloc.tables import write_table
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.workspace.publishing.published import MEMES
from tests.workspace.test_survey_collected import picture

Run = Callable[..., Outcome]


def test_pictures_are_embedded_in_parquet(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    result = workspace.publishing.publish(tmp_path / "hf", rendered=folder / "out")
    assert result["pictures"] == dict.fromkeys(("de", "en", "hi"), MEMES)
    rows = [
        row
        for file in sorted((tmp_path / "hf" / "data").glob("*/*-00000-of-00001.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]
    released = {each.path: each.content() for each in workspace.publishing.gather().pictures()}
    assert {row["path"]: row["image"]["bytes"] for row in rows} == released
    assert (tmp_path / "hf" / "tables" / "answers.parquet").is_file()


def test_another_layout_takes_the_place_of_the_first(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    publish, out = workspace.publishing.publish, tmp_path / "release"
    publish(out, rendered=folder / "out")
    publish(out, rendered=folder / "out", options={"pictures": "folder"})
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert (
        len([name for name in files if name.startswith("data/") and name.endswith("jpg")])
        == 3 * MEMES
    )
    assert not [name for name in files if "-of-" in name]
    publish(out, "csv", rendered=folder / "out")
    assert not (out / "data").exists()
    assert len(list((out / "pictures").rglob("*.jpg"))) == 3 * MEMES


def test_plain_captions_are_imported_as_they_were(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    workspace.publishing.publish(tmp_path / "csv", "csv", rendered=folder / "out")
    with Workspace.create(tmp_path / "other", languages=["de", "hi"]) as other:
        other.import_captions(tmp_path / "csv" / "captions.csv")
        captions, again = (each.captions.table() for each in (workspace, other))
    key = ["meme_id"]
    assert again.sort_values(key, ignore_index=True).equals(
        captions.sort_values(key, ignore_index=True)[again.columns]
    )


@pytest.mark.parametrize("layout", ["hf", "csv"])
def test_texts_that_look_like_formulas_come_back_as_they_are(
    layout: str, command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"a": "=( // '=( ", "b": "'=1 // '-10%", "c": "@all // ''+1", "d": "None // '"}
    rows: list[list[str]] = [[meme, "robot-chef", text.strip()] for meme, text in texts.items()]
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "mine.csv", ["meme_id", "template", "en"], rows)
    for folder, table in (("first", "../mine.csv"), ("again", f"../{layout}")):
        command("init", folder)
        monkeypatch.chdir(tmp_path / folder)
        assert command("import", table).status == 0
        command("publish", f"../{folder}-{layout}", "--to", layout)
        monkeypatch.chdir(tmp_path)
        with Workspace.open(tmp_path / folder) as workspace:
            assert [*workspace.captions.table()["en"]] == [text.strip() for text in texts.values()]
        (tmp_path / f"{folder}-{layout}").rename(tmp_path / (layout if folder == "first" else "x"))
    if layout == "csv":
        with Workspace.create(tmp_path / "third") as workspace:
            workspace.import_captions(tmp_path / "csv" / "captions.csv")
            assert [*workspace.captions.table()["en"]] == [text.strip() for text in texts.values()]


@pytest.mark.parametrize(
    ("part", "languages", "memes"),
    [
        (("--langs", "de,hi"), ["de", "hi"], MEMES + 1),
        (("--survey", "pilot"), ["de", "en", "hi"], MEMES),
        (("--selected",), ["en"], 1),
        (("--survey", "pilot", "--langs", "en"), ["en"], MEMES),
    ],
)
def test_a_part_is_published_by_command(
    part: tuple[str, ...],
    languages: list[str],
    memes: int,
    folder: Path,
    tmp_path: Path,
    command: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(folder / "work", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    with Workspace.open(tmp_path / "work") as workspace:
        rows = [["other", "robot-chef", *["one // more"] * 3]]
        write_table(tmp_path / "more.csv", ["meme_id", "template", "en", "de", "hi"], rows)
        workspace.import_captions(tmp_path / "more.csv")
        workspace.store.items.add(
            [FoundPicture(Origin("s", "1"), picture("blue"), "blue", (), "en")]
        )
        ids = [item.id for item in workspace.store.items.find("picture")]
        workspace.store.curation.add_selection({}, [], ids)
    done = command("publish", tmp_path / "part", "--rendered", folder / "out", *part)
    assert done.status == 0, done.err
    found = {path.parent.name for path in (tmp_path / "part" / "data").rglob("*.parquet")}
    assert sorted(found) == languages
    assert pq.read_metadata(tmp_path / "part" / "tables" / "memes.parquet").num_rows == memes


@pytest.mark.parametrize("layout", ["hf", "csv"])
def test_pictures_left_behind_are_joined_again(
    layout: str, workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "release"
    workspace.publishing.publish(out, layout, rendered=folder / "out", with_pictures=False)
    assert not [path for path in out.rglob("*") if path.suffix == ".jpg"]
    done = subprocess.run(
        [sys.executable, "join_pictures.py", "--pictures", folder / "out", "--out", "pictures"],
        cwd=out,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{3 * MEMES} pictures joined, 0 missing" in done.stdout, done.stderr
    joined = {
        path.relative_to(out / "pictures").as_posix(): path.read_bytes()
        for path in (out / "pictures").rglob("*.jpg")
    }
    released = workspace.publishing.gather(folder / "out").pictures()
    assert joined == {each.path: each.content() for each in released}


def test_a_picture_that_was_changed_is_named(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    table.write_text("meme_id,template,en\ntea,robot-chef,tea // is ready\n")
    with Workspace.create(tmp_path / "work") as workspace:
        workspace.import_captions(table)
        workspace.render(tmp_path / "out")
        (file,) = (tmp_path / "out").rglob("tea.jpg")
        file.write_bytes(file.read_bytes() + b"more")
        with pytest.raises(InputError, match=r"tea\.jpg.* is another picture"):
            workspace.publishing.publish(tmp_path / "hf", rendered=tmp_path / "out")
    assert not (tmp_path / "hf").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "floppy"), "floppy"),
        (("--pictures", "painted"), "painted"),
        (("--to", "csv", "--pictures", "folder"), "has no option"),
        (("--rendered", "nowhere"), "no rendered set"),
        (("--rendered", "s3://memes/out"), "fetch it to a disk first"),
    ],
)
def test_wrong_options_are_a_sentence(
    options: tuple[str, ...],
    message: str,
    command: Run,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder / "work")
    rendered = () if "--rendered" in options else ("--rendered", folder / "out")
    done = command("publish", tmp_path / "hf", *rendered, *options)
    assert done.status == 1
    assert message in done.err
    assert not (tmp_path / "hf").exists()


def test_texts_that_are_counted_as_unread_are_those_that_are_sent(
    folder: Path, tmp_path: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder / "work", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    with Workspace.open(tmp_path / "work") as workspace:
        unread = workspace.publishing.gather(folder / "out").unread_texts["de"]
    more = ("--to", "anna", "--format", "csv", "--no-pictures", "--out", "de.csv")
    done = command("correct", "export", "--kind", "survey", "--langs", "de", *more)
    assert f"Wrote {unread} survey texts in German" in done.out


def test_one_and_two_jobs_publish_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    contents = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        shutil.copytree(folder / "work", tmp_path / f"work{jobs}")
        with Workspace.open(tmp_path / f"work{jobs}") as workspace:
            workspace.publishing.publish(out, jobs=jobs)
        files = (path for path in out.rglob("*") if path.is_file())
        contents.append({path.relative_to(out): path.read_bytes() for path in files})
    assert contents[0] == contents[1]
