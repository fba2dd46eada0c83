"""The source `table`: guessed and named columns, pictures that are found or not, addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from memeloc.collect.protocol import SOURCES
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Refusal
from tests.collect.datasets_on_disk import OTHER, PICTURE, by_key, collected, lines, put
from tests.collect.small_server import Answer, serving


def _two_pictures(root: Path) -> None:
    put(root / "pics/1.png", PICTURE)
    put(root / "pics/2.jpg", OTHER)


def test_a_column_of_pictures_is_known_by_its_cells(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "t.csv", "where,what\npics/1.png,tea\npics/2.jpg,cats\n")
    found, _ = collected("table", tmp_path)
    assert by_key(found).keys() == {"pics/1.png", "pics/2.jpg"}


def test_of_headings_that_differ_in_case_the_first_is_meant(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    table = put(tmp_path / "t.csv", "image,Text,TEXT\npics/1.png,tea,cats\n")
    for asked, text in {"": "tea", "TEXT": "cats"}.items():
        ((meme,), _) = collected("table", table, text=asked)
        assert meme.parts == (text,)


def test_one_object_for_each_key_is_a_table(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "t.json", json.dumps({"x1": {"image": "1.png", "text": ["tea", "time"]}}))
    ((meme,), _) = collected("table", tmp_path)
    assert (meme.origin.key, meme.parts) == ("x1", ("tea", "time"))


def test_which_picture_is_meant_is_not_guessed(tmp_path: Path) -> None:
    put(tmp_path / "train/1.png", PICTURE)
    put(tmp_path / "test/1.png", OTHER)
    put(tmp_path / "sets/t.csv", "image\n1.png\ntest/1.png\ndev/1.png\n../train/1.png\n")
    found, refusals = collected("table", tmp_path)
    assert [(item.origin.key, item.picture) for item in found] == [("test/1.png", OTHER)]
    assert [refusal.reason for refusal in refusals] == [
        "several pictures", "no picture", "outside the folder",
    ]  # fmt: skip
    assert "test/1.png or train/1.png" in refusals[0].sentence


def test_ids_of_two_tables_may_be_equal(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "a.jsonl", lines({"id": 1, "image": "1.png", "note": "x"}))
    put(tmp_path / "b.jsonl", lines({"id": 1, "image": "2.jpg"}, {"id": 1, "image": "2.jpg"}))
    found, refusals = collected("table", tmp_path)
    assert ([item.origin.key for item in found], refusals) == (["1", "b.jsonl#1"], [])


def test_addresses_are_fetched_politely(tmp_path: Path) -> None:
    answers = {"/cat.png": Answer(PICTURE), "/page": Answer(b"<html>")}
    with serving(answers) as site:
        rows = "".join(f"{site.address}/{name},tea\n" for name in ("cat.png", "page", "gone.png"))
        table = put(tmp_path / "memes.csv", f"url,text\n{rows}http://169.254.169.254/a.png,x\n")
        settings = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
        with Fetcher(None, settings) as fetcher:
            results = list(SOURCES.load("table")(path=table).collect(fetcher))
    meme, *refusals = results
    assert isinstance(meme, FoundPicture)
    assert (meme.origin.key, meme.picture) == (f"{site.address}/cat.png", PICTURE)
    assert meme.origin.fetched is not None
    assert [item.reason for item in refusals if isinstance(item, Refusal)] == [
        "not a picture", "not found", "inside the network",
    ]  # fmt: skip
    assert "/robots.txt" in site.asked


@pytest.mark.parametrize("at_once", [1, 3])
def test_pictures_may_come_several_at_once(tmp_path: Path, at_once: int) -> None:
    answers = {f"/{name}.png": Answer(PICTURE) for name in range(9) if name != 4}
    with serving(answers) as site:
        rows = "".join(f"{site.address}/{name},tea\n" for name in ("0.png", *answers_of(9)))
        table = put(tmp_path / "memes.csv", f"url,text\n{rows}")
        settings = FetchSettings(
            delay=0.0,
            retries=0,
            allow_hosts=frozenset({site.host}),
            at_once={site.host: at_once},
        )
        with Fetcher(tmp_path / "cache", settings) as fetcher:
            results = list(SOURCES.load("table")(path=table).collect(fetcher))
        asked = site.asked
    places = [item.origin.key[-5] if isinstance(item, FoundPicture) else "-" for item in results]
    assert "".join(places) == "0123-5678"
    assert sorted(asked) == sorted(["/robots.txt", *(f"/{name}" for name in answers_of(9))])


def answers_of(count: int) -> list[str]:
    return [f"{number}.png" for number in range(count)]


@pytest.mark.parametrize(
    ("date", "created"),
    [
        ("2018-10-10", "2018-10-10"),
        ("2018-10-10 20:19:24", "2018-10-10T20:19:24"),
        ("1539202764000", "2018-10-10T20:19:24+00:00"),
        ("Wed Oct 10 20:19:24 +0000 2018", "2018-10-10T20:19:24+00:00"),
        ("Wed, 10 Oct 2018 20:19:24 +0200", "2018-10-10T20:19:24+02:00"),
        ("2018", "2018"),
        ("last week", ""),
    ],
)
def test_dates_become_iso_8601_or_stay_as_written(tmp_path: Path, date: str, created: str) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "t.jsonl", lines({"image": "1.png", "date": date}))
    ((meme,), _) = collected("table", tmp_path)
    assert meme.created == created
    assert meme.details.get("date") == (None if created else date)


def test_json_files_beside_pictures_are_a_table_of_any_kind(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "pics/1.json", json.dumps({"text": "tea", "label": "calm", "id": 7}))
    put(tmp_path / "pics/2.json", json.dumps({"text": "cats"}))
    found, refusals = collected("table", tmp_path)
    assert {key: meme.parts for key, meme in by_key(found).items()} == {
        "7": ("tea",), "pics/2.jpg": ("cats",),
    }  # fmt: skip
    assert refusals == []
    put(tmp_path / "t.csv", "image\n1.png\n")
    found, (refusal,) = collected("table", tmp_path)
    assert (len(found), refusal.url) == (1, "pics/1.json")
    assert "2 JSON files" in refusal.sentence


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
        (
            "deep.json",
            "[" * 100_000,
            "neither a JSON document",
        ),
        (
            "n.json",
            '[{"id": ' + "9" * 6000 + "}]",
            "neither a JSON document",
        ),
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


def test_hugging_face_names_the_tables_it_does_not_read(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "train.csv", "image,text\n1.png,tea\n")
    found, (refusal,) = collected("huggingface", tmp_path)
    assert (len(found), refusal.url, refusal.reason) == (2, "train.csv", "a table, not read")


def test_a_folder_names_the_tables_it_does_not_read(tmp_path: Path) -> None:
    _two_pictures(tmp_path)
    put(tmp_path / "memes.csv", "image,text\n1.png,tea\n")
    for name in ("1.png", "2.jpg"):
        put(tmp_path / f"pics/{name}.json", "{}")
    found, refusals = collected("folder", tmp_path)
    assert len(found) == 2
    assert {refusal.url: refusal.reason for refusal in refusals} == {
        "memes.csv": "a table, not read", "pics/1.png.json": "a table, not read",
    }  # fmt: skip
    assert "memeloc collect table" in refusals[0].sentence
    assert "2 JSON files" in refusals[1].sentence
