"""Keywords and years in texts: variants, and what a text bears out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.keywords import (
    LONGEST,
    KeywordMatcher,
    KeywordRules,
    Variant,
    expand,
    fold,
    load_rules,
    rule_languages,
    write_variants,
)
from memeloc.collect.year_by_model import YearReader, bears_out
from memeloc.errors import InputError, ServiceError
from memeloc.language_models import LanguageModel, ModelSettings
from tests.chat_server import ChatServer, error

ARABIC, ENGLISH = load_rules("ar"), load_rules("en")


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=30)


ARABIC_WORDS = st.text("ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآءئؤ", min_size=1, max_size=12)


KEYWORDS = st.one_of(WORDS, ARABIC_WORDS).filter(lambda word: bool(" ".join(word.split())))


def forms(keyword: str, kind: str) -> set[str]:
    return {item.text for item in expand([keyword], ARABIC) if item.kind == kind}


def test_every_kind_of_the_paper_s_appendix() -> None:
    assert {"القهوة", "والقهوة", "للقهوة", "قهوتي", "وقهوتكم"} <= forms("قهوة", "morphology")
    assert {"يا قطة"} <= forms("قطة", "morphology")
    assert {"أهوة", "گهوة"} <= forms("قهوة", "dialect")
    assert {"قهوه"} <= forms("قهوة", "spelling")
    assert {"حليييب", "حليببب", "حلييييب"} <= forms("حليب", "elongation")
    assert {"7lib", "7alib"} <= forms("حليب", "arabizi")
    assert {"sba7", "saba7"} <= forms("صباح", "arabizi")
    assert {"shay", "shai"} <= forms("شاي", "arabizi")
    assert {"qahwa", "el qahwa"} <= forms("قهوة", "arabizi")
    assert {"crazy قطة", "قطة time"} <= forms("قطة", "code-switched")
    assert {"لما تشوف قطة", "POV قطة"} <= forms("قطة", "cue")


def test_languages_are_looked_up_by_tag() -> None:
    assert rule_languages() == ("ar", "en")
    assert load_rules("ar-EG") == load_rules("AR") == ARABIC
    with pytest.raises(InputError, match="no keyword rules for 'xx'"):
        load_rules("xx")


@given(st.lists(KEYWORDS, min_size=1, max_size=2), st.sampled_from([ARABIC, ENGLISH]))
def test_the_same_keywords_give_the_same_bounded_list(
    keywords: list[str], rules: KeywordRules
) -> None:
    made = list(expand(keywords, rules))
    assert made == list(expand(keywords, rules))
    assert len({variant.text for variant in made}) == len(made)
    assert len(made) <= 300 * len(keywords)
    for keyword in {variant.keyword for variant in made}:
        own = [variant for variant in made if variant.keyword == keyword]
        assert len(own) <= 300
        assert all(item.text and item.rule for item in own)


@given(ARABIC_WORDS, st.data())
def test_what_is_made_is_found(keyword: str, data: st.DataObject) -> None:
    variants = list(expand([keyword], ARABIC))
    matcher = KeywordMatcher(variants, ARABIC)
    variant = data.draw(st.sampled_from(variants))
    result = matcher.find(f"xyz, {variant.text}! xyz")
    if fold(variant.text, ARABIC.match).strip():
        assert result
    assert not KeywordMatcher([], ARABIC).find(variant.text)


@given(WORDS)
def test_any_text_can_be_searched(text: str) -> None:
    matcher = KeywordMatcher(expand(["قهوة", "cat"], ARABIC), ARABIC)
    assert isinstance(matcher.find(text), list)


def test_marks_tatweel_and_repeated_letters_do_not_count() -> None:
    matcher = KeywordMatcher(expand(["قهوة"], ARABIC), ARABIC)
    texts = ["قَهْوَةٌ", "قـــهـــوة", "قهوووووووة", "#قهوة_الصباح", "ﻗﻬﻮﺓ", "QAHWAAAAAA", "«القهوه»"]
    assert [text for text in texts if not matcher.find(text)] == []
    others = ["قهوجيات", "مقهى", "قه وة", "qahwat"]
    assert [text for text in others if matcher.find(text)] == []


def test_a_phrase_of_many_repeated_letters_takes_no_time() -> None:
    phrase = " ".join("ab" * 16)[:LONGEST]
    matcher = KeywordMatcher(expand([phrase], ENGLISH, limit=20), ENGLISH)
    text = " ".join(letter * 4 for letter in phrase.split()) * 50
    matcher.find(text)


def test_wrong_keywords_are_refused() -> None:
    for keyword in ("", "  ", "x" * (LONGEST + 1)):
        with pytest.raises(InputError, match="a keyword has 1 to 100 characters"):
            list(expand([keyword], ENGLISH))


def put(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("", "needs one of prefixes"),
        ('prefixes = ["a"]\nrepeat = "any"', "needs one of prefixes"),
        ('patterns = ["no place"]', "needs {word}"),
        ('replace = [["", ["a"]]]', "replaces nothing"),
        ('repeat = "any"\ntimes = [0]', "greater than or equal to 1"),
        ('repeat = "any"\nmost = 100000', "less than or equal to 1000"),
        ('colour = "red"', "has no setting 'rule.0.colour'"),
    ],
)
def test_wrong_rules_are_reported(tmp_path: Path, rule: str, sentence: str) -> None:
    path = put(tmp_path / "xx.toml", f'language = "xx"\n[[rule]]\nname = "r"\nkind = "k"\n{rule}\n')
    with pytest.raises(InputError) as error:
        load_rules(path)
    assert sentence in str(error.value)
    assert str(error.value).startswith(str(path))


def test_rules_of_one_s_own(tmp_path: Path) -> None:
    path = put(
        tmp_path / "xx.toml",
        'language = "xx"\n[[rule]]\nname = "loud"\nkind = "case"\nreplace = [["a", ["A", "Aa"]]]\n',
    )
    rules = load_rules(path)
    assert [item.text for item in expand(["banana", "tea"], rules)] == [
        "banana", "bAnAnA", "bAanAanAa", "tea", "teA", "teAa",
    ]  # fmt: skip
    with pytest.raises(InputError, match="is not TOML"):
        load_rules(put(tmp_path / "yy.toml", "= ="))
    with pytest.raises(InputError, match="cannot be read"):
        load_rules(tmp_path / "gone.toml")


def test_variants_go_out_without_formulas(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    assert write_variants([Variant("=1+1", "=1", "k", "r")], path, "en") == (path, 1)
    lines = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    assert lines == [
        ["keyword", "variant", "kind", "rule", "language"],
        ["'=1", "'=1+1", "k", "r", "en"],
    ]


TEXT = "The sleepy snail was drawn in 1999. It spread in  the\nsummer of 2012, after a forum post."


def _reader(chat: ChatServer, answer: Any, **more: Any) -> YearReader:
    chat.say = lambda number, body: answer if isinstance(answer, str) else json.dumps(answer)
    settings = ModelSettings(model="tiny", base_url=chat.url, asks=1)
    return YearReader(LanguageModel(settings), latest=2026, **more)


@pytest.mark.parametrize(
    "answer",
    [
        {"evidence": "the summer of 2011", "year": 2011},  # not in the text
        {"evidence": "the summer of 2012", "year": 2011},  # another year
        {"evidence": "a forum post", "year": 2012},  # no year in it
        {"evidence": "", "year": 2012},
        {"evidence": "summer of 201", "year": 201},
        {"evidence": "the summer of 2012", "year": 12012},
        {"evidence": "2012", "year": "2012"},
        "I cannot say.",
    ],
)
def test_what_the_text_does_not_bear_out_is_refused(chat: ChatServer, answer: Any) -> None:
    reader = _reader(chat, answer)
    assert reader(TEXT) is None
    assert len(chat.bodies) == 1


def test_years_out_of_range_are_refused(chat: ChatServer) -> None:
    reader = _reader(chat, {"evidence": "in 1812", "year": 1812})
    assert reader("A battle in 1812, drawn in 2012.") is None
    chat.refuse = lambda number, body: error(401, "wrong key")
    with pytest.raises(ServiceError, match="wrong key"):
        reader(TEXT)


@pytest.mark.parametrize(
    ("text", "evidence", "year", "right"),
    [
        ("In ２０１２ it came.", "in 2012 It", 2012, True),
        ("ظهر في عام ٢٠١٢ أول مرة", "عام ٢٠١٢", 2012, True),
        ("Summer ’12 was warm", "summer '12", 2012, True),
        ("born in 120123", "2012", 2012, False),
        ("in 20123", "in 2012", 2012, False),
        ("since the 2010s", "the 2010s", 2010, False),
        ("one of 2012's best", "2012's best", 2012, True),
        ("between 2011 and 2013", "2011 and 2013", 2012, False),
        ("x" * 400 + "2012", "x" * 400 + "2012", 2012, False),
    ],
)
def test_bearing_out(text: str, evidence: str, year: int, right: bool) -> None:
    assert bears_out(text, evidence, year) is right


@given(st.text(), st.text(), st.integers())
def test_bearing_out_takes_anything(text: str, evidence: str, year: int) -> None:
    assert not bears_out(text, evidence, abs(year) + 10_000) or str(abs(year) + 10_000) in evidence
