"""Dropped memes: in one language or all, left out of what goes out, brought back by a row."""

from __future__ import annotations

from typing import Literal

import pytest

from memeloc.store import Store
from tests.store.conftest import answer, decide, send


def drop(store: Store, *memes: str, language: str = "", dropped: bool = True) -> int:
    return store.drops.add(memes, [language], dropped=dropped, person="ann", comment="a pun")


def test_a_dropped_meme_is_brought_back_whole(filled: Store) -> None:
    before = filled.exports.frame("captions")
    drop(filled, "one")
    assert drop(filled, "one", dropped=False) == 1
    assert filled.exports.frame("captions").equals(before)
    assert list(filled.exports.frame("drops")["action"]) == ["drop", "take back"]
    assert filled.drops.find() == []


def test_a_dropped_caption_is_not_translated_again(filled: Store) -> None:
    drop(filled, "one", language="de")
    drop(filled, "two")
    assert filled.captions.to_translate("de") == []
    assert [item.meme_id for item in filled.captions.to_translate("hi")] == ["one", "three"]


@pytest.mark.parametrize(("how", "language"), [("drop", "de"), ("drop all", "")])
def test_a_case_that_was_dropped_waits_again_once_that_is_taken_back(
    filled: Store, how: Literal["drop", "drop all"], language: str
) -> None:
    send(filled, "s1")
    (case,) = answer(
        filled, "s1", {"one": ""}, outcome="case", reason="given up", status="wordplay"
    )
    for _ in range(2):
        decide(filled, case, person="bob", drop=how)
        assert filled.cases.find("de") == []
        drop(filled, "one", language=language, dropped=False)
        assert [(each.id, each.decision) for each in filled.cases.find("de")] == [(case, "")]
        assert filled.progress.languages(["de"])[1]["states"]["disputed"] == 1
    decide(filled, case, person="bob", parts=("doch", "noch"))
    assert filled.cases.find("de") == []
