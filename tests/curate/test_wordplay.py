"""The wordplay filter: people decide, rules and models only hint."""

from __future__ import annotations

import json

import pytest

from memeloc.curate.filters.models import WordplayFilter
from memeloc.curate.verdict import Judgement
from tests.chat_server import ChatServer
from tests.curate.judging import caption, connected, filter_context, template


def _judged(*answers: str) -> list[Judgement]:
    return [Judgement("c1", "wordplay", f"person {n}", answer) for n, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("answers", "settings", "verdict", "reason"),
    [
        (("no", "no"), {}, "keep", ""),
        (("No ", "NO", "no"), {}, "keep", ""),
        (("yes", "yes"), {}, "drop", "wordplay"),
        (("yes", "no"), {}, "drop", "wordplay"),
        (("yes", "no"), {"disagreement": "ask"}, "ask", "people differ"),
        (("yes",), {"disagreement": "ask"}, "drop", "wordplay"),
        (("no",), {}, "ask", "answers missing"),
        (("no",), {"people": 1}, "keep", ""),
        (("no", ""), {}, "ask", "answers missing"),
        (("no", "no", "unsure"), {}, "ask", "unsure"),
        (("maybe",), {}, "ask", "unsure"),
        ((), {}, "ask", "answers missing"),
    ],
)
def test_only_what_two_people_agree_on_is_kept(
    answers: tuple[str, ...], settings: dict[str, object], verdict: str, reason: str
) -> None:
    judge = WordplayFilter(settings, filter_context(_judged(*answers)))
    item = caption("seas the day")
    (got,) = judge.judge([item])
    assert (got.verdict, got.reason, got.settings) == (verdict, reason, judge.cache_key(item))
    assert ("seize the day" in got.evidence.get("hints", "")) is (verdict == "ask")
    assert len(got.evidence["people"]) == len([answer for answer in answers if answer])


def test_a_hint_is_never_a_verdict_and_sees_the_picture() -> None:
    there = {"t1": template("Confession Bear")}
    item = caption("bare with me")
    kept, opened = (
        WordplayFilter({}, filter_context(judgements, templates=there))
        for judgements in (_judged("no", "no"), [])
    )
    assert next(kept.judge([item])).verdict == "keep"
    (got,) = opened.judge([item])
    assert got.evidence["hints"] == 'homophone: "bare" sounds like "Bear" of the picture'
    (got,) = WordplayFilter({"hints": False}, filter_context(templates=there)).judge([item])
    assert got.evidence["hints"] == ""


def test_a_model_s_hints_are_of_words_in_the_caption(chat: ChatServer) -> None:
    chat.say = lambda number, body: json.dumps(
        {"found": [{"words": "Das Brot", "why": "it is bread and money"},
                   {"words": "der Kuchen", "why": "is not there"}]}
    )  # fmt: skip
    items = [caption("Das // Brot ist weg", language="de"), caption("fertig", "c2", language="de")]
    judgements = [Judgement("c2", "wordplay", who, "no") for who in "ab"]
    with connected(chat) as model:
        judge = WordplayFilter({"model_hint": True}, filter_context(judgements, model))
        plan = judge.plan(items)
        assert plan is not None
        assert (plan.questions, len(chat.bodies)) == (1, 0)
        got = {verdict.item: verdict for verdict in judge.judge(items)}
    assert got["c1"].evidence["hints"] == 'model: "Das Brot": it is bread and money'
    assert got["c1"].evidence["model"] == "tiny-2026"
    assert (got["c1"].verdict, got["c2"].verdict) == ("ask", "keep")
    assert len(chat.bodies) == 1


def test_a_model_that_refuses_leaves_the_hints_of_the_rules(chat: ChatServer) -> None:
    chat.say = lambda number, body: "I cannot help with that."
    with connected(chat, asks=1) as model:
        judge = WordplayFilter({"model_hint": True}, filter_context(model=model))
        (got,) = judge.judge([caption("seas the day")])
    assert got.verdict == "ask"
    assert "seize" in got.evidence["hints"]
    assert "will not answer" in got.evidence["error"]
