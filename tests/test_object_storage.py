"""Folders by address: what is written is whole, what is wrong is a sentence."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from pyarrow import fs

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.object_storage import TEMPORARY, Folder, folder_at
from tests.each import each
from tests.s3_server import make_bucket, s3_server


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture(params=["s3", "memory", "disk"])
def folder(request: pytest.FixtureRequest, server: str, tmp_path: Path) -> Folder:
    if request.param == "disk":
        return folder_at(tmp_path / "set")
    name = f"tea-{abs(hash(request.node.name)) % 10**8}"
    bucket = make_bucket(server, name) if request.param == "s3" else f"memory://{name}"
    return folder_at(f"{bucket}/set")


def test_an_object_is_written_read_listed_and_removed(folder: Folder, tmp_path: Path) -> None:
    folder.write("de/tea/m1.jpg", b"first")
    (tmp_path / "second").write_bytes(b"second" * 1000)
    folder.write("de/tea/m1.jpg", tmp_path / "second")
    (tmp_path / "empty").touch()
    folder.write("empty", tmp_path / "empty")
    assert folder.read("de/tea/m1.jpg") == b"second" * 1000
    assert folder.read("empty") == b""
    assert {(e.key, e.size) for e in folder.entries()} == {("de/tea/m1.jpg", 6000), ("empty", 0)}
    assert [entry.key for entry in folder.entries("de")] == ["de/tea/m1.jpg"]
    assert folder.names() == {"de", "empty"}
    with folder.open("de/tea/m1.jpg") as file:
        file.seek(6)
        assert file.read(6) == b"second"
    folder.remove("de/tea/m1.jpg")
    folder.remove("de/tea/m1.jpg")
    assert folder.entry("de/tea/m1.jpg") is None
    assert [entry.key for entry in folder.entries()] == ["empty"]


def test_what_is_not_there_is_not_there(folder: Folder) -> None:
    assert folder.entry("none") is None
    assert list(folder.entries("none")) == []
    with pytest.raises(FileNotFoundError):
        folder.read("none")
    with folder.reading("none") as path:
        assert not path.exists()


def test_a_staged_object_is_there_when_the_block_ends_well(folder: Folder) -> None:
    with suppress(ZeroDivisionError), folder.staged("a.tar") as path:
        path.write_bytes(b"half")
        raise ZeroDivisionError
    assert folder.entry("a.tar") is None
    with folder.staged("a.tar"):
        pass
    assert folder.entry("a.tar") is None
    with folder.staged("a.tar") as path:
        path.write_bytes(b"whole")
    assert folder.read("a.tar") == b"whole"
    with folder.reading("a.tar") as path:
        assert path.read_bytes() == b"whole"


def test_two_processes_at_one_file_leave_it_whole(folder: Folder) -> None:
    """As where a node that a cluster has given up still works; it ends last."""
    with folder.staged("a/b.tar") as mine:
        mine.write_bytes(b"whole")
        with folder.staged("a/b.tar") as others:
            others.write_bytes(b"whole")
        assert folder.read("a/b.tar") == b"whole"
    assert folder.read("a/b.tar") == b"whole"
    assert [entry.key for entry in folder.entries()] == ["a/b.tar"]


def test_a_file_on_a_disk_is_the_old_one_until_it_is_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda _: "ab")
    folder = folder_at(tmp_path)
    folder.write("a.jpg", b"old")
    (tmp_path / f".a.jpg.ab{TEMPORARY}").symlink_to("/nowhere/at/all")
    with pytest.raises(FileNotFoundError):
        folder.write("a.jpg", b"new")
    assert folder.read("a.jpg") == b"old"


@pytest.mark.parametrize("name", ["mein Ordner", "مجلد", "a+b", "a#b", "a%20b"])
def test_a_folder_has_any_name(server: str, name: str) -> None:
    bucket = make_bucket(server, "names")
    folder, parent = folder_at(f"{bucket}/{name}"), folder_at(bucket)
    folder.write("a", b"x")
    assert [entry.key for entry in folder.entries()] == ["a"]
    assert parent.read(f"{name.replace('%20', ' ')}/a") == b"x"


def test_another_process_opens_the_same_folder(folder: Folder) -> None:
    assert str(pickle.loads(pickle.dumps(folder))) == str(folder)


def test_a_web_server_gives_an_object_its_kind(server: str) -> None:
    folder = folder_at(make_bucket(server, "kinds", public=True))
    for key, kind in (("index.html", "text/html; charset=utf-8"), ("a/m.jpg", "image/jpeg")):
        folder.write(key, b"x")
        with urlopen(f"{server}/kinds/{key}") as answer:
            assert answer.headers["Content-Type"] == kind


def test_a_bucket_that_is_not_there_is_named(server: str) -> None:
    folder = folder_at("s3://nowhere/set")
    with pytest.raises(ServiceError, match="s3://nowhere/set: there is no such bucket") as raised:
        folder.write("a", b"x")
    assert not raised.value.retryable


@each(
    ("message", "sentence", "again"),
    [
        ("AWS Error INVALID_ACCESS_KEY_ID during HeadObject", "refuses the credentials", False),
        (
            "AWS Error ACCESS_DENIED during PutObject operation",
            "does not allow PutObject to",
            False,
        ),
        ("AWS Error NETWORK_CONNECTION during PutObject operation", "cannot be reached", True),
        ("key 'm403.jpg': AWS Error NETWORK_CONNECTION during PutObject", "be reached", True),
        ("AWS Error SLOW_DOWN during PutObject operation", "cannot be reached", True),
        ("the cat sits on the cable", "the cat sits on the cable", False),
    ],
)
def test_what_a_client_reports_is_a_sentence(message: str, sentence: str, again: bool) -> None:
    folder = Folder("s3://memes")
    with pytest.raises(ServiceError, match=sentence) as raised, folder.translated():
        raise OSError(message)
    assert raised.value.retryable is again


@each(
    "address",
    [
        "s3://me:mine@memes/set",
        "s3://mine@memes/set",
        "abfs://memes:mine@team.dfs.core.windows.net/set",
        "s3://memes/set?access_key=mine",
        "s3://memes?secret_key=mine",
        "https://team.blob.core.windows.net/memes?sv=2026&sig=mine",
        "https://memes.s3.amazonaws.com/set?X-Amz-Signature=mine",
    ],
)
def test_credentials_in_an_address_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="do not belong in an address") as raised:
        folder_at(address)
    assert "mine" not in str(raised.value)


def test_an_azure_address_names_its_container() -> None:
    address = "abfs://memes@team.dfs.core.windows.net/set"
    assert str(folder_at(address)) == address


@pytest.mark.parametrize(
    ("address", "opened"),
    [
        ("s3://memes/set?scheme=http", "s3://memes/set?allow_delayed_open=true&scheme=http"),
        ("gs://memes/set", "gs://memes/set?retry_limit_seconds=60"),
        ("gs://memes?retry_limit_seconds=5", "gs://memes?retry_limit_seconds=5"),
        ("hdfs://memes:9000/set", "hdfs://memes:9000/set"),
    ],
)
def test_an_address_is_opened_with_what_its_storage_needs(
    address: str, opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = SimpleNamespace(from_uri=lambda url: (url, "memes/set"))
    monkeypatch.setattr(fs, "FileSystem", system)
    monkeypatch.setattr(fs, "SubTreeFileSystem", lambda path, system: (system, path))
    assert folder_at(address).opened == (opened, "memes/set")


def test_an_address_without_slashes_is_no_folder() -> None:
    with pytest.raises(InputError, match=r"'s3:memes/set' is no address: write s3://BUCKET/FOLDER"):
        folder_at("s3:memes/set")


def test_an_unknown_kind_of_address_is_named() -> None:
    with pytest.raises(InputError, match="'kettle://memes' is no address of a storage"):
        folder_at("kettle://memes").entry("a")


def test_a_missing_package_is_named_with_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    def url_to_fs(url: str) -> None:
        raise ImportError("Please install kettlefs")

    monkeypatch.setattr(fsspec.core, "url_to_fs", url_to_fs)
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[cloud\]'.*kettlefs"):
        folder_at("kettle://memes").entry("a")


@each(
    ("place", "path"),
    [("out", "out"), ("file:///tea/out", "/tea/out"), ("C:/out", "C:/out"), (Path("a/b"), "a/b")],
)
def test_a_path_is_a_folder_on_a_disk(place: str | Path, path: str) -> None:
    assert folder_at(place).path == Path(path)


@pytest.mark.parametrize("place", ["s3://memes/set/", "S3://memes/set", Path("s3://memes/set")])
def test_an_address_names_a_folder_of_objects(place: str | Path) -> None:
    folder = folder_at(place)
    assert str(folder) == "s3://memes/set"
    assert folder.address("a.jpg") == "s3://memes/set/a.jpg"


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_may_begin_at_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: Callable[[str], str | Path]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert folder_at(kind("~/set")).path == tmp_path / "set"
    assert folder_at(kind("a~/set")).path == Path("a~/set")


@pytest.mark.parametrize("place", ["", " "])
def test_an_empty_text_is_no_folder(place: str) -> None:
    with pytest.raises(InputError, match="names no folder"):
        folder_at(place)
