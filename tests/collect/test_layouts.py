"""Published layouts of tables, written as their papers and repositories describe them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.collect.datasets.layouts import layouts, recognise
from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from memeloc.collect.protocol import SOURCES
from memeloc.errors import InputError
from memeloc.items import FoundTemplate, Year
from tests.collect.datasets_on_disk import OTHER, PICTURE, by_key, collected, lines, put
from tests.collect.small_server import Answer, serving


def test_every_layout_is_recognised_by_its_columns() -> None:
    for layout in filter(lambda layout: layout.known_by, layouts().values()):
        row = {column: list(values) for column, values in layout.known_values.items()}
        assert recognise(layout.known_by, lambda row=row: [row]) == layout
    rows = [{"labels": ["Slogans"]}]
    assert recognise(["id", "image", "labels", "text"], lambda: rows).name == "any"
    assert recognise(["id", "img", "label", "text"], lambda: rows).name == "any"


def test_a_layout_of_one_s_own_is_a_file(tmp_path: Path) -> None:
    put(tmp_path / "set/TEST/1.png", PICTURE)
    put(tmp_path / "set/TEST/memes-1.csv", "nr;pic;said;mood_a\n07;1.png;thé;calm\n")
    put(tmp_path / "set/other.csv", "pic\n1.png\n")
    columns = 'id = ["nr"]\nimage = ["pic"]\ntext = ["said"]\nlabel = ["mood*"]\n'
    settings = (
        f'tables = ["memes-*.csv"]\n[columns]\n{columns}[fixed]\nlanguage = "fr"\n'
        '[labels]\nCALM = "not harmful"\n'
    )
    own = put(tmp_path / "ours.toml", settings)
    ((meme,), (refusal,)) = collected("table", tmp_path / "set", layout=str(own))
    assert (meme.origin.key, meme.parts, meme.language) == ("07", ("thé",), "fr")
    assert (meme.labels, meme.details["split"]) == ({"mood_a": "not harmful"}, "TEST")
    assert (refusal.url, refusal.reason) == ("other.csv", "a table, not read")
    for wrong, sentence in {
        'imag = ["pic"]\n': "no setting 'imag'",
        '[columns]\nimag = "pic"\n': "no role 'imag'; did you mean 'image'",
        f'labels = ["mood*"]\n{columns}': r'\[columns\]\nimage = \[\n    "pic"',
    }.items():
        put(own, wrong)
        with pytest.raises(InputError, match=sentence):
            collected("table", tmp_path / "set", layout=str(own))


def _mami(root: Path) -> None:
    labels = "misogynous\tshaming\tstereotype\tobjectification\tviolence"
    head = f"\ufefffile_name\t{labels}\tText Transcription\n"
    put(root / "TRAINING/training.csv", f"{head}1.jpg\t0\t0\t0\t0\t0\tTea, at last\n")
    put(root / "TRAINING/1.jpg", PICTURE)
    trial = root / "Users/fersiniel/Desktop/MAMI - TO LABEL/TRIAL DATASET"
    put(trial / "trial.csv", f"{head}28.jpg\t0\t0\t1\t0\t0\tcats\n")
    put(trial / "28.jpg", PICTURE)
    put(root / "test/Test.csv", "file_name\tText Transcription\n15001.jpg\ta desk\n")
    put(root / "test/15001.jpg", OTHER)
    put(root / "test_labels.txt", "15001.jpg\t1\t0\t1\t0\t0\n")


def test_mami(tmp_path: Path) -> None:
    _mami(tmp_path)
    found, refusals = collected("table", tmp_path)
    assert refusals == []
    memes = {item.name: item for item in found}
    assert memes["1"].parts == ("Tea, at last",)
    assert memes["1"].labels["misogynous"] == "0"
    assert memes["28"].details["split"] == "trial"
    assert memes["15001"].labels == {
        "misogynous": "1", "shaming": "0", "stereotype": "1", "objectification": "0",
        "violence": "0",
    }  # fmt: skip
    assert memes["15001"].picture == OTHER
    assert {item.language for item in found} == {"en"}


def test_armeme_as_json_lines(tmp_path: Path) -> None:
    put(tmp_path / "data/instagram/IMAGES/cat.jpg", OTHER)
    row = {
        "id": "data/instagram/IMAGES/cat.jpg",
        "text": "قطة في المكتب",
        "img_path": "./data/instagram/IMAGES/cat.jpg",
        "class_label": "not_propaganda",
    }
    put(tmp_path / "arabic_memes_categorization_train.jsonl", lines(row))
    ((meme,), refusals) = collected("table", tmp_path)
    assert refusals == []
    assert (meme.origin.key, meme.language) == (row["id"], "ar")
    assert meme.labels == {"class_label": "not_propaganda"}
    assert meme.details["split"] == "arabic_memes_categorization_train"


def _parquet(path: Path, columns: dict[str, Any], names: dict[str, list[str]]) -> None:
    features = {column: {"names": each, "_type": "ClassLabel"} for column, each in names.items()}
    metadata = json.dumps({"info": {"features": features}}).encode()
    table = pa.table(columns).replace_schema_metadata({b"huggingface": metadata})
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def test_prop2hate_as_parquet(tmp_path: Path) -> None:
    columns = {
        "id": ["a", "b"],
        "text": ["شاي", "طقس جميل"],
        "image": [{"bytes": PICTURE, "path": "a.png"}, {"bytes": b"none", "path": "b.png"}],
        "img_path": ["data/a.png", "data/b.png"],
        "prop_label": [0, 1],
        "hate_label": [0, 0],
        "hate_fine_grained_label": [1, 0],
    }
    names = {
        "prop_label": ["not_propaganda", "propaganda"],
        "hate_label": ["not-hateful", "hateful"],
        "hate_fine_grained_label": ["sarcasm", "humor"],
    }
    _parquet(tmp_path / "data/train-00000-of-00001.parquet", columns, names)
    ((meme,), (refusal,)) = collected("table", tmp_path)
    assert meme.labels == {
        "prop_label": "not_propaganda", "hate_label": "not-hateful",
        "hate_fine_grained_label": "humor",
    }  # fmt: skip
    assert (meme.parts, meme.picture) == (("شاي",), PICTURE)
    assert refusal.reason == "not a picture"
    assert refusal.url == "data/train-00000-of-00001.parquet, row 3"


def test_multioff(tmp_path: Path) -> None:
    put(tmp_path / "Labelled Images/0Bcq5ml.png", PICTURE)
    put(tmp_path / "Labelled Images/gLfFgiW.jpg", OTHER)
    head = "image_name,sentence,label\n"
    rows = '0Bcq5ml.png,"a cat, a vote ",Non-offensiv\n'
    put(tmp_path / "Split Dataset/Training_meme_dataset.csv", head + rows)
    rows = "gLfFgiW.jpg,tea time,offensive\ngone.jpg,x,offensive\n"
    put(tmp_path / "Split Dataset/Testing_meme_dataset.csv", head + rows)
    found, (refusal,) = collected("table", tmp_path)
    assert [(item.name, item.labels["label"]) for item in found] == [
        ("0Bcq5ml", "Non-offensiv"), ("gLfFgiW", "offensive"),
    ]  # fmt: skip
    assert found[0].details["split"] == "Training_meme_dataset"
    assert (refusal.reason, refusal.url) == (
        "no picture", "Split Dataset/Testing_meme_dataset.csv, row 3",
    )  # fmt: skip


def test_charmemes_has_the_papers_metadata(tmp_path: Path) -> None:
    put(tmp_path / "images/cat/1.jpg", OTHER)
    row = {
        "id": "1", "image": "images/cat/1.jpg", "template": "Кот", "year": 2014,
        "transcript": "Чай готов", "language": "RUSSIAN", "topic": "Animals", "label": "Safe",
    }  # fmt: skip
    put(tmp_path / "charmemes.json", json.dumps([row]))
    ((template, meme), refusals) = collected("table", tmp_path)
    assert refusals == []
    assert isinstance(template, FoundTemplate)
    assert (meme.template, meme.language, meme.parts) == ("Кот", "ru", ("Чай готов",))
    assert meme.year == Year(2014, "dataset", "year: 2014")
    assert meme.labels == {"topic": "Animals", "label": "Safe"}


def test_imgflip575k_has_a_file_a_template(tmp_path: Path) -> None:
    answers = {"/1kab2c.jpg": Answer(OTHER)}
    with serving(answers) as site:
        row = {
            "url": f"{site.address}/1kab2c.jpg",
            "post": "https://imgflip.com/i/1kab2c",
            "metadata": {"views": "101", "img-votes": "3", "title": "Mondays", "author": "anon"},
            "boxes": ["tea is ready", "so is rain"],
        }
        put(tmp_path / "dataset/memes/10-Guy.json", json.dumps([row, row | {"url": ""}]))
        template = {"title": "10 Guy", "template_url": "https://imgflip.com/s/10-Guy.jpg"}
        put(tmp_path / "dataset/templates/10-Guy.json", json.dumps(template))
        settings = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
        with Fetcher(None, settings) as fetcher:
            results = list(SOURCES.load("table")(path=tmp_path).collect(fetcher))
    template, meme, refusal = results
    assert (template.name, meme.template, meme.picture) == ("10-Guy", "10-Guy", OTHER)
    assert (meme.parts, meme.language) == (("tea is ready", "so is rain"), "en")
    assert meme.details == {
        "post": row["post"], "views": "101", "img-votes": "3", "title": "Mondays",
    }  # fmt: skip
    assert (refusal.url, refusal.sentence) == (
        "dataset/memes/10-Guy.json, row 2", "its url is missing",
    )  # fmt: skip


def test_memecap_s_pictures_are_files_or_addresses(tmp_path: Path) -> None:
    row = {
        "category": "memes", "title": "Monday again", "post_id": "k1", "img_fname": "memes_k1.png",
        "img_captions": ["a cat at a desk"], "meme_captions": ["the poster dislikes Mondays"],
        "metaphors": [{"metaphor": "cat", "meaning": "the poster"}],
    }  # fmt: skip
    with serving({"/k2.png": Answer(OTHER)}) as site:
        rows = [row | {"url": ""}]
        rows += [row | {"post_id": f"k{n}", "img_fname": f"memes_k{n}.png"} for n in (2, 3)]
        for each in rows[1:]:
            each["url"] = f"{site.address}/{each['post_id']}.png"
        put(tmp_path / "data/memes-trainval.json", json.dumps(rows))
        put(tmp_path / "memes/memes_k1.png", PICTURE)
        settings = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
        with Fetcher(None, settings) as fetcher:
            found, fetched, refusal = SOURCES.load("table")(path=tmp_path).collect(fetcher)
    assert (found.origin.key, found.picture, found.parts) == ("k1", PICTURE, ())
    assert found.details["meme_captions"] == ["the poster dislikes Mondays"]
    assert (found.details["post"], found.details["metaphors"]) == ("Monday again", row["metaphors"])
    assert (fetched.origin.key, fetched.picture) == ("k2", OTHER)
    assert refusal.reason == "not found"


def _telegram_messages() -> list[dict[str, Any]]:
    left_out = "(File not included. Change data exporting settings to download.)"
    shared = {"type": "message", "date": "2023-02-02T10:34:28", "from": "A Person"}
    return [
        {"id": 1, "type": "service", "date": "2023-02-01T10:00:00", "action": "create_channel",
         "photo": "photos/photo_1.jpg", "text": ""},
        {"id": 2, **shared, "date_unixtime": "1675334068", "photo": "photos/photo_2.jpg",
         "width": 64, "height": 48, "from_id": "user1",
         "text": ["Tea at ", {"type": "link", "text": "example.org"}]},
        {"id": 3, **shared, "text": "no picture here"},
        {"id": 4, **shared, "photo": left_out, "text": ""},
        {"id": 5, **shared, "file": "files/desk.png", "mime_type": "image/png", "text": ""},
        {"id": 6, **shared, "file": "stickers/s.webp", "media_type": "sticker", "text": ""},
        {"id": 7, **shared, "file": "files/notes.pdf", "text": ""},
    ]  # fmt: skip


def test_telegram_desktop_s_export_of_a_chat(tmp_path: Path) -> None:
    chat = {"name": "Office cats", "type": "public_channel", "id": 9}
    put(tmp_path / "result.json", json.dumps(chat | {"messages": _telegram_messages()}))
    put(tmp_path / "photos/photo_2.jpg", OTHER)
    put(tmp_path / "files/desk.png", PICTURE)
    found, (refusal,) = collected("table", tmp_path)
    photo, file = found
    assert (photo.origin.key, photo.picture, photo.parts) == ("2", OTHER, ())
    assert photo.created == "2023-02-02T10:34:28+00:00"
    assert photo.details == {"post": "Tea at example.org", "id": 2}
    assert (file.origin.key, file.created) == ("5", "2023-02-02T10:34:28")
    assert "not included" in refusal.sentence


def test_telegram_desktop_s_export_of_an_account(tmp_path: Path) -> None:
    chats = [{"id": number, "messages": _telegram_messages()} for number in (8, 9)]
    put(tmp_path / "result.json", json.dumps({"about": "", "chats": {"list": chats}}))
    put(tmp_path / "photos/photo_2.jpg", OTHER)
    found, _ = collected("table", tmp_path)
    assert [item.origin.key for item in found] == ["8/2", "9/2"]


def test_gallery_dl_s_folder(tmp_path: Path) -> None:
    folder = tmp_path / "reddit/cats"
    data = {
        "category": "reddit", "subcategory": "subreddit", "title": "My cat", "extension": "jpg",
        "filename": "a1", "date": "2021-03-04 05:06:07", "author": "somebody", "score": 12,
    }  # fmt: skip
    put(folder / "a1 My cat.jpg", OTHER)
    put(folder / "a1 My cat.jpg.json", json.dumps(data))
    put(folder / "b2.png", b"<html>")
    put(folder / "b2.png.json", json.dumps(data))
    put(folder / "info.json", json.dumps({"category": "reddit"}))
    ((meme,), refusals) = collected("table", tmp_path)
    assert meme.origin.key == "reddit/cats/a1 My cat.jpg"
    assert (meme.created, meme.parts) == ("2021-03-04T05:06:07", ())
    assert meme.details == {
        "post": "My cat", "category": "reddit", "subcategory": "subreddit", "title": "My cat",
        "score": 12,
    }  # fmt: skip
    assert {refusal.url: refusal.reason for refusal in refusals} == {
        "reddit/cats/b2.png.json": "not a picture",
        "reddit/cats/info.json": "not readable",
    }


@pytest.mark.parametrize("has_parquet", [True, False])
def test_img2dataset_s_folder(tmp_path: Path, has_parquet: bool) -> None:
    good = {
        "url": "https://example.org/a.jpg", "caption": "a cat", "key": "000000000",
        "status": "success", "error_message": None, "width": 64, "height": 48,
        "original_width": 640, "original_height": 480, "exif": "{}", "sha256": "00",
    }  # fmt: skip
    failed = good | {
        "key": "000000001", "status": "failed_to_download", "error_message": "HTTP Error 404",
    }  # fmt: skip
    put(tmp_path / "00000/000000000.jpg", OTHER)
    put(tmp_path / "00000/000000000.txt", "a cat")
    put(tmp_path / "00000/000000000.json", json.dumps(good))
    put(tmp_path / "00000_stats.json", json.dumps({"count": 2, "successes": 1}))
    if has_parquet:
        table = {name: [good[name], failed[name]] for name in good}
        pq.write_table(pa.table(table), tmp_path / "00000.parquet")
    found, refusals = collected("table", tmp_path, layout="img2dataset")
    assert [item.origin.key for item in found] == ["000000000"]
    assert found[0].picture == OTHER
    assert found[0].details["post"] == "a cat"
    assert found[0].details["url"] == "https://example.org/a.jpg"
    if has_parquet:
        (refusal,) = refusals
        assert refusal.sentence.endswith(": HTTP Error 404")


def test_img2dataset_s_parquet_with_pictures(tmp_path: Path) -> None:
    columns = {
        "url": ["https://example.org/a.jpg", "https://example.org/b.jpg"],
        "caption": ["a cat", None],
        "key": ["000000000", "000000001"],
        "status": ["success", "failed_to_download"],
        "error_message": [None, "HTTP Error 404"],
        "jpg": [OTHER, None],
    }
    pq.write_table(pa.table(columns), tmp_path / "00000.parquet")
    ((meme,), (refusal,)) = collected("table", tmp_path)
    assert (meme.origin.key, meme.picture, meme.name) == ("000000000", OTHER, "000000000")
    assert refusal.sentence.endswith(": HTTP Error 404")


def test_multi3hate_s_marks_become_parts(tmp_path: Path) -> None:
    head = "Meme ID,Template Name,Original (English),Translation\n"
    rows = "1,Happy Dog,good <sep> day,gut<sep>Tag\n2,Happy Dog,<emp> <sep> tea,<emp><sep>Tee\n"
    put(tmp_path / "data/captions/de.csv", head + rows)
    put(tmp_path / "data/final_annotations.csv", "Meme ID,US,DE,MX,IN,CN\n1,0,1,0,,0\n")
    put(tmp_path / "data/memes/de/1.jpg", OTHER)
    put(tmp_path / "data/memes/de/2.jpg", OTHER)
    found, _ = collected("multi3hate", tmp_path)
    memes = by_key(found)
    assert (memes["de/1"].parts, memes["de/2"].parts) == (("gut", "Tag"), ("", "Tee"))
    assert memes["de/1"].labels == {"hateful": "1"}
