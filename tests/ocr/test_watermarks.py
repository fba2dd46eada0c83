"""What is a caption: sites' names are none, and words that were joined are parted."""

from __future__ import annotations

import pytest

from memeloc.ocr.joined_words import part_words
from memeloc.ocr.protocol import Line
from memeloc.ocr.watermarks import is_watermark, marks_among, repeated, without_watermarks

MARKS = ("made with mematic", "imgflip.com", "@harbour_cat", "ifunny.co", "Made on Imgur", "u/tea")
CAPTIONS = ("me at work", "example.com is down", "3.5", "I browse 9gag", "Report", "ctrl+s", "@ 5")


@pytest.mark.parametrize("text", [*MARKS, *CAPTIONS])
def test_sites_names_and_handles_are_no_captions(text: str) -> None:
    assert is_watermark(text, 0.03) == (text in MARKS)


def test_an_address_as_large_as_a_poster_is_a_caption() -> None:
    assert not is_watermark("example.com", 0.1)


def test_what_many_pictures_have_at_an_edge_is_a_mark() -> None:
    corner, label = (
        Line("Harbour Cat", (5, 480, 90, 495), 0.9),
        Line("coffee", (5, 240, 90, 255), 1),
    )
    pictures = [(500, [corner, label, Line(f"text {n}", (5, 5, 200, 60), 1)]) for n in range(3)]
    assert marks_among(pictures[0][1], 500, repeated(pictures)) == [corner]
    assert marks_among(pictures[0][1], 500, repeated(pictures[:2])) == []


def test_memes_are_compared_without_marks() -> None:
    assert without_watermarks(["no tea", "imgflip.com"]) == ["no tea"]


@pytest.mark.parametrize(
    ("joined", "parted"),
    [
        ("IAMTHEDARKNESS", "I AM THE DARKNESS"),
        ("ONEDOESNOTSIMPLY walk", "ONE DOES NOT SIMPLY walk"),
        ("Anythingyouwanttotellme?", "Anything you want to tell me?"),
        *((text, text) for text in ("laundry", "Schadenfreude", "NOOOOOOOO", "hahahahaha")),
        *((text, text) for text in ("@harbourlights", "weatherforecast.example", "Mississippi")),
    ],
)
def test_words_that_were_joined_are_parted(joined: str, parted: str) -> None:
    assert part_words(joined) == parted
