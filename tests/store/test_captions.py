"""Captions in the workspace: imports that add only what is new, and translations stored once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import Workspace
from tests.store.conftest import answer, send

Write = Callable[..., Path]


def _texts(workspace: Workspace, language: str) -> dict[str, str]:
    return {key: str(one.caption) for key, one in workspace.current(language).items()}


def test_the_same_table_again_adds_nothing(workspace: Workspace, write_table: Write) -> None:
    table = write_table(
        ("a", "cloud-monday", "one // two", "eins // zwei"),
        ("b", "protest-hamster", "three", ""),
        columns="en de",
    )
    first = workspace.import_captions(table)
    assert (first.memes, dict(first.added)) == (2, {"en": 2, "de": 1})
    assert (dict(first.empty), first.problems.total()) == ({"de": 1}, 0)
    history = workspace.table("history")
    again = workspace.import_captions(table)
    assert (again.memes, again.added.total(), again.changed.total()) == (0, 0, 0)
    assert again.unchanged == 3
    assert workspace.table("history").equals(history)


def test_a_changed_source_is_a_new_version_and_its_translation_is_to_do(
    workspace: Workspace, write_table: Write
) -> None:
    row = ("a", "cloud-monday", "one // two", "eins // zwei")
    workspace.import_captions(write_table(row, columns="en de"))
    assert workspace.to_translate("de") == []
    changed = ("a", "cloud-monday", "one // three", "eins // zwei")
    summary = workspace.import_captions(write_table(changed, columns="en de"))
    assert (dict(summary.changed), summary.unchanged) == ({"en": 1}, 1)
    versions = workspace.table("history").query("language == 'en'")
    assert list(versions["text"]) == ["one // two", "one // three"]
    assert list(versions["current"]) == [False, True]
    (item,) = workspace.to_translate("de")
    assert (item.need, item.source.parts) == ("changed", ("one", "three"))
    assert item.current is not None
    assert workspace.to_translate("de", only="new") == []
    assert [one.need for one in workspace.to_translate("hi")] == ["new"]
    # Back to what it was: the old translation fits again.
    workspace.import_captions(write_table(row, columns="en de"))
    assert workspace.to_translate("de") == []


def test_an_old_table_undoes_no_correction(workspace: Workspace, write_table: Write) -> None:
    table = write_table(("a", "cloud-monday", "one // two", "eins // zwo"), columns="en de")
    workspace.import_captions(table)
    send(workspace, "s1")
    answer(workspace, "s1", {"a": "eins // zwei"})
    assert workspace.import_captions(table).changed.total() == 0
    assert _texts(workspace, "de") == {"a": "eins // zwei"}
    # A cell that was typed anew is what somebody wants now.
    other = write_table(("a", "cloud-monday", "one // two", "1 // 2"), columns="en de")
    assert dict(workspace.import_captions(other).changed) == {"de": 1}
    assert _texts(workspace, "de") == {"a": "1 // 2"}


def test_languages_are_stored_under_their_tag(workspace: Workspace, write_table: Write) -> None:
    table = write_table(("a", "protest-hamster", "no", "不", "nein"), columns="en zh de_AT")
    workspace.import_captions(table, languages=["zh"])
    assert set(workspace.table("history")["language"]) == {"en", "zh-Hans"}
    assert _texts(workspace, "zh_CN") == {"a": "不"}


def test_an_exchanged_template_is_noted(workspace: Workspace, write_table: Write) -> None:
    workspace.import_captions(write_table(("a", "cloud-monday", "x // y")))
    workspace.import_captions(write_table(("a", "night-owl", "x // y")))
    assert list(workspace.table("memes")["template"]) == ["night-owl"]
    with workspace.database.read() as connection:
        (event,) = connection.exec_driver_sql("SELECT subject, detail FROM events").fetchall()
    assert tuple(event) == ("a", "cloud-monday -> night-owl, by table.csv")


def test_a_row_without_source_brings_no_meme(workspace: Workspace, write_table: Write) -> None:
    table = write_table(
        ("a", "protest-hamster", "", "nein"), ("b", "protest-hamster", "yes", "ja"), columns="en de"
    )
    summary = workspace.import_captions(table)
    assert list(workspace.table("memes")["meme_id"]) == ["b"]
    assert dict(summary.problems) == {"empty caption": 1}
    # Of a meme that is known, the source need not be told again.
    workspace.import_captions(write_table(("a", "protest-hamster", "no"), name="a.csv"))
    workspace.import_captions(table)
    assert _texts(workspace, "de") == {"a": "nein", "b": "ja"}


def test_strict_stores_nothing_of_a_wrong_table(workspace: Workspace, write_table: Write) -> None:
    table = write_table(("a", "cloud-monday", "fine"), ("b", "no-such", "lost"))
    with pytest.raises(InputError, match="There is no template 'no-such'"):
        workspace.import_captions(table, strict=True)
    assert workspace.count_memes() == 0
    summary = workspace.import_captions(table)
    assert (summary.memes, dict(summary.problems)) == (1, {"unknown template": 1})


def test_a_table_in_another_source_language_is_refused(
    workspace: Workspace, write_table: Write
) -> None:
    with pytest.raises(InputError, match="no column for 'en'"):
        workspace.import_captions(write_table(("a", "cloud-monday", "eins"), columns="de"))


def test_a_translation_is_stored_once_and_never_over_a_person(filled: Workspace) -> None:
    source = filled.current("en")["one"]
    stored = len(filled.table("history"))
    for translator in ("pseudo", "google"):
        caption = Caption(("other", "text"))
        assert (
            filled.add_translation("one", "de", caption, source_id=source.id, translator=translator)
            is None
        )
    assert len(filled.table("history")) == stored
    replaced = filled.add_translation(
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
    version = filled.current("de")["one"]
    assert (version.id, version.parts, version.marks) == (
        replaced,
        ("wieder", "was"),
        ("separator lost",),
    )
    row = filled.table("history").query(f"caption_id == {replaced}").iloc[0]
    assert (row["characters"], row["cost"], row["currency"]) == (9, 0.25, "USD")
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    for again in (False, True):
        assert (
            filled.add_translation(
                "one",
                "de",
                Caption(("ma", "chine")),
                source_id=source.id,
                translator="x",
                replace=again,
            )
            is None
        )
    assert filled.current("de")["one"].parts == ("von", "Hand")


def test_an_answer_to_an_old_source_comes_too_late(filled: Workspace, write_table: Write) -> None:
    old = filled.current("en")["three"]
    filled.import_captions(write_table(("three", "protest-hamster", "third, newer")))
    new = filled.current("en")["three"]
    kept = filled.add_translation(
        "three", "de", Caption(("neu",)), source_id=new.id, translator="pseudo"
    )
    assert kept is not None
    assert (
        filled.add_translation(
            "three", "de", Caption(("alt",)), source_id=old.id, translator="pseudo"
        )
        is None
    )
    assert filled.to_translate("de") == []


@pytest.mark.parametrize("parts", [("", " "), ("a // b", "c"), ("//",), ("a", "// b")])
def test_a_caption_that_could_not_be_read_back_is_refused(
    filled: Workspace, parts: tuple[str, ...]
) -> None:
    source = filled.current("en")["one"]
    with pytest.raises(InputError, match="The caption of one"):
        filled.add_translation("one", "hi", Caption(parts), source_id=source.id, translator="x")
    assert filled.current("hi") == {}


def test_any_text_comes_back_as_it_was(filled: Workspace) -> None:
    source = filled.current("en")["one"]
    parts = ("नमस्ते 👩\u200d👩 \u0000 \ud800 'x' \\", "؟ مرحبا\nhttp://a//b")
    filled.add_translation("one", "hi", Caption(parts), source_id=source.id, translator="x")
    assert filled.current("hi")["one"].parts == parts
