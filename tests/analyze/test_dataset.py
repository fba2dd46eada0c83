"""Statistics of a dataset: worked by hand, and tf-idf against its formula written out."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from memeloc.analyze.dataset import describe
from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.reports.figures import value_of, wide
from tests.each import each

MEMES = pd.DataFrame(
    [
        ("a", "the cat naps // at noon", "en", "cats", "press", "cat", "jpg", "2019"),
        ("b", "the cat eats", "en", "cats", "press", "cat", "jpg", "2020-05"),
        ("c", "the tea is hot", "en", "tea", "press", "tea", "png", "2020"),
        ("d", "the tea is cold again", "en", "tea", "blog", "tea", "jpg", "2022"),
        ("e", "кот спит", "ru", "cats", "blog", "", "jpg", ""),
        ("f", "", "", "tea", "blog", "tea", "jpg", "2022"),
        ("g", "我爱喝茶", "zh", "", "blog", "tea", "jpg", "2022"),
    ],
    columns=["meme", "text", "language", "label", "source", "keyword", "format", "time"],
)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return describe(MEMES.assign(reading=["", "", "", "", "", "only fragments", ""]))


def counts(rows: pd.DataFrame, kind: str, figure: str = "memes") -> dict[str, float]:
    frame = wide(rows, "dataset").query(f"group == {kind!r}")
    return dict(zip(frame["item"], frame[figure], strict=True))


def test_scripts_are_those_of_most_letters() -> None:
    mixed = describe(pd.DataFrame({"meme": ["a", "b"], "text": ["кот wifi коты", "tea"]}))
    assert counts(mixed, "script") == {"Cyrl": 1, "Latn": 1}
    assert counts(mixed, "script", "mixed") == {"Cyrl": 1, "Latn": 0}


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


def test_sources_have_the_shares_of_classes(rows: pd.DataFrame) -> None:
    assert counts(rows, "source", "share")["press"] == pytest.approx(3 / 7)
    assert counts(rows, "source", "share: cats")["press"] == pytest.approx(2 / 3)
    assert counts(rows, "source", "share: tea")["blog"] == pytest.approx(2 / 3)  # g has no label
    assert list(counts(rows, "keyword")) == ["tea", "cat", "not known"]


def test_classes_over_years(rows: pd.DataFrame) -> None:
    assert counts(rows, "year") == {"2019": 1, "2020": 2, "2022": 3, "not known": 1}
    assert counts(rows, "year", "share: tea")["2020"] == pytest.approx(1 / 2)


def test_unread_pictures_are_counted_with_reasons(rows: pd.DataFrame) -> None:
    assert counts(rows, "reading") == {"text was read": 6, "only fragments": 1}


def test_the_rarest_of_many_names_are_one() -> None:
    memes = pd.DataFrame({"meme": range(41), "source": ["press"] * 2 + list(map(str, range(39)))})
    sources = counts(describe(memes), "source")
    assert len(sources) == 30
    assert sources["press"] == 2
    assert sources["all others"] == 11


def test_lengths_are_those_of_all_and_of_each_class(rows: pd.DataFrame) -> None:
    frame = wide(rows, "caption-lengths").set_index(["group", "item"])
    assert frame.loc[("en", "cats"), "words"] == pytest.approx(4)
    assert frame.loc[("en", "all"), ["median", "longest", "n"]].tolist() == [4.5, 5, 4]
    assert ("ru", "cats") not in frame.index  # the only class of its language


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


def test_words_tell_classes_of_languages_with_several(rows: pd.DataFrame) -> None:
    first = wide(rows, "class-words").groupby("group")["item"].first().to_dict()
    assert first == {"en · cats": "cat", "en · tea": "is"}  # ru and zh have one class each


def test_what_is_not_known_has_no_rows() -> None:
    rows = describe(pd.DataFrame({"meme": ["a"], "language": ["de"]}))
    assert counts(rows, "language") == {"de": 1}
    assert set(rows["analysis"]) == {"dataset"}
    assert value_of(rows, "dataset", "memes") == 1


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
