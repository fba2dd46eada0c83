"""A release's folder or bucket: all of it or nothing, and nobody's files are lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError, ServiceError
from memeloc.object_storage import Folder, folder_at
from memeloc.publish.folder import RELEASE, replacing_release
from memeloc.publish.publishing import publish
from tests.publish.releases import small_release
from tests.s3_server import make_bucket, s3_server


def release(out: Path, **files: str) -> None:
    with replacing_release(folder_at(out), {"layout": "csv"}) as folder:
        for name, text in files.items():
            (folder / name).write_text(text)


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != RELEASE}


def test_a_release_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1", b="2")
    release(out, a="3")
    assert content(out) == {"a": "3"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("mine.txt", "x", "mine.txt .* was not written by memeloc"), ("a", "2", "a .* was changed")],
)
def test_what_people_put_there_stays(tmp_path: Path, name: str, text: str, message: str) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    (out / name).write_text(text)
    with pytest.raises(InputError, match=message):
        release(out, a="3")
    assert content(out) == {"a": "1", name: text}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.txt"):
        release(tmp_path, a="1")


def test_a_failed_run_changes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    with (
        pytest.raises(InputError, match="cannot be written"),
        replacing_release(folder_at(out), {}) as folder,
    ):
        (folder / "missing" / "a").write_text("2")
    assert content(out) == {"a": "1"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_killed_between_renamings_is_undone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    out.rename(tmp_path / ".out.before")
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "b").write_text("half")
    release(out, a="2")
    assert content(out) == {"a": "2"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with replacing_release(folder_at(out), {}) as folder:
        (folder / "a").write_text("1")
        with pytest.raises(InputError, match="Another run"):
            release(out, a="2")
    assert content(out) == {"a": "1"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def place(server: str, tmp_path: Path) -> Folder:
    bucket = make_bucket(server, "".join(c for c in tmp_path.name if c.isalnum()).lower()[-40:])
    folder = folder_at(f"{bucket}/release")
    assert isinstance(folder, Folder)
    return folder


def _objects(place: Folder) -> dict[str, bytes]:
    return {entry.key: place.read(entry.key) for entry in place.entries()}


def test_a_release_in_a_bucket_is_the_one_of_a_folder(place: Folder, tmp_path: Path) -> None:
    release = small_release(tmp_path / "made")
    local = publish(release, tmp_path / "release", "webdataset")
    result = publish(release, place.url, "webdataset")
    files = {
        path.relative_to(tmp_path / "release").as_posix(): path.read_bytes()
        for path in (tmp_path / "release").rglob("*")
        if path.is_file()
    }
    assert _objects(place) == files
    assert (result["folder"], result["files"], result["size"]) == (
        place.url,
        local["files"],
        local["size"],
    )


def test_a_new_release_takes_the_place_of_the_old(place: Folder, tmp_path: Path) -> None:
    release = small_release(tmp_path / "made")
    publish(release, place, "webdataset")
    publish(release, place, "hf")
    keys = _objects(place).keys()
    assert not [key for key in keys if key.endswith(".tar")]
    assert keys - {"release.json"} == json.loads(place.read("release.json"))["files"].keys()


@pytest.mark.parametrize("key", ["note.txt", "README.md"])
def test_what_is_somebody_elses_in_a_bucket_stays(place: Folder, tmp_path: Path, key: str) -> None:
    release = small_release(tmp_path / "made")
    publish(release, place, "hf")
    place.write(key, b"my own")
    with pytest.raises(InputError, match=f"{key} in this folder was"):
        publish(release, place, "hf")
    assert place.read(key) == b"my own"


def test_a_release_whose_writing_was_cut_off_is_finished(
    place: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = small_release(tmp_path / "made")
    publish(release, place, "webdataset")
    write = Folder.write

    def failing(self: Folder, key: str, content: Any) -> None:
        if key.endswith(".md"):
            raise ServiceError(self.url, "it cannot be reached", retryable=True)
        write(self, key, content)

    monkeypatch.setattr(Folder, "write", failing)
    with pytest.raises(ServiceError):
        publish(release, place, "hf")
    monkeypatch.undo()
    publish(release, place, "hf")
    keys = _objects(place).keys()
    assert keys - {"release.json"} == json.loads(place.read("release.json"))["files"].keys()
