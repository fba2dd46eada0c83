"""Lists of what image searches found: addresses by keyword, and what is broken in them."""

from __future__ import annotations

from pathlib import Path

from memeloc.collect.sources.search import SearchSource
from memeloc.items import FoundPicture, Refusal
from tests.collect.local_site import serving
from tests.curate.drawn import as_png, draw_picture
from tests.local_server import Reply


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
