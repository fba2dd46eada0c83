"""Questions, and what several people's answers come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.curate.review import (
    HINT,
    find_question,
    review_rows,
    subjects,
    unanimous,
)
from memeloc.curate.verdict import Judgement, Verdict, by_subject
from tests.curate.items import caption, picture, template


def answered(*answers: str, subject: str = "c") -> list[Judgement]:
    return [Judgement(subject, "wordplay", f"p{at}", answer) for at, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ((), "incomplete"),
        (("no",), "incomplete"),
        (("no", ""), "incomplete"),
        (("no", "no"), "no"),
        (("yes", "YES "), "yes"),
        (("yes", "no"), "disagree"),
        (("unsure",), "incomplete"),
        (("no", "unsure"), "disagree"),
        (("unsure", "unsure"), "disagree"),
        (("no", "no", "yes"), "disagree"),
        (("no", "no", "no"), "no"),
    ],
)
def test_two_people_must_say_the_same(answers: tuple[str, ...], outcome: str) -> None:
    assert unanimous(by_subject(answered(*answers)).get("c", {})) == outcome


def test_one_person_twice_is_one_person() -> None:
    twice = [Judgement("c", "wordplay", "ana", "yes"), Judgement("c", "wordplay", "ana", "no")]
    assert by_subject(twice) == {"c": {"ana": "no"}}
    assert unanimous({"ana": "no"}, people=1) == "no"


def test_answers_are_taken_as_they_are_typed() -> None:
    duplicates, wordplay = find_question("duplicates"), find_question("wordplay")
    assert duplicates.as_answer("the  Same") == "same"
    assert wordplay.as_answer("N") == "no"
    assert wordplay.as_answer("I cannot tell") == "unsure"
    assert wordplay.as_answer("maybe") is None
    assert wordplay.as_answer(" ") is None
    assert find_question("language").as_answer("no") == "drop"


def verdict(item: str, name: str, outcome: str) -> dict[str, Verdict]:
    return {name: Verdict(item, name, outcome, None, "why", {}, "s")}  # type: ignore[arg-type]


def test_what_a_filter_asks_is_asked_until_somebody_settles_it(tmp_path: Path) -> None:
    items = [picture(name, tmp_path, "x") for name in ("soft", "faint", "split", "drawn")]
    verdicts = {
        name: {"quality": Verdict(name, "quality", "ask", None, reason, {}, "s")}
        for name, reason in (
            ("soft", "blurred"),
            ("faint", "unreadable text"),
            ("split", "people differ: unreadable text"),
            ("drawn", "not answered: cartoon"),
        )
    }
    verdicts["soft"] |= verdict("soft", "cartoon", "ask")
    assert subjects(find_question("unreadable"), items, verdicts) == ["faint", "split"]
    assert subjects(find_question("cartoon"), items, verdicts) == ["soft", "drawn"]
    assert subjects(find_question("unimodal"), items, verdicts) == []
    settled = {("soft", "quality"): "keep", ("split", "quality"): "drop"}
    left = subjects(find_question("quality"), items, verdicts, people=settled)
    assert left == ["faint", "drawn"]


def test_what_is_dropped_with_its_template_or_kept_by_people() -> None:
    items = [template("t"), template("u"), template("v")]
    items += [caption(f"c-{item.id}", "a", template=item.id) for item in items]
    verdicts = {
        "t": verdict("t", "quality", "drop"),
        "u": verdict("u", "dedup", "drop"),
        "c-v": verdict("c-v", "script", "drop"),
    }
    wordplay, description = find_question("wordplay"), find_question("description")
    assert subjects(wordplay, items, verdicts) == ["c-u"]
    assert subjects(description, items, verdicts) == ["u"]
    people = {("t", "quality"): "keep", ("c-v", "script"): "keep"}
    assert subjects(wordplay, items, verdicts, people=people) == ["c-t", "c-u", "c-v"]
    assert subjects(description, items, verdicts, people=people) == ["t", "u", "v"]


def test_other_people_s_answers_are_not_shown() -> None:
    items = {"c": caption("c", "seas the day", template="t"), "t": template("t", "Ship")}
    question = find_question("cartoon")
    people = Verdict("c", "cartoon", "ask", None, "people differ", {"people": {"bo": "yes"}}, "s")
    (row,) = review_rows(question, ["c", "gone"], items, verdicts={"c": {"cartoon": people}})
    assert row[HINT][0] == ""
    (row,) = review_rows(find_question("wordplay"), ["c"], items)
    assert "seize the day" in row[HINT][0]
    assert row["text"] == "seas the day"
