"""Captions in the store: imports that add only what is new, and translations stored once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import Store
from tests.store.conftest import answer, import_table, send

Write = Callable[..., Path]


def _texts(store: Store, language: str) -> dict[str, str]:
    return {key: str(version.caption) for key, version in store.captions.current(language).items()}


def test_a_changed_source_makes_its_translation_due(store: Store, write_table: Write) -> None:
    row = ("a", "cloud-monday", "one // two", "eins // zwei")
    import_table(store, write_table(row, columns="en de"))
    assert store.captions.to_translate("de") == []
    changed = ("a", "cloud-monday", "one // three", "eins // zwei")
    summary = import_table(store, write_table(changed, columns="en de"))
    assert (dict(summary.changed), summary.unchanged) == ({"en": 1}, 1)
    versions = store.exports.frame("history").query("language == 'en'")
    assert list(versions["text"]) == ["one // two", "one // three"]
    assert list(versions["current"]) == [False, True]
    (item,) = store.captions.to_translate("de")
    assert (item.need, item.source.parts) == ("changed", ("one", "three"))
    assert [version.stage for version in item.versions] == ["imported"]
    assert store.captions.to_translate("de", only="new") == []
    assert [row.need for row in store.captions.to_translate("hi")] == ["new"]
    # Back to what it was: the old translation fits again.
    import_table(store, write_table(row, columns="en de"))
    assert store.captions.to_translate("de") == []


def test_an_old_table_undoes_no_correction(store: Store, write_table: Write) -> None:
    table = write_table(("a", "cloud-monday", "one // two", "eins // zwo"), columns="en de")
    import_table(store, table)
    send(store, "s1")
    answer(store, "s1", {"a": "eins // zwei"})
    assert import_table(store, table).changed.total() == 0
    assert _texts(store, "de") == {"a": "eins // zwei"}
    # A cell that was typed anew is what somebody wants now.
    other = write_table(("a", "cloud-monday", "one // two", "1 // 2"), columns="en de")
    assert dict(import_table(store, other).changed) == {"de": 1}
    assert _texts(store, "de") == {"a": "1 // 2"}


def test_a_translation_is_stored_once_and_never_over_a_person(filled: Store) -> None:
    source = filled.captions.current("en")["one"]
    stored = len(filled.exports.frame("history"))
    for translator in ("pseudo", "google"):
        caption = Caption(("other", "text"))
        assert (
            filled.captions.add_translation(
                "one", "de", caption, source_id=source.id, translator=translator
            )
            is None
        )
    assert len(filled.exports.frame("history")) == stored
    replaced = filled.captions.add_translation(
        "one",
        "de",
        Caption((" wieder ", "was")),
        source_id=source.id,
        translator="google",
        marks=["separator lost"],
        characters=9,
        cost=0.25,
        currency="USD",
        replace=True,
    )
    version = filled.captions.current("de")["one"]
    assert (version.id, version.parts, version.marks) == (
        replaced,
        ("wieder", "was"),
        ("separator lost",),
    )
    row = filled.exports.frame("history").query(f"caption_id == {replaced}").iloc[0]
    assert (row["characters"], row["cost"], row["currency"]) == (9, 0.25, "USD")
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    for again in (False, True):
        assert (
            filled.captions.add_translation(
                "one",
                "de",
                Caption(("ma", "chine")),
                source_id=source.id,
                translator="x",
                replace=again,
            )
            is None
        )
    assert filled.captions.current("de")["one"].parts == ("von", "Hand")


def test_an_answer_to_an_old_source_comes_too_late(filled: Store, write_table: Write) -> None:
    old = filled.captions.current("en")["three"]
    import_table(filled, write_table(("three", "protest-hamster", "third, newer")))
    new = filled.captions.current("en")["three"]
    kept = filled.captions.add_translation(
        "three", "de", Caption(("neu",)), source_id=new.id, translator="pseudo"
    )
    assert kept is not None
    assert (
        filled.captions.add_translation(
            "three", "de", Caption(("alt",)), source_id=old.id, translator="pseudo"
        )
        is None
    )
    assert filled.captions.to_translate("de") == []


@pytest.mark.parametrize("parts", [("", " "), ("a // b", "c"), ("//",), ("a", "// b")])
def test_a_caption_that_could_not_be_read_back_is_refused(
    filled: Store, parts: tuple[str, ...]
) -> None:
    source = filled.captions.current("en")["one"]
    with pytest.raises(InputError, match="The caption of one"):
        filled.captions.add_translation(
            "one", "hi", Caption(parts), source_id=source.id, translator="x"
        )
    assert filled.captions.current("hi") == {}


def test_any_text_comes_back_as_it_was(filled: Store) -> None:
    source = filled.captions.current("en")["one"]
    parts = ("नमस्ते 👩\u200d👩 \u0000 \ud800 'x' \\", "؟ مرحبا\nhttp://a//b")
    filled.captions.add_translation(
        "one", "hi", Caption(parts), source_id=source.id, translator="x"
    )
    assert filled.captions.current("hi")["one"].parts == parts
