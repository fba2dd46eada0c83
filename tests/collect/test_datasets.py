"""Published datasets and plain folders on disk, in small harmless copies, and hostile ones."""

from __future__ import annotations

import base64
import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from memeloc.collect.datasets.folder import terms_of
from memeloc.collect.fetching.fetch import Fetcher
from memeloc.collect.protocol import SOURCES
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate
from memeloc.picture_writers import TarWriter
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, lines, parquet, put, reasons
from tests.curate.drawn import as_png


def test_wrong_rows_are_refused_with_their_place(tmp_path: Path) -> None:
    put(tmp_path / "img/1.png", PICTURE)
    put(tmp_path / "img/page.png", "<html>no picture</html>")
    put(tmp_path.parent / "secret.png", OTHER)
    (tmp_path / "img/link.png").symlink_to(tmp_path.parent / "secret.png")
    rows = [
        {"id": 1, "img": "img/1.png", "label": 1, "text": "a"},
        "{not json",
        {"id": 2, "img": "../secret.png", "text": "b"},
        {"id": 3, "img": str(tmp_path.parent / "secret.png"), "text": "b"},
        {"id": 4, "img": "img\\..\\..\\secret.png", "text": "b"},
        {"id": 5, "img": "img/link.png", "text": "b"},
        {"id": 6, "img": "img/page.png", "text": "b"},
        {"id": 7, "img": "img/gone.png", "text": "b"},
        {"id": 8, "text": "b"},
        {"img": "img/1.png"},
        {"id": 1, "img": "img/1.png", "label": 0, "text": "a"},
        {"id": 9, "img": "img/a\u0000b.png"},
        {"id": 10, "img": "img"},
        {"id": 11, "img": "x" * 5000},
    ]
    put(tmp_path / "train.jsonl", lines(*rows))
    result, refusals = collected("hateful-memes", tmp_path)
    assert [item.origin.key for item in result] == ["1"]
    outside, gone = "outside the folder", "no picture"
    assert list(reasons(refusals).values()) == [
        "not readable", outside, outside, outside, outside, "not a picture", gone, "not readable",
        "not readable", "another of the same id", gone, gone, gone,
    ]  # fmt: skip
    assert refusals[0].url == "train.jsonl, row 2"
    assert refusals[0].sentence.startswith("The line is not JSON")


def multi3hate(tmp_path: Path) -> Path:
    head = "Meme ID,Template Name,Original (English),Translation\n"
    put(tmp_path / "data/captions/en.csv", f"{head}12,Happy Dog,good // day,good // day\n")
    put(
        tmp_path / "data/captions/de.csv",
        f"{head}12,Happy Dog,good // day,guten // Tag\n13,Happy Dog,tea,Tee\n,Happy Dog,,\n",
    )
    put(
        tmp_path / "data/final_annotations.csv",
        "Meme ID,US,DE,MX,IN,CN\n12,0,1,0,,0\n,1,1,1,1,1\n",
    )
    put(tmp_path / "data/memes/en/12.jpg", OTHER)
    put(tmp_path / "data/memes/de/Happy-Dog/0012.png", PICTURE)
    put(tmp_path / "data/memes/.DS_Store", b"\0")
    return tmp_path


def test_multi3hate_s_folders_may_not_lead_out(tmp_path: Path) -> None:
    root = multi3hate(tmp_path / "set")
    (root / "data/memes/en").rename(tmp_path / "elsewhere")
    (root / "data/memes/en").symlink_to(tmp_path / "elsewhere")
    result, _ = collected("multi3hate", root)
    assert [item.language for item in result if isinstance(item, FoundPicture)] == ["de"]


def test_parquet_with_pictures(tmp_path: Path) -> None:
    put(tmp_path / "README.md", "---\nlicense: cc-by-4.0\ntags: []\n---\n# Cats\n")
    put(tmp_path / "beside/b.png", OTHER)
    features = {"label": {"names": ["calm", "lively"], "_type": "ClassLabel"}}
    columns = {
        "id": ["007", "008", "009", "010", "008"],
        "image": [
            {"bytes": PICTURE, "path": "one.png"},
            {"bytes": None, "path": "beside/b.png"},
            {"bytes": b"no picture", "path": "c.png"},
            {"bytes": None, "path": "../d.png"},
            {"bytes": PICTURE, "path": None},
        ],
        "text": ["good // day", "", None, "x", "y"],
        "label": [1, 0, 0, 7, None],
        "lang": ["de", "de", "de", "de", "en"],
        "votes": [3, None, 1, 1, 1],
    }
    parquet(tmp_path / "data/train-00000-of-00001.parquet", columns, features)
    result, refusals = collected("huggingface", tmp_path)
    file = "data/train-00000-of-00001.parquet"
    assert [item.origin.key for item in result] == [f"{file}#007", f"{file}#008", f"{file}#008@6"]
    first = result[0]
    assert (first.parts, first.labels, first.language) == (
        ("good", "day"),
        {"label": "lively"},
        "de",
    )
    assert (first.origin.terms, first.name, first.picture) == ("cc-by-4.0", "one", PICTURE)
    assert first.details == {"split": "train", "id": "007", "votes": 3}
    assert result[1].picture == OTHER
    assert reasons(refusals) == {
        f"{file}, row 4": "not a picture",
        f"{file}, row 5": "outside the folder",
    }


