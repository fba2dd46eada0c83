"""The wordplay filter: people decide, rules and models only hint."""

from __future__ import annotations

import pytest

from memeloc.curate.filters.models import WordplayFilter
from memeloc.curate.verdict import Judgement
from tests.curate.judging import caption, filter_context, template


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
