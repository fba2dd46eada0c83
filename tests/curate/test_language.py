"""Language, script and code-mixing filters: what stays, what goes, what a person sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters.language import LanguageFilter, MixingFilter, ScriptFilter
from memeloc.curate.protocol import FilterContext
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


@pytest.mark.parametrize(
    ("language", "text"),
    [("ja", "YouTubeを見る"), ("ko", "Facebook 친구 추가"), ("ar", "انا و Netflix")],
)
@pytest.mark.parametrize("kind", [LanguageFilter, ScriptFilter, MixingFilter])
def test_a_name_in_latin_letters_does_not_outweigh_a_text(language, text, kind):
    beside = [
        caption(f"c{number}", sentence)
        for number, sentence in enumerate(["لما المدير يقول عندنا اجتماع الساعة خمسة"] * 5)
    ]
    context = FilterContext(source_language=language, languages=(language,), collected=beside)
    assert _one(kind({}, context), text) == ("keep", "")


def test_neighbours_that_are_both_unwanted_need_no_person():
    (verdict,) = LanguageFilter({}, DESK).judge([caption("c", "Jeg skal på jobb")])
    assert verdict.score < 0.9, "the models now know Norwegian from Danish here; take another text"
    assert verdict.verdict == "drop"


GERMAN = (
    "Wenn du merkst, dass erst Dienstag ist",
    "Der Drucker ist schon wieder kaputt",
    "Wenn die Katze auf der Tastatur schläft",
    "Ich nach der dritten Besprechung am Tag",
    "Kein Kaffee mehr in der Küche",
    "Morgen ist endlich wieder Wochenende",
)


def test_a_short_text_is_judged_beside_its_template():
    beside = [caption(f"c{n}", text, template="t") for n, text in enumerate(GERMAN)]
    short = caption("short", "Kaffee, Chef", template="t")
    alone = LanguageFilter({"languages": ("de",)}, DESK)
    related = LanguageFilter(
        {"languages": ("de",)}, FilterContext(languages=DESK.languages, collected=beside)
    )
    (before,), (after,) = alone.judge([short]), related.judge([short])
    assert after.score > before.score
    assert after.verdict == "keep"
    assert after.evidence["related"] == "de"
    assert related.cache_key(short) != alone.cache_key(short)
    assert related.cache_key(beside[0]) == alone.cache_key(beside[0])


def test_a_text_of_two_letters_is_kept_in_company_and_never_dropped():
    beside = [caption(f"c{n}", text, template="t") for n, text in enumerate(GERMAN)]
    context = FilterContext(languages=DESK.languages, collected=beside)
    ja = caption("ja", "Ach ja", template="t")
    (german,) = LanguageFilter({"languages": ("de",), "letters": 9}, context).judge([ja])
    (english,) = LanguageFilter({"letters": 9}, context).judge([ja])
    assert german.verdict == "keep"
    assert (english.verdict, english.reason) == ("ask", "too short")


@pytest.mark.parametrize(
    ("language", "text", "outcome"),
    [
        ("ar", "ana mesh 3ayez aro7 el shoghl bokra", ("keep", "")),
        ("hi", "kal office nahi jaana hai yaar", ("ask", "romanised")),
        ("ur", "kal office nahi jaana hai yaar", ("ask", "romanised")),
        ("bn", "ami aj office jabo na", ("ask", "romanised")),
        ("en", "kal office nahi jaana hai yaar", ("drop", "other language")),
        ("en", "ana mesh 3ayez aro7 el shoghl bokra", ("drop", "other language")),
    ],
)
def test_romanised_texts_are_what_they_are(language, text, outcome):
    context = FilterContext(source_language=language, languages=(language,))
    assert _one(LanguageFilter({}, context), text) == outcome


def test_romanised_texts_stay_where_the_settings_say_so():
    context = FilterContext(source_language="hi", languages=("hi",))
    text = "kal office nahi jaana hai yaar"
    for kind in (LanguageFilter, ScriptFilter):
        assert _one(kind({"romanised": ("hi", "ur")}, context), text) == ("keep", "")
    arabic = FilterContext(source_language="ar", languages=("ar",))
    text = "ana mesh 3ayez aro7 el shoghl bokra"
    for kind in (LanguageFilter, ScriptFilter):
        assert _one(kind({"romanised": ()}, arabic), text) == ("ask", "romanised")


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


def test_what_the_source_states_is_doubted_but_not_passed_over():
    text = "When you realise that it is only Tuesday"
    assert _one(LanguageFilter({}, DESK), text, language="fr") == ("ask", "stated otherwise")
    assert _one(LanguageFilter({}, DESK), text, language="en") == ("keep", "")


def test_settings_and_text_change_the_stamp():
    item = caption("c", "When you realise")
    cache_key = LanguageFilter({}, DESK).cache_key(item)
    assert LanguageFilter({}, DESK).cache_key(item) == cache_key
    assert LanguageFilter({"sure": 0.8}, DESK).cache_key(item) != cache_key
    assert LanguageFilter({}, DESK).cache_key(caption("c", "When you realised")) != cache_key
    assert LanguageFilter({"identifier": "langdetect"}, DESK).cache_key(item) != cache_key


@pytest.mark.parametrize(
    ("language", "text", "outcome"),
    [
        ("en", "When you realise", ("keep", "")),
        ("en", "When you realise, понимаешь", ("keep", "")),
        ("en", "ok, понимаешь", ("ask", "mixed script")),
        ("en", "Когда понимаешь ok", ("drop", "other script")),
        ("en", "12345", ("keep", "")),
        ("ja", "東京のホテルのWi-Fi", ("keep", "")),
        ("ja", "YouTubeを見る", ("keep", "")),
        ("ko", "Facebook 친구 추가", ("keep", "")),
        ("ko", "facebook 친구 추가", ("keep", "")),
        ("ko", "Netflix 봐", ("keep", "")),
        ("ko", "Netflix", ("ask", "names only")),
        ("ar", "انا و Netflix", ("keep", "")),
        ("ar", "ana mesh 3ayez aro7 el shoghl bokra", ("keep", "")),
        ("hi", "kal office nahi jaana hai yaar", ("ask", "romanised")),
        ("en", "Facebook 친구 추가", ("drop", "other script")),
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
        (("यह meeting बहुत लंबी थी यार",), "keep"),
        (("when the boss says ek aur meeting hai", "me"), "drop"),
        (("kal office nahi jaana hai yaar",), "drop"),
        (("I need coffee 3ashan ana ta3ban awi",), "drop"),
        (("I drink my chai at the office with Ahmed",), "keep"),
        (("C'est la vie, said my old neighbour and went on with his work",), "ask"),
        (("OK",), "keep"),
    ],
)
def test_code_mixing(parts, outcome):
    assert _one(MixingFilter({}, DESK), *parts)[0] == outcome


def test_arabizi_is_no_code_mixing_in_an_arabic_workspace():
    context = FilterContext(source_language="ar", languages=("ar",))
    assert _one(MixingFilter({}, context), "ana mesh 3ayez aro7 el shoghl bokra") == ("keep", "")


@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_parts_are_judged_once_by_each(parts):
    item = caption("c", *parts)
    for kind in (LanguageFilter, ScriptFilter, MixingFilter):
        (verdict,) = kind({}, DESK).judge([item])
        assert verdict.verdict in ("keep", "drop", "ask")
        assert (verdict.reason == "") == (verdict.verdict == "keep")
        if verdict.score is not None:
            assert 0.0 <= verdict.score <= 1.0
