"""The texts of surveys in a store: they ship, people correct them, and they ship anew."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import Store
from memeloc.store.surveys.survey_texts import survey_text_id, survey_text_key
from tests.store.conftest import answer, decide, send

ENGLISH = {"title": "Memes", "progress": "{number} of {total}", "example.caption": "one // two"}
GERMAN = {"title": "Meme", "progress": "{number} von {total}", "gone": "weg"}


@pytest.fixture
def worded(store: Store) -> Store:
    """A store with three texts in English, two of them in German."""
    assert store.survey_texts.add(ENGLISH, "de", GERMAN) == 5
    return store


def _texts(store: Store, language: str = "de") -> dict[str, tuple[str, str, int]]:
    return {
        survey_text_key(meme_id): (str(version.caption), version.stage, version.version)
        for meme_id, version in store.captions.current(language, kind="survey").items()
    }


def _correct(store: Store, sheet: str, texts: dict[str, str], **what: str) -> None:
    send(store, sheet, only="all", kind="survey")
    answer(store, sheet, {survey_text_id(key): text for key, text in texts.items()}, **what)


def test_texts_are_stored_once_and_are_no_captions(worded: Store) -> None:
    assert worded.survey_texts.add(ENGLISH, "de", GERMAN) == 0
    assert _texts(worded, "en") == {key: (text, "shipped", 1) for key, text in ENGLISH.items()}
    assert _texts(worded) == {
        "title": ("Meme", "shipped", 1),
        "progress": ("{number} von {total}", "shipped", 1),
    }
    assert worded.captions.current("en") == {} == worded.captions.current("de")
    assert worded.captions.count() == 0
    assert len(worded.exports.frame("captions")) == len(worded.exports.frame("memes")) == 0
    assert worded.captions.templates() == {}
    assert worded.captions.to_translate("de") == []
    (missing,) = worded.captions.to_translate("de", kind="survey")
    assert missing.meme_id == survey_text_id("example.caption")
    assert missing.source.parts == ("one", "two")


def test_machine_text_is_no_correction_until_a_person_says_so(worded: Store) -> None:
    for item in worded.captions.to_translate("hi", kind="survey"):
        worded.captions.add_translation(
            item.meme_id, "hi", item.source.caption, source_id=item.source.id, translator="pseudo"
        )
    assert worded.survey_texts.corrections("hi") == {}
    send(worded, "h1", kind="survey", tag="hi")
    answer(worded, "h1", {survey_text_id("title"): "Memes"}, status="correct")
    assert worded.survey_texts.corrections("hi") == {"title": "Memes"}


def test_what_ships_anew_supersedes_no_person(worded: Store) -> None:
    _correct(worded, "s1", {"title": "Memes!", "progress": "{number} von {total}"})
    anew = {
        "title": "Meme-Studie",
        "progress": "{number}/{total}",
        "example.caption": "ein // zwei",
    }
    assert worded.survey_texts.add(ENGLISH, "de", anew) == 2
    assert _texts(worded) == {
        "title": ("Memes!", "corrected", 2),
        "progress": ("{number}/{total}", "shipped", 3),  # a person had left it as it shipped
        "example.caption": ("ein // zwei", "shipped", 1),
    }
    assert worded.survey_texts.corrections("de") == {"title": "Memes!"}
    assert worded.survey_texts.add(ENGLISH, "de", anew) == 0


def test_changed_english_supersedes_and_asks_for_a_look(worded: Store) -> None:
    _correct(worded, "s1", {"title": "Memes!", "progress": "{number}: {total}"})
    changed = {**ENGLISH, "title": "What do these memes say?"}
    # Known from the texts that go out, before the store has heard of the new English.
    assert worded.survey_texts.corrections("de", changed) == {"progress": "{number}: {total}"}
    assert worded.survey_texts.add(changed) == 1
    assert worded.survey_texts.corrections("de") == {"progress": "{number}: {total}"}
    (stale,) = worded.captions.to_translate("de", only="changed", kind="survey")
    assert survey_text_key(stale.meme_id) == "title"
    assert worded.survey_texts.add(changed, "de", {**GERMAN, "title": "Was sagen Memes?"}) == 1
    assert _texts(worded)["title"] == ("Was sagen Memes?", "shipped", 3)
    assert worded.survey_texts.add(ENGLISH) == 1
    assert worded.survey_texts.add(ENGLISH) == 0
    assert _texts(worded, "en")["title"] == ("Memes", "shipped", 3)
    history = worded.exports.frame("history")
    assert list(history[history["kind"] == "survey"]["text"]).count("Memes!") == 1


def test_a_settled_text_keeps_its_placeholders(worded: Store) -> None:
    what = {"outcome": "case", "reason": "disagreement"}
    _correct(worded, "s1", {"progress": "{number} von {gesamt}"}, **what)
    (case,) = worded.cases.find("de", kind="survey")
    for text in ({"accept": case.answers[0].id}, {"parts": ["{number} von"]}):
        with pytest.raises(InputError, match=r"\{total\} is missing.*\{number\} of \{total\}"):
            decide(worded, case.id, person="maria", **text)
    assert len(worded.cases.find("de", kind="survey")) == 1
    decide(worded, case.id, person="maria", parts=["{number}/{total}"])
    assert worded.cases.find("de") == []
    assert worded.survey_texts.corrections("de") == {"progress": "{number}/{total}"}


WORD = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda text: text.strip()
)
TEXTS = st.dictionaries(st.sampled_from("abcd"), WORD)


@given(steps=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_ships_the_last_stands_and_again_adds_nothing(
    store: Store, steps: list[tuple[dict[str, str], dict[str, str]]]
) -> None:
    for english, german in steps:
        store.survey_texts.add(english, "de", german)
        assert store.survey_texts.add(english, "de", german) == 0
        for language, texts in (("en", english), ("de", german)):
            now = _texts(store, language)
            for key in texts.keys() & english.keys():
                assert now[key][0] == str(
                    Caption(tuple(part.strip() for part in Caption.parse(texts[key]).parts))
                )
        assert store.survey_texts.corrections("de") == {}
