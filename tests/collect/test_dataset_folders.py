"""Plain folders of pictures, and WebDataset shards, as sources."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from memeloc.collect.datasets.folder import terms_of
from memeloc.items import FoundPicture, FoundTemplate
from memeloc.picture_writers import TarWriter
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, parquet, put, reasons

# A plain folder


def test_a_plain_folder(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside/secret.png", OTHER)
    root = tmp_path / "pictures"
    put(root / "b/deep/001.PNG", PICTURE)
    put(root / "a.jpg", OTHER)
    put(root / "notes.txt", "text")
    put(root / ".hidden.png", PICTURE)
    put(root / "cut.png", PICTURE[:40])
    put(root / "page.gif", "<html>")
    (root / "link.png").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "inside.jpg").symlink_to(root / "a.jpg")
    (root / "broken.jpg").symlink_to(root / "nothing.jpg")
    result, refusals = collected("folder", root, language="en")
    assert [(item.origin.key, item.name) for item in result if item.name != "cut"] == [
        ("a.jpg", "a"),
        ("b/deep/001.PNG", "001"),
    ]
    assert all(isinstance(item, FoundPicture) and item.language == "en" for item in result)
    by_name = reasons(refusals)
    assert {name: by_name[name] for name in ("folder", "link.png", "broken.jpg", "page.gif")} == {
        "folder": "outside the folder",
        "link.png": "outside the folder",
        "broken.jpg": "outside the folder",
        "page.gif": "not a picture",
    }
    templates, _ = collected("folder", root, templates=True)
    assert all(isinstance(template, FoundTemplate) for template in templates)


def test_links_of_the_hub_s_cache_are_reported(tmp_path: Path) -> None:
    blob = parquet(tmp_path / "blobs/abc", {"image": [PICTURE]})
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot/train.parquet").symlink_to(blob)
    result, (refusal,) = collected("huggingface", tmp_path / "snapshot")
    assert result == []
    assert (refusal.url, refusal.reason) == ("train.parquet", "not readable")
    assert "--local-dir" in refusal.sentence


def test_names_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.png")
    try:
        put(tmp_path / name, PICTURE)
    except OSError:
        pytest.skip("the file system takes only UTF-8")
    ((first,), _) = collected("folder", tmp_path)
    assert first.origin.key == "caf\\xe9.png"
    first.name.encode("utf-8")


def test_terms_come_from_the_folder_only(tmp_path: Path) -> None:
    put(tmp_path / "secret", "line")
    (tmp_path / "set").mkdir()
    (tmp_path / "set/LICENSE").symlink_to(tmp_path / "secret")
    assert terms_of(tmp_path / "set") == ""


# WebDataset shards


def _shard(path: Path, *samples: tuple[str, dict[str, bytes]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(TarWriter(path)) as writer:
        for key, files in samples:
            writer.add_sample(key, files)
    return path


def test_shards_that_others_made(tmp_path: Path) -> None:
    _shard(
        tmp_path / "train-000.tar",
        ("a", {"png": PICTURE, "txt": b"tea // now", "cls": b"1"}),
        ("b", {"jpg": OTHER, "json": b'{"text": "rain", "language": "de", "mood": "calm"}'}),
        ("c", {"txt": b"no picture"}),
        ("d", {"png": PICTURE, "json": b"[1]"}),
    )
    result, refusals = collected("huggingface", tmp_path)
    first, second = result
    assert (first.picture, first.parts, first.labels) == (PICTURE, ("tea", "now"), {"cls": "1"})
    assert (second.picture, second.parts, second.language) == (OTHER, ("rain",), "de")
    assert second.details["mood"] == "calm"
    assert first.origin.key == "train-000.tar#a"
    assert [refusal.sentence for refusal in refusals] == [
        "its jpg or png is missing",
        "the sample's JSON is no object",
    ]


def test_a_broken_shard_is_refused_and_others_are_read(tmp_path: Path) -> None:
    _shard(tmp_path / "a.tar", ("a", {"png": PICTURE}))
    put(tmp_path / "b.tar", b"tea" * 500)
    cut = _shard(tmp_path / "c.tar", *((str(n), {"png": PICTURE}) for n in range(60)))
    cut.write_bytes(cut.read_bytes()[: -len(PICTURE)])
    result, refusals = collected("huggingface", tmp_path)
    assert len(result) >= 1
    assert reasons(refusals)["b.tar"] == "not readable"
