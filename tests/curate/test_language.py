"""Language, script and code-mixing filters: what stays, what goes, what a person sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters.language import LanguageFilter
from memeloc.curate.filters.mixing import MixingFilter, ScriptFilter
from memeloc.curate.protocol import FilterContext
from memeloc.errors import InputError
from memeloc.items import Item, Origin
from tests.curate.items import caption

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")

DESK = FilterContext(languages=("en", "de", "hi"))


def _one(filter_, *parts, **more):
    (verdict,) = filter_.judge([caption("c", *parts, **more)])
    assert verdict.item == "c"
    assert verdict.filter == filter_.name
    assert verdict.settings == filter_.cache_key(caption("c", *parts, **more))
    return verdict.verdict, verdict.reason


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        (("When you realise", "that it is only Tuesday"), ("keep", "")),
        (("WHEN YOU REALISE", "THAT IT IS ONLY TUESDAY"), ("keep", "")),
        (("Wenn du merkst", "dass erst Dienstag ist"), ("drop", "other language")),
        (("CUANDO TE DAS CUENTA DE QUE ES MARTES",), ("drop", "other language")),
        (("아직 화요일",), ("drop", "other language")),
        (("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",), ("drop", "other language")),
        (("", " "), ("drop", "no text")),
        (("2020 !!!", "😀"), ("ask", "no letters")),
        (("no",), ("ask", "too short")),
    ],
)
def test_language(parts, outcome):
    assert _one(LanguageFilter({}, DESK), *parts) == outcome


def test_unsure_identifiers_that_differ_ask_a_person():
    item = caption("c", "Pizza banana gorilla")
    verdicts = {}
    for sure in (0.0, 1.0):
        (verdict,) = LanguageFilter({"sure": sure}, DESK).judge([item])
        verdicts[sure] = verdict
    votes = set(verdicts[1.0].evidence["votes"].values())
    assert len(votes) == 2, "the two models no longer differ here; take another text"
    assert verdicts[1.0].verdict == "ask"
    assert verdicts[1.0].reason == "unsure language"
    assert verdicts[0.0].verdict in ("keep", "drop")


def test_other_languages_can_be_wanted():
    filter_ = LanguageFilter({"languages": ("de", "zh")}, DESK)
    assert _one(filter_, "Wenn du merkst, dass erst Dienstag ist")[0] == "keep"
    assert _one(filter_, "When you realise that it is only Tuesday")[0] == "drop"
    with pytest.raises(InputError, match="no locale"):
        LanguageFilter({"languages": ("xx",)}, DESK)


def test_what_the_source_states_is_doubted_but_not_passed_over():
    text = "When you realise that it is only Tuesday"
    assert _one(LanguageFilter({}, DESK), text, language="fr") == ("ask", "stated otherwise")
    assert _one(LanguageFilter({}, DESK), text, language="en") == ("keep", "")


def test_a_picture_that_nobody_read_waits():
    item = Item("p", "picture", Origin("test", "p"))
    for kind in (LanguageFilter, ScriptFilter, MixingFilter):
        (verdict,) = kind({}, DESK).judge([item])
        assert (verdict.verdict, verdict.reason) == ("ask", "not read yet")


def test_settings_and_text_change_the_stamp():
    item = caption("c", "When you realise")
    cache_key = LanguageFilter({}, DESK).cache_key(item)
    assert LanguageFilter({}, DESK).cache_key(item) == cache_key
    assert LanguageFilter({"sure": 0.8}, DESK).cache_key(item) != cache_key
    assert LanguageFilter({}, DESK).cache_key(caption("c", "When you realised")) != cache_key
    assert LanguageFilter({"identifier": "py3langid"}, DESK).cache_key(item) != cache_key


@pytest.mark.parametrize(
    ("language", "text", "outcome"),
    [
        ("en", "When you realise", ("keep", "")),
        ("en", "When you realise, понимаешь", ("ask", "mixed script")),
        ("en", "Когда понимаешь ok", ("drop", "other script")),
        ("en", "12345", ("keep", "")),
        ("ja", "東京のホテルのWi-Fi", ("ask", "mixed script")),
        ("hi", "आज सिर्फ मंगलवार है", ("keep", "")),
        ("ko", "漢字와 한글", ("keep", "")),
    ],
)
def test_script(language, text, outcome):
    assert _one(ScriptFilter({"languages": (language,)}, DESK), text) == outcome


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        (("When you realise that it is only Tuesday",), "keep"),
        (("WHEN YOU REALISE", "THAT IT IS ONLY TUESDAY"), "keep"),
        (("When you realise that it is only", "Cuando te das cuenta de que es martes"), "drop"),
        (
            ("I told him yesterday that I would come und dann ist er einfach gegangen",),
            "drop",
        ),
        (("यह meeting बहुत boring थी यार",), "drop"),
        (("यह PDF बहुत लंबा है भाई साहब",), "keep"),
        (("C'est la vie, said my old neighbour and went on with his work",), "ask"),
        (("OK",), "keep"),
    ],
)
def test_code_mixing(parts, outcome):
    assert _one(MixingFilter({}, DESK), *parts)[0] == outcome


def test_code_mixing_shows_which_words_are_foreign():
    (verdict,) = MixingFilter({}, DESK).judge([caption("c", "यह meeting बहुत boring थी यार")])
    assert verdict.evidence["language"] == "hi"
    assert verdict.evidence["foreign"] == {"Latn": "meeting boring"}
    assert verdict.score == pytest.approx(2 / 6, abs=1e-4)


@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_parts_are_judged_once_by_each(parts):
    item = caption("c", *parts)
    for kind in (LanguageFilter, ScriptFilter, MixingFilter):
        (verdict,) = kind({}, DESK).judge([item])
        assert verdict.verdict in ("keep", "drop", "ask")
        assert (verdict.reason == "") == (verdict.verdict == "keep")
        if verdict.score is not None:
            assert 0.0 <= verdict.score <= 1.0
