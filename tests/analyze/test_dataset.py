"""Statistics of a dataset: worked by hand, and tf-idf against its formula written out."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from memeloc.analyze.dataset import describe
from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.reports.figures import wide
from tests.each import each


@each(
    ("text", "tag", "words"),
    [
        ("Don't panic!", "en", ["don't", "panic"]),
        ("IŞIK", "tr", ["ışık"]),
        ("我爱喝茶", "zh-Hans", ["我", "爱", "喝茶"]),
        ("ฉันตากผ้า", "xx-unknown", ["ฉัน", "ตาก", "ผ้า"]),
        ("दुनिया में", "hi", ["दुनिया", "में"]),
    ],
)
def test_words_are_cut_as_the_language_is(text: str, tag: str, words: list[str]) -> None:
    assert plain_words(text, tag) == words


def test_tf_idf_is_its_formula_written_out() -> None:
    memes = pd.DataFrame(
        {
            "meme": list("abcd"),
            "text": ["the cat naps", "the cat", "the tea", "the hot tea tea"],
            "label": ["cats", "cats", "tea", "tea"],
            "language": "en",
        }
    )
    # Words of at least two texts: the (df 4), cat (df 2), tea (df 2).
    rare = math.log(5 / 3) + 1
    once = rare / math.hypot(rare, 1)
    twice = 2 * rare / math.hypot(2 * rare, 1)
    frame = wide(describe(memes), "class-words").set_index(["group", "item"])
    assert frame.loc[("en · cats", "cat"), ["tf_idf", "rest"]].tolist() == pytest.approx([once, 0])
    assert frame.loc[("en · tea", "tea"), "tf_idf"] == pytest.approx((once + twice) / 2)
    assert ("en · tea", "the") not in frame.index


@pytest.mark.parametrize(
    ("memes", "message"),
    [
        ({"id": ["a"]}, "has the columns meme"),
        ({"meme": []}, "no rows"),
    ],
)
def test_bad_tables_are_a_sentence(memes: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        describe(pd.DataFrame(memes))
