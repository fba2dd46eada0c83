"""Published datasets on disk, in small harmless copies, and hostile ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from memeloc.collect.fetching.fetch import Fetcher
from memeloc.collect.protocol import SOURCES
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, Refusal
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, lines, parquet, put, reasons
from tests.curate.drawn import as_png


@pytest.fixture
def fetcher() -> Iterable[Fetcher]:
    with Fetcher(None) as fetcher:
        yield fetcher


Collect = Callable[..., tuple[list[Any], list[Refusal]]]


@pytest.fixture
def collect() -> Collect:
    """What a source finds, and what it refuses."""
    return collected


# Hateful Memes


def test_wrong_rows_are_refused_with_their_place(tmp_path: Path, collect: Collect) -> None:
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
    result, refusals = collect("hateful-memes", tmp_path)
    assert [item.origin.key for item in result] == ["1"]
    outside, gone = "outside the folder", "no picture"
    assert list(reasons(refusals).values()) == [
        "not readable", outside, outside, outside, outside, "not a picture", gone, "not readable",
        "not readable", "another of the same id", gone, gone, gone,
    ]  # fmt: skip
    assert refusals[0].url == "train.jsonl, row 2"
    assert refusals[0].sentence.startswith("The line is not JSON")


# HarMeme


def test_harmeme(tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "images/covid_memes_18.png", PICTURE)
    put(tmp_path / "images/covid_memes_19.png", OTHER)
    rows = [
        {
            "id": "covid_memes_18",
            "image": "covid_memes_18.png",
            "labels": ["somewhat harmful", "individual"],
            "text": "tea or coffee?\nchoose",
        },
        {"id": "covid_memes_19", "image": "covid_memes_19.png", "labels": ["not harmful"]},
        {"id": "c_20", "image": "covid_memes_19.png", "labels": ["a", ["b"], "c"]},
        {"id": "c_23", "image": "covid_memes_19.png", "labels": ["very harmful", "group", "place"]},
        {"id": "c_21", "image": "covid_memes_21.png", "labels": []},
        {"id": "c_22", "image": "../images/covid_memes_19.png"},
        {"id": "covid_memes_18", "image": "covid_memes_18.png"},
    ]
    table = put(tmp_path / "annotations/train.jsonl", lines(*rows))
    result, refusals = collect("harmeme", tmp_path)
    assert [item.labels for item in result] == [
        {"harmfulness": "somewhat harmful", "target": "individual"},
        {"harmfulness": "not harmful"},
        {"harmfulness": "very harmful", "target": "group, place"},
    ]
    assert result[0].parts == ("tea or coffee?\nchoose",)
    assert result[0].picture == PICTURE
    assert list(reasons(refusals).values()) == [
        "not readable",
        "no picture",
        "outside the folder",
        "another of the same id",
    ]
    assert refusals[0].url == "annotations/train.jsonl, row 3"
    alone, _ = collect("harmeme", table)
    assert [item.origin for item in alone] == [item.origin for item in result]


# Multi3Hate


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


def test_multi3hate_s_folders_may_not_lead_out(tmp_path: Path, collect: Collect) -> None:
    root = multi3hate(tmp_path / "set")
    (root / "data/memes/en").rename(tmp_path / "elsewhere")
    (root / "data/memes/en").symlink_to(tmp_path / "elsewhere")
    result, _ = collect("multi3hate", root)
    assert [item.language for item in result if isinstance(item, FoundPicture)] == ["de"]


def test_multi3hate_s_captions_and_languages(tmp_path: Path, collect: Collect) -> None:
    root = multi3hate(tmp_path)
    result, _ = collect("multi3hate", root / "data", languages=("de",), captions=True)
    captions = [item for item in result if isinstance(item, FoundCaption)]
    assert [(caption.origin.key, caption.template, caption.parts) for caption in captions] == [
        ("captions/de/12", "Happy Dog", ("guten", "Tag")),
        ("captions/de/13", "Happy Dog", ("Tee",)),
    ]
    with pytest.raises(InputError, match="no captions in 'fr'"):
        collect("multi3hate", root, languages=("fr",))
    with pytest.raises(InputError, match="no captions in data/captions"):
        collect("multi3hate", root / "data/memes")


# Hugging Face


def test_parquet_with_pictures(tmp_path: Path, collect: Collect) -> None:
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
    result, refusals = collect("huggingface", tmp_path)
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


def test_a_large_file_is_read_in_pieces(tmp_path: Path, fetcher: Fetcher) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (400, 400, 3), dtype=np.uint8)
    large = as_png(Image.fromarray(noise))
    path = tmp_path / "large.parquet"
    # A few other bytes behind each, or they would be stored once.
    table = pa.table({"image": [large + bytes([number]) for number in range(40)]})
    pq.write_table(table, path, row_group_size=2, compression="none")
    del table
    most = 0
    before = pa.total_allocated_bytes()
    for result in SOURCES.load("huggingface")(path=path).collect(fetcher):
        assert isinstance(result, FoundPicture)
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < 8 * len(large) < path.stat().st_size / 4


def test_parquet_without_pictures_is_reported(tmp_path: Path, collect: Collect) -> None:
    path = parquet(tmp_path / "a.parquet", {"text": ["a"]})
    with pytest.raises(InputError, match="no column 'image'"):
        collect("huggingface", path)
    put(tmp_path / "b.parquet", b"PAR1 broken")
    result, refusals = collect("huggingface", tmp_path)
    assert result == []
    assert reasons(refusals) == {"a.parquet": "not readable", "b.parquet": "not readable"}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_image_folder_with_metadata(tmp_path: Path, collect: Collect, kind: str) -> None:
    put(tmp_path / "train/sub/0001.png", PICTURE)
    put(tmp_path / "train/2.jpg", OTHER)
    put(tmp_path / "train/3.jpg", OTHER)
    names = ["sub/0001.png", "2.jpg", "../../x.png", "gone.png", "2.jpg"]
    rows = [{"file_name": name, "text": "hi", "label": "07"} for name in names]
    path = tmp_path / f"train/metadata.{kind}"
    if kind == "csv":
        put(path, "file_name,text,label\n" + "".join(f"{name},hi,07\n" for name in names))
    elif kind == "jsonl":
        put(path, lines(*rows))
    else:
        parquet(path, {key: [row[key] for row in rows] for key in rows[0]})
    result, refusals = collect("huggingface", tmp_path)
    assert [item.origin.key for item in result] == ["train/sub/0001.png", "train/2.jpg"]
    assert (result[0].labels, result[0].parts, result[0].name) == ({"label": "07"}, ("hi",), "0001")
    assert sorted(refusal.reason for refusal in refusals) == [
        "no picture",
        "not in the table",
        "outside the folder",
    ]


def test_class_folders(tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "train/cat/1.png", PICTURE)
    put(tmp_path / "train/dog/1.jpg", OTHER)
    put(tmp_path / "test/2.png", PICTURE)
    put(tmp_path / "dog/notes.txt", "no picture")
    result, refusals = collect("huggingface", tmp_path)
    assert {item.origin.key: dict(item.labels) for item in result} == {
        "test/2.png": {},
        "train/cat/1.png": {"label": "cat"},
        "train/dog/1.jpg": {"label": "dog"},
    }
    assert refusals == []


# What is wrong with one table, or one row, keeps nothing else out


def test_a_meme_has_its_label_whichever_split_gives_it(tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "img/01.png", PICTURE)
    meme = {"id": "01", "img": "img/01.png", "text": "a"}
    put(tmp_path / "test.jsonl", lines(meme))
    put(tmp_path / "test_seen.jsonl", lines(meme | {"label": 1}))
    result, refusals = collect("hateful-memes", tmp_path)
    assert [(item.origin.key, item.labels) for item in result] == [("01", {"hateful": "1"})]
    assert refusals == []


def test_a_row_without_its_picture_keeps_out_no_other(tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "img/1.png", PICTURE)
    put(tmp_path / "dev.jsonl", lines({"id": "1", "img": "img/gone.png", "label": 0}))
    put(tmp_path / "test.jsonl", lines({"id": "1", "img": "img/1.png", "label": 0}))
    result, refusals = collect("hateful-memes", tmp_path)
    assert [item.origin.url for item in result] == ["test.jsonl, row 1"]
    assert reasons(refusals) == {"dev.jsonl, row 1": "no picture"}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'{"score": 1}\n', b"\x80\n"])
def test_a_wrong_table_keeps_out_no_other(content: bytes, tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "img/1.png", PICTURE)
    row = {"id": "1", "img": "img/1.png", "image": "1.png", "label": 0, "labels": ["not harmful"]}
    put(tmp_path / "test.jsonl", lines(row))
    put(tmp_path / "dev.jsonl", content)
    for name in ("hateful-memes", "harmeme"):
        result, refusals = collect(name, tmp_path)
        assert [item.origin.key for item in result] == ["1"]
        assert reasons(refusals) == {"dev.jsonl": "not readable"}


def test_multi3hate_s_wrong_tables_and_repeated_memes(tmp_path: Path, collect: Collect) -> None:
    header = "Meme ID,Template Name,Original (English),Translation\n"
    put(tmp_path / "data/memes/en/1.png", PICTURE)
    put(tmp_path / "data/captions/en.csv", f"{header}1,Happy Dog,a,a\n1.0,Happy Dog,b,b\n")
    put(tmp_path / "data/captions/de.csv", "foo,bar\n1,2\n")
    put(tmp_path / "data/final_annotations.csv", "foo\n1\n")
    result, refusals = collect("multi3hate", tmp_path)
    assert [item.origin.key for item in result] == ["Happy Dog", "en/1"]
    assert reasons(refusals) == {
        "data/final_annotations.csv": "not readable",
        "data/captions/en.csv, row 3": "another of the same id",
        "data/captions/de.csv": "not readable",
    }
    with pytest.raises(InputError, match="no column"):
        collect("multi3hate", tmp_path, languages=("de",))


def test_what_datasets_saved_to_disk_with_names_of_classes(
    tmp_path: Path, collect: Collect
) -> None:
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
        (first, second), _ = collect("huggingface", tmp_path / name)
        assert (first.picture, second.picture) == (PICTURE, OTHER)
        assert (first.labels, second.labels) == ({"label": "wild"}, {})
        assert first.details["moods"] == ["calm", "wild"]


def test_packed_pictures_are_to_be_unpacked_first(tmp_path: Path, collect: Collect) -> None:
    put(tmp_path / "images.zip", b"PK")
    with pytest.raises(InputError, match=r"unpack images\.zip first"):
        collect("huggingface", tmp_path)
