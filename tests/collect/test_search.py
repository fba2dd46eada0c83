"""Lists of what image searches found: addresses by keyword, and what is broken in them."""

from __future__ import annotations

import io
from pathlib import Path

from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from memeloc.collect.sources.search import SearchSource
from memeloc.items import FoundPicture, Refusal
from tests.collect.memegen_samples import drawing
from tests.collect.small_server import Answer, Site, serving


def picture(size: tuple[int, int] = (120, 90), hue: int = 0) -> bytes:
    stream = io.BytesIO()
    drawing(size, hue).save(stream, "PNG")
    return stream.getvalue()


def collected(source: SearchSource, site: Site, cache: Path) -> list[FoundPicture | Refusal]:
    options = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
    with Fetcher(cache, options) as fetcher:
        return list(source.collect(fetcher))


def test_a_picture_of_two_lists_is_fetched_once_with_both_keywords(tmp_path: Path) -> None:
    answers = {
        "/one.png": Answer(picture(), "image/png"),
        "/icon.png": Answer(picture((16, 16)), "image/png"),
    }
    with serving(answers) as site:
        folder = tmp_path / "lists"
        folder.mkdir()
        one, icon = f"{site.address}/one.png", f"{site.address}/icon.png"
        (folder / "late_train.txt").write_text(f"# saved\n{one}\n{icon}\nno address\n")
        (folder / "b.csv").write_text(f"image,query,title\n{one},delay,A late train\n")
        found = collected(SearchSource(folder), site, tmp_path / "cache")
    (taken,) = [each for each in found if isinstance(each, FoundPicture)]
    assert taken.name == "A late train"
    assert taken.details["keywords"] == ["delay", "late train"]
    assert sorted(each.reason for each in found if isinstance(each, Refusal)) == [
        "no address",
        "too small",
    ]
