"""Sheets out, answers in, cases settled: who sees what, and that nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from memeloc.correct.model import Answer
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.store import FileRecord, Store, WorkspaceError
from tests.store.conftest import answer, decide, import_table, send

Write = Callable[..., Path]


def imported(store: Store, sha256: str) -> bool:
    files = store.exports.frame("files")
    return sha256 in set(files["sha256"][files["kind"] == "answers"])


def test_two_people_of_one_round_get_the_same_text(filled: Store) -> None:
    assert send(filled, "s1", person="ann") == ["one", "two", "three"]
    answer(filled, "s1", {"one": "Anns // Text"})
    assert send(filled, "s2", person="bob") == ["one", "two", "three"]
    (sheet,) = filled.sheets.find(default().get, sheet_id="s2")
    assert sheet.by_meme["one"].base == ("de first", "de joke")
    # The same person is asked only for what is left, and so is nobody in particular.
    assert send(filled, "s3", person="ann") == ["two", "three"]
    assert send(filled, "s4", person="") == ["two", "three"]


def test_the_second_round_sees_the_result_of_the_first(filled: Store) -> None:
    send(filled, "s1")
    assert filled.sheets.to_correct("de", 2) == []
    answer(filled, "s1", {"one": "erste // Fassung", "two": "zweite // Fassung"})
    items = filled.sheets.to_correct("de", 2)
    assert [item.base for item in items] == [("erste", "Fassung"), ("zweite", "Fassung")]
    send(filled, "s2", round_=2, person="bob")
    answer(filled, "s2", {"one": "letzte // Fassung"})
    version = filled.captions.current("de")["one"]
    assert (version.stage, version.round, version.person) == ("corrected", 2, "bob")
    assert [item.meme_id for item in filled.sheets.to_correct("de", 2, "bob")] == ["two"]


def test_a_late_answer_does_not_supersede_a_later_round(
    filled: Store,
) -> None:
    send(filled, "s1", person="ann")
    send(filled, "s2", person="eve")
    answer(filled, "s1", {"one": "erste // Fassung"})
    send(filled, "s3", round_=2, person="bob")
    answer(filled, "s3", {"one": "zweite // Fassung"})
    answer(filled, "s2", {"one": "späte // Fassung"})
    assert filled.captions.current("de")["one"].parts == ("zweite", "Fassung")
    late = filled.corrections.find("de")[-1]
    assert (late.parts, late.caption_id) == (("späte", "Fassung"), None)


def test_a_changed_source_asks_again(filled: Store, write_table: Write) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "a // b", "two": "c // d", "three": "e"})
    assert filled.sheets.to_correct("de", 1, "ann") == []
    import_table(filled, write_table(("three", "protest-hamster", "third, newer")))
    (asked,) = filled.sheets.to_correct("de", 1, "ann")
    assert (asked.base, asked.before, asked.suggestion) == (("e",), ("third",), ())
    (item,) = filled.captions.to_translate("de", only="changed")
    filled.captions.add_translation(
        "three", "de", item.source.caption, source_id=item.source.id, translator="pseudo"
    )
    for only in ("new", "changed"):
        (again,) = filled.sheets.to_correct("de", 1, "ann", only=only)  # type: ignore[arg-type]
        assert (again.meme_id, again.base) == ("three", ("e",))
        assert again.suggestion == item.source.parts
    standing = {answer.meme_id: answer.standing for answer in filled.corrections.find("de")}
    assert (standing["one"], standing["three"]) == (True, False)


def test_a_sheet_is_recorded_once(filled: Store) -> None:
    send(filled, "s1")
    (sheet,) = filled.sheets.find(default().get)
    assert filled.sheets.add(sheet) is False
    assert list(sheet.by_meme) == ["one", "two", "three"]


def test_what_is_known_when_answers_are_placed(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "erste // Fassung"})
    answer(filled, "s1", {"one": "bessere // Fassung"}, outcome="replaced")
    answer(filled, "s1", {"one": "alte // Fassung"}, outcome="older")
    seen: list[tuple[Mapping[str, tuple[str, ...]], Mapping[str, Sequence[Answer]]]] = []
    file = FileRecord("answers", "dry.csv", "d" * 64)
    (sheet,) = filled.sheets.find(default().get)
    filled.corrections.add(
        file, sheet, lambda *known: seen.append(known) or [], ["nowhere", "two"], dry_run=True
    )
    ((sources, earlier),) = seen
    assert set(sources) == {"one", "two", "three"}
    answers = earlier["one"]
    assert [(each.parts[0], each.standing) for each in answers] == [
        ("erste", False),
        ("bessere", True),
        ("alte", False),
    ]
    assert answers[0].base == ("de first", "de joke")
    assert answers[0].sheet_created == sheet.created
    assert not imported(filled, "d" * 64)


def test_the_same_file_is_stored_once(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "a // b"}, name="same")
    history, corrections = filled.exports.frame("history"), filled.exports.frame("corrections")
    file = FileRecord("answers", "same.csv", "same".rjust(64, "0"), 1)
    assert imported(filled, file.sha256)

    def never(*known: object) -> list[Answer]:
        raise AssertionError("the file was seen before")

    (sheet,) = filled.sheets.find(default().get)
    assert filled.corrections.add(file, sheet, never) is None
    assert filled.exports.frame("history").equals(history)
    assert filled.exports.frame("corrections").equals(corrections)


def test_a_file_is_stored_whole_or_not_at_all(filled: Store) -> None:
    send(filled, "s1")
    before = filled.exports.frame("history")
    with pytest.raises(WorkspaceError):
        answer(filled, "s1", {"one": "gut // so", "nowhere": "x"}, outcome="older", name="f")
    assert filled.exports.frame("history").equals(before)
    assert filled.corrections.find() == []
    assert not imported(filled, "f".rjust(64, "0"))


def test_a_text_that_cannot_be_a_caption_is_refused(filled: Store) -> None:
    send(filled, "s1")
    parts = ("nicht // so", "gut")
    placed = Answer(meme_id="two", status="corrected", parts=parts, outcome="placed")
    (sheet,) = filled.sheets.find(default().get)
    for dry_run in (True, False):
        file = FileRecord("answers", "f.csv", "f" * 64)
        added = filled.corrections.add(file, sheet, lambda *_: [placed], dry_run=dry_run)
        assert added is not None
        assert [answer.outcome for answer in added] == ["refused"]
        assert "'//' between spaces" in added[0].message
        assert imported(filled, "f" * 64) != dry_run


def test_what_was_typed_is_kept_whatever_becomes_of_it(filled: Store) -> None:
    send(filled, "s1")
    for outcome in ("unchanged", "older", "refused"):
        answer(filled, "s1", {"one": "x // y"}, outcome=outcome)
    kept = filled.corrections.find("de")
    assert [(row.outcome, row.typed, row.standing) for row in kept] == [
        ("unchanged", ("x // y",), False),
        ("older", ("x // y",), False),
    ]
    assert filled.captions.current("de")["one"].stage == "translated"


def test_a_case_is_settled_by_accepting_or_typing(filled: Store) -> None:
    send(filled, "s1", person="ann")
    send(filled, "s2", person="bob")
    answer(filled, "s1", {"one": "Anns // Text", "two": "ihr // zweiter"})
    (case_id,) = answer(
        filled, "s2", {"one": "Bobs // Text"}, outcome="case", reason="disagreement"
    )
    assert filled.captions.current("de")["one"].parts == ("Anns", "Text")
    (case,) = filled.cases.find("de")
    assert (case.id, case.reason, case.decision) == (case_id, "disagreement", "")
    assert [row.person for row in case.answers] == ["bob", "ann"]
    # What waits to be settled is not sent to the next round.
    assert [item.meme_id for item in filled.sheets.to_correct("de", 2)] == ["two"]
    assert [item.meme_id for item in filled.sheets.to_correct("de", 2, only="open")] == ["one"]

    accepted = decide(filled, case_id, person="eve", accept=case.answers[0].id)
    version = filled.captions.current("de")["one"]
    assert (version.id, version.parts) == (accepted, ("Bobs", "Text"))
    assert (version.stage, version.round, version.person) == ("settled", 1, "eve")
    assert decide(filled, case_id, person="eve", accept=case.answers[0].id) == accepted
    assert filled.cases.find("de") == []
    assert [row.decision for row in filled.cases.find("de", decided=True)] == ["accept"]
    assert len(filled.sheets.to_correct("de", 2)) == 2

    typed = decide(filled, case_id, person="eve", parts=("dritter", "Text"), comment="besser")
    assert filled.captions.current("de")["one"].id == typed
    table = filled.exports.frame("cases").iloc[0]
    assert (table["decision"], table["text"], table["open"]) == ("type", "dritter // Text", False)


def test_a_case_can_keep_the_caption(filled: Store) -> None:
    send(filled, "s1")
    (case_id,) = answer(filled, "s1", {"one": ""}, outcome="case", status="wordplay")
    decide(filled, case_id, person="eve")
    version = filled.captions.current("de")["one"]
    assert (version.stage, version.parts) == ("settled", ("de first", "de joke"))


def test_a_wrong_decision_is_refused(filled: Store) -> None:
    send(filled, "s1")
    (case_id,) = answer(filled, "s1", {"one": ""}, outcome="case", status="wordplay")
    answer(filled, "s1", {"two": "zu // zwei"})
    answers = reversed(filled.corrections.find("de"))
    first = {answer.meme_id: answer.id for answer in answers}
    for wrong in (first["two"], first["one"], 999):
        with pytest.raises(InputError, match=f"The answer {wrong} is not one"):
            decide(filled, case_id, person="eve", accept=wrong)
    with pytest.raises(InputError, match="no case 77"):
        decide(filled, 77, person="eve")
    with pytest.raises(InputError, match="one of them"):
        decide(filled, case_id, person="eve", accept=first["two"], parts=("x",))
    with pytest.raises(InputError, match="It is empty"):
        decide(filled, case_id, person="eve", parts=("", ""))
    assert len(filled.cases.find()) == 1
