"""Tables as sources: guessed and named columns, published layouts, lists of image searches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.collect.datasets.layouts import layouts, recognise
from memeloc.collect.protocol import SOURCES
from memeloc.collect.sources.search import SearchSource
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Refusal
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, lines, parquet, put
from tests.collect.local_site import serving
from tests.curate.drawn import as_png, draw_picture
from tests.local_server import Reply


def _two_pictures(root: Path) -> None:
    put(root / "pics/1.png", PICTURE)
    put(root / "pics/2.jpg", OTHER)


def test_addresses_are_fetched_politely(tmp_path: Path) -> None:
    answers = {"/cat.png": Reply(PICTURE), "/page": Reply(b"<html>")}
    with serving(answers) as site:
        rows = "".join(f"{site.url}/{name},tea\n" for name in ("cat.png", "page", "gone.png"))
        table = put(tmp_path / "memes.csv", f"url,text\n{rows}http://169.254.169.254/a.png,x\n")
        meme, *refusals = site.collect(SOURCES.load("table")(path=table))
    assert isinstance(meme, FoundPicture)
    assert (meme.origin.key, meme.picture) == (f"{site.url}/cat.png", PICTURE)
    assert meme.origin.fetched is not None
    assert [item.reason for item in refusals if isinstance(item, Refusal)] == [
        "not a picture", "not found", "inside the network",
    ]  # fmt: skip
    assert site.log[0].path == "/robots.txt"


@pytest.mark.parametrize("at_once", [1, 3])
def test_pictures_may_come_several_at_once(tmp_path: Path, at_once: int) -> None:
    names = [f"/{number}.png" for number in range(9)]
    with serving({name: Reply(PICTURE) for name in names if name != "/4.png"}) as site:
        rows = "".join(f"{site.url}{name},tea\n" for name in (names[0], *names))
        source = SOURCES.load("table")(path=put(tmp_path / "memes.csv", f"url,text\n{rows}"))
        results = site.collect(source, tmp_path / "cache", at_once={site.host: at_once})
    places = [item.origin.key[-5] if isinstance(item, FoundPicture) else "-" for item in results]
    assert "".join(places) == "0123-5678"
    assert sorted(site.paths()) == names


def test_links_to_other_folders_are_not_followed(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    table = put(tmp_path / "t.csv", "image\n1.png\n")
    (tmp_path / "set").mkdir()
    (tmp_path / "set/linked.csv").symlink_to(table)
    (tmp_path / "set/pics").symlink_to(tmp_path / "pics")
    with pytest.raises(InputError, match="a link that leads out"):
        collected("table", tmp_path / "set")
    put(tmp_path / "set/own.csv", "image\n1.png\n")
    found, refusals = collected("table", tmp_path / "set")
    assert (found, [item.reason for item in refusals]) == ([], ["not readable", "no picture"])


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("deep.json", "[" * 100_000, "neither a JSON document"),
        ("n.json", '[{"id": ' + "9" * 6000 + "}]", "neither a JSON document"),
        ("none.json", "[1, 2]", "no list of objects"),
        ("empty.csv", "", "is empty"),
        ("junk.xlsx", "PK\x03\x04junk", "broken archive"),
    ],
)
def test_broken_tables_are_one_sentence(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    _two_pictures(tmp_path)
    with pytest.raises(InputError, match=problem):
        collected("table", put(tmp_path / name, content))


def test_hostile_cells_refuse_their_row_alone(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    rows = [
        {"id": "1" * 5000, "image": "1" * 5000},
        {"id": 2, "image": {"path": None, "bytes": "x"}},
        {"id": 3, "image": "/etc/passwd"},
        {"id": 4, "image": "http://[::1"},
        {"id": True, "image": "pics/1.png", "text": {"a": [[[["b"]]]]}, "label": {"a": "\ud800"}},
    ]
    put(tmp_path / "t.jsonl", lines(*rows))
    ((meme,), refusals) = collected("table", tmp_path)
    assert (meme.origin.key, len(refusals)) == ("TRUE", 4)


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


def test_a_picture_of_two_lists_is_fetched_once_with_both_keywords(tmp_path: Path) -> None:
    answers = {
        "/one.png": Reply(as_png(draw_picture(1, 120, 90))),
        "/icon.png": Reply(as_png(draw_picture(1, 16, 16))),
    }
    with serving(answers) as site:
        folder = tmp_path / "lists"
        folder.mkdir()
        one, icon = f"{site.url}/one.png", f"{site.url}/icon.png"
        (folder / "late_train.txt").write_text(f"# saved\n{one}\n{icon}\nno address\n")
        (folder / "b.csv").write_text(f"image,query,title\n{one},delay,A late train\n")
        found = site.collect(SearchSource(folder), tmp_path / "cache")
    (taken,) = [each for each in found if isinstance(each, FoundPicture)]
    assert taken.name == "A late train"
    assert taken.details["keywords"] == ["delay", "late train"]
    assert sorted(each.reason for each in found if isinstance(each, Refusal)) == [
        "no address",
        "too small",
    ]
