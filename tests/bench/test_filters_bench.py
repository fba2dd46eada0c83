"""Measuring filters runs on a tiny catalogue and says what it means. No figure is a test."""

from __future__ import annotations

import sys
from pathlib import Path

import polib
import pytest

ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("langdetect", reason="needs pip install 'memeloc[filters]'")

PAIRS = (
    ("I have not seen the sea today.", "Ich habe heute das Meer nicht gesehen."),
    ("Who ate all of my bread again?", "Wer hat schon wieder mein ganzes Brot gegessen?"),
    ("Short one.", "Kurz."),
    ("No markup <b>in here</b>, please.", "Hier bitte kein <b>Markup</b> mehr."),
    ("This one was never translated.", "This one was never translated."),
    ("No full stop here at all", "Hier fehlt der Punkt am Ende"),
)


@pytest.fixture(autouse=True)
def _bench_on_path():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    file.extend(polib.POEntry(msgid=sentence, msgstr=other) for sentence, other in PAIRS)
    for code in ("de", "xx", "sr@latin"):
        folder = tmp_path / code / "LC_MESSAGES"
        folder.mkdir(parents=True)
        file.save_as_mofile(str(folder / "game.mo"))
    monkeypatch.setenv("MEMELOC_BENCH_SENTENCES", str(tmp_path))
    return tmp_path


def test_sentences_are_short_translated_and_of_our_languages(catalogue, tmp_path):
    from bench.language_id import sentences

    texts = sentences(tmp_path)
    assert set(texts) == {"de", "en"}
    assert set(texts["de"]) == {other for _, other in PAIRS[:2]}
    assert set(texts["en"]) == {sentence for sentence, _ in PAIRS[:2]}


def test_the_starter_set_has_captions_in_eighteen_languages():
    from bench.language_id import starter

    texts = starter()
    assert len(texts) == 18
    assert "zh-Hans" in texts
    assert all("//" not in text for captions in texts.values() for text in captions)


@pytest.mark.slow
def test_everything_is_measured(catalogue, monkeypatch):
    from bench import filters

    monkeypatch.setattr(filters, "_CAPTIONS", 60)
    monkeypatch.setattr(filters, "_TEMPLATES", 3)
    monkeypatch.setattr(filters, "_ENOUGH", 1)
    figures, notes = filters.measure(say=lambda what: None)
    assert notes == []
    by = {figure.name: figure for figure in figures}
    assert by["macro accuracy, both"].value == 100.0
    assert by["macro accuracy, both, capitals"].bound is not None
    assert 0 <= by["macro accuracy, langdetect, capitals"].value <= 100
    assert by["captions identified"].unit == "/s"
    assert by["60 captions filtered"].bound is not None
