"""Arabic, Hindi, Urdu and Bengali in Latin letters: what is recognised, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters.identification import (
    CLASSES,
    identify_romanised,
    romanised_words,
    word_scores,
    words_of,
)


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
