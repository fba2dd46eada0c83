"""Statistics of a dataset: worked by hand, and tf-idf against its formula written out."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from memeloc.analyze.dataset import describe, with_dialects
from memeloc.analyze.dataset.words import class_words
from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.reports.sections import Section

MEMES = pd.DataFrame(
    [
        ("a", "the cat naps // at noon", "en", "cats", "press", "cat", 400, 300, "jpg", "2019"),
        ("b", "the cat eats", "en", "cats", "press", "cat", 400, 300, "jpg", "2020-05"),
        ("c", "the tea is hot", "en", "tea", "press", "tea", 800, 600, "png", "2020"),
        ("d", "the tea is cold again", "en", "tea", "blog", "tea", 500, 500, "jpg", "2022"),
        ("e", "кот спит", "ru", "cats", "blog", "", None, None, "jpg", ""),
        ("f", "", "", "tea", "blog", "tea", 400, 300, "jpg", "2022"),
        ("g", "我爱喝茶", "zh", "", "blog", "tea", 400, 300, "jpg", "2022"),
    ],
    columns=[
        "meme", "text", "language", "label", "source", "keyword", "width", "height", "format",
        "time",
    ],
)  # fmt: skip


@pytest.fixture(scope="module")
def section() -> Section:
    return describe(MEMES.assign(reading=["", "", "", "", "", "only fragments", ""]))


def frame(section: Section, name: str) -> pd.DataFrame:
    table = next(table for table in section.tables if table.name == name)
    assert list(table.frame.columns) == list(table.columns)
    return table.frame


def test_scripts_are_those_of_most_letters() -> None:
    mixed = describe(pd.DataFrame({"meme": ["a", "b"], "text": ["кот wifi коты", "tea"]}))
    rows = frame(mixed, "scripts").set_index("script")
    assert rows["memes"].to_dict() == {"Cyrl": 1, "Latn": 1}
    assert rows["mixed"].to_dict() == {"Cyrl": 1, "Latn": 0}


@pytest.mark.parametrize(
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


def test_sources_have_the_shares_of_classes(section: Section) -> None:
    rows = frame(section, "sources").set_index("source")
    assert rows.loc["press", "share"] == pytest.approx(3 / 7)
    assert rows.loc["press", "share of cats"] == pytest.approx(2 / 3)
    assert rows.loc["blog", "share of tea"] == pytest.approx(2 / 3)  # g has no label
    assert frame(section, "keywords")["keyword"].tolist() == ["tea", "cat", "not known"]


def test_picture_sizes_are_medians_and_modes(section: Section) -> None:
    assert section.figures["median width"] == 400
    sizes = frame(section, "picture-modes")
    assert (sizes["size"][0], sizes["memes"][0]) == ("400×300", 4)
    rows = frame(section, "picture-sizes").set_index("measure")
    assert rows.loc["width by height", "smallest"] == 1
    assert rows.loc["megapixels", "largest"] == pytest.approx(0.48)


def test_classes_over_years(section: Section) -> None:
    rows = frame(section, "over-time").set_index("period")
    assert rows["memes"].to_dict() == {"2019": 1, "2020": 2, "2022": 3}
    assert rows.loc["2020", "share of tea"] == pytest.approx(1 / 2)


def test_within_two_years_time_is_in_months() -> None:
    memes = pd.DataFrame({"meme": list("ab"), "time": ["2024-01-02", "2024-03-02T10:00:00Z"]})
    assert frame(describe(memes), "over-time")["period"].tolist() == ["2024-01", "2024-03"]


def test_unread_pictures_are_counted_with_reasons(section: Section) -> None:
    rows = frame(section, "unread").set_index("reading")
    assert rows["memes"].to_dict() == {"text was read": 6, "only fragments": 1}
    assert section.figures["unread"] == 1


def test_tf_idf_is_its_formula_written_out() -> None:
    texts = pd.Series(["the cat naps", "the cat", "the tea", "the hot tea tea"])
    labels = pd.Series(["cats", "cats", "tea", "tea"])
    # Words of at least two texts: the (df 4), cat (df 2), tea (df 2).
    rare = math.log(5 / 3) + 1
    once = rare / math.hypot(rare, 1)
    twice = 2 * rare / math.hypot(2 * rare, 1)
    rows = {
        (label, word): (score, rest)
        for label, word, score, rest, _ in class_words(texts, labels, "en")
    }
    assert rows["cats", "cat"] == pytest.approx((once, 0))
    assert rows["tea", "tea"] == pytest.approx(((once + twice) / 2, 0))
    assert ("tea", "the") not in rows


def test_words_tell_classes_in_every_script(section: Section) -> None:
    rows = frame(section, "words")
    assert rows.groupby("class")["word"].first().to_dict() == {"cats": "cat", "tea": "is"}
    assert set(rows["language"]) == {"en"}  # ru and zh have one class each


def test_unknown_columns_are_gaps_and_not_errors() -> None:
    section = describe(pd.DataFrame({"meme": ["a"], "language": ["de"]}))
    assert [table.name for table in section.tables] == ["languages"]
    assert "No picture's size or format is known." in section.gaps
    assert "dialect" in section.gaps[-1]


def test_dialects_are_those_of_most_annotators() -> None:
    named = pd.DataFrame(
        [("a", who, dialect) for who, dialect in zip("xyz", ("egy", "egy", "msa"), strict=True)]
        + [("b", "x", "egy"), ("b", "y", "msa")],
        columns=["item", "participant", "label"],
    )
    memes = with_dialects(pd.DataFrame({"meme": ["a", "b", "c"]}), named)
    assert memes["dialect"].tolist() == ["egy", "", ""]
    shares = frame(describe(memes), "dialects").set_index("dialect")["memes"]
    assert shares.to_dict() == {"egy": 1, "not known": 2}


@pytest.mark.parametrize(
    ("memes", "message"),
    [
        ({"id": ["a"]}, "has the columns meme"),
        ({"meme": []}, "no rows"),
        ({"meme": ["a", "b"], "width": ["12", "wide"]}, "row 2, column width: 'wide' is not"),
    ],
)
def test_bad_tables_are_a_sentence(memes: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        describe(pd.DataFrame(memes))
