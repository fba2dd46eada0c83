"""Published layouts of tables, written as their papers and repositories describe them."""

from __future__ import annotations

import json
from pathlib import Path

from memeloc.collect.datasets.layouts import layouts, recognise
from memeloc.collect.protocol import SOURCES
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, parquet, put
from tests.collect.local_site import serving
from tests.local_server import Reply


def test_every_layout_is_recognised_by_its_columns() -> None:
    for layout in filter(lambda layout: layout.known_by, layouts().values()):
        row = {column: list(values) for column, values in layout.known_values.items()}
        assert recognise(layout.known_by, lambda row=row: [row]) == layout
    rows = [{"labels": ["Slogans"]}]
    assert recognise(["id", "image", "labels", "text"], lambda: rows).name == "any"
    assert recognise(["id", "img", "label", "text"], lambda: rows).name == "any"


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
    features = {column: {"names": each, "_type": "ClassLabel"} for column, each in names.items()}
    parquet(tmp_path / "data/train-00000-of-00001.parquet", columns, features)
    ((meme,), (refusal,)) = collected("table", tmp_path)
    assert meme.labels == {
        "prop_label": "not_propaganda", "hate_label": "not-hateful",
        "hate_fine_grained_label": "humor",
    }  # fmt: skip
    assert (meme.parts, meme.picture) == (("شاي",), PICTURE)
    assert refusal.reason == "not a picture"
    assert refusal.url == "data/train-00000-of-00001.parquet, row 3"


def test_imgflip575k_has_a_file_a_template(tmp_path: Path) -> None:
    with serving({"/1kab2c.jpg": Reply(OTHER)}) as site:
        row = {
            "url": f"{site.url}/1kab2c.jpg",
            "post": "https://imgflip.com/i/1kab2c",
            "metadata": {"views": "101", "img-votes": "3", "title": "Mondays", "author": "anon"},
            "boxes": ["tea is ready", "so is rain"],
        }
        put(tmp_path / "dataset/memes/10-Guy.json", json.dumps([row, row | {"url": ""}]))
        template = {"title": "10 Guy", "template_url": "https://imgflip.com/s/10-Guy.jpg"}
        put(tmp_path / "dataset/templates/10-Guy.json", json.dumps(template))
        template, meme, refusal = site.collect(SOURCES.load("table")(path=tmp_path))
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
    with serving({"/k2.png": Reply(OTHER)}) as site:
        rows = [row | {"url": ""}]
        rows += [row | {"post_id": f"k{n}", "img_fname": f"memes_k{n}.png"} for n in (2, 3)]
        for each in rows[1:]:
            each["url"] = f"{site.url}/{each['post_id']}.png"
        put(tmp_path / "data/memes-trainval.json", json.dumps(rows))
        put(tmp_path / "memes/memes_k1.png", PICTURE)
        found, fetched, refusal = site.collect(SOURCES.load("table")(path=tmp_path))
    assert (found.origin.key, found.picture, found.parts) == ("k1", PICTURE, ())
    assert found.details["meme_captions"] == ["the poster dislikes Mondays"]
    assert (found.details["post"], found.details["metaphors"]) == ("Monday again", row["metaphors"])
    assert (fetched.origin.key, fetched.picture) == ("k2", OTHER)
    assert refusal.reason == "not found"


def test_img2dataset_s_parquet_with_pictures(tmp_path: Path) -> None:
    columns = {
        "url": ["https://example.org/a.jpg", "https://example.org/b.jpg"],
        "caption": ["a cat", None],
        "key": ["000000000", "000000001"],
        "status": ["success", "failed_to_download"],
        "error_message": [None, "HTTP Error 404"],
        "jpg": [OTHER, None],
    }
    parquet(tmp_path / "00000.parquet", columns)
    ((meme,), (refusal,)) = collected("table", tmp_path)
    assert (meme.origin.key, meme.picture, meme.name) == ("000000000", OTHER, "000000000")
    assert refusal.sentence.endswith(": HTTP Error 404")