def test_a_large_file_is_read_in_pieces(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (400, 400, 3), dtype=np.uint8)
    large = as_png(Image.fromarray(noise))
    path = tmp_path / "large.parquet"
    # A few other bytes behind each, or they would be stored once.
    table = pa.table({"image": [large + bytes([number]) for number in range(40)]})
    pq.write_table(table, path, row_group_size=2, compression="none")
    del table
    most = 0
    before = pa.total_allocated_bytes()
    with Fetcher(None) as fetcher:
        for result in SOURCES.load("huggingface")(path=path).collect(fetcher):
            assert isinstance(result, FoundPicture)
            most = max(most, pa.total_allocated_bytes() - before)
    assert most < 8 * len(large) < path.stat().st_size / 4


def test_parquet_without_pictures_is_reported(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"text": ["a"]})
    with pytest.raises(InputError, match="no column 'image'"):
        collected("huggingface", path)
    put(tmp_path / "b.parquet", b"PAR1 broken")
    result, refusals = collected("huggingface", tmp_path)
    assert result == []
    assert reasons(refusals) == {"a.parquet": "not readable", "b.parquet": "not readable"}


def test_what_datasets_saved_to_disk_with_names_of_classes(tmp_path: Path) -> None:
    import datasets

    classes = datasets.ClassLabel(names=["calm", "wild"])
    features = {"image": datasets.Image(), "label": classes, "moods": datasets.Sequence(classes)}
    rows = {
        "image": [{"bytes": PICTURE}, {"bytes": OTHER}],
        "label": [1, -1],
        "moods": [[0, 1], []],
    }
    made = datasets.Dataset.from_dict(rows, features=datasets.Features(features))
    made.save_to_disk(tmp_path / "saved", num_shards=2)
    made.to_parquet(tmp_path / "parquet/train.parquet")
    for name in ("saved", "parquet"):
        (first, second), _ = collected("huggingface", tmp_path / name)
        assert (first.picture, second.picture) == (PICTURE, OTHER)
        assert (first.labels, second.labels) == ({"label": "wild"}, {})
        assert first.details["moods"] == ["calm", "wild"]


CASES = Path(__file__).with_name("dataset_cases.json")


PICTURES = {"@png": PICTURE, "@jpg": OTHER}


def read(case: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return what a source finds in the files of a case, and what it refuses."""
    for name, text in case["files"].items():
        packed = text.removeprefix("@base64 ") if text.startswith("@base64 ") else None
        put(root / name, PICTURES.get(text, text) if packed is None else base64.b64decode(packed))
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in case["options"].items()
    }
    if str(options.get("layout", "")).endswith(".toml"):
        options["layout"] = str(root / options["layout"])
    try:
        found, refusals = collected(case["source"], root / case["path"], **options)
    except InputError as error:
        return {"error": error.message.replace(str(root), ".")}
    names = {content: name for name, content in PICTURES.items()}
    rows = []
    for item in found:
        row = {"kind": type(item).__name__.removeprefix("Found").lower()}
        row |= {"key": item.origin.key, "url": item.origin.url, "terms": item.origin.terms}
        for name in ("name", "template", "parts", "language", "labels", "created", "details"):
            row[name] = getattr(item, name, "")
        row["year"] = str(getattr(item, "year", "") or "")
        row["picture"] = names.get(getattr(item, "picture", b"") or b"", "")
        rows.append({name: value for name, value in row.items() if value})
    refused = [[each.url, each.reason, each.sentence.replace(str(root), ".")] for each in refusals]
    return json.loads(json.dumps({"found": rows, "refused": refused}))  # type: ignore[no-any-return]


def test_a_dataset_is_read_as_written_down(tmp_path: Path, subtests: Any) -> None:
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    for number, case in enumerate(cases):
        with subtests.test(case["name"]):
            result = read(case, tmp_path / str(number))
            if os.environ.get("MEMELOC_WRITE_EXPECTED"):
                case["expected"] = result
            assert result == case["expected"]
    if os.environ.get("MEMELOC_WRITE_EXPECTED"):
        CASES.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", "utf-8")


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
