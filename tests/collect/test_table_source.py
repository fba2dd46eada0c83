"""The source `table`: guessed and named columns, pictures that are found or not, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.collect.protocol import SOURCES
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Refusal
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, lines, put
from tests.collect.local_site import serving
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
