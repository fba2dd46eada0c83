"""Recipes of curation, questions, and what several people's answers come to."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memeloc.curate.recipes import NOT_STATED, load_recipe, recipe_names
from memeloc.curate.review import (
    HINT,
    find_question,
    review_rows,
    subjects,
    unanimous,
)
from memeloc.curate.verdict import Judgement, Verdict, by_subject
from memeloc.errors import InputError
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


@pytest.mark.parametrize("name", recipe_names())
def test_each_setting_has_a_source(name):
    recipe = load_recipe(name)
    steps = ["select", *recipe.filters, *(["dedup"] if recipe.duplicates else [])]
    rows = {row["setting"]: row for row in recipe.use({step: {} for step in steps})["settings"]}
    assert all(row["stated"] and row["meaning"] for row in rows.values())
    stated = {key for key, row in rows.items() if row["stated"] != NOT_STATED}
    assert {f"{step}.{key}" for step, by in recipe.steps.items() for key in by} == stated
    for before, after in pairwise(line for line in recipe.funnel if line.left is not None):
        assert after.came == before.left
    for line in recipe.funnel:
        if None not in (line.came, line.out, line.left):
            assert line.came - line.out == line.left


@pytest.mark.parametrize(
    ("name", "step", "settings"),
    [
        ("harmeme", "dedup", {"keep": "largest", "rule": "paper"}),
        ("charmemes", "dedup", {"distance": 5, "same_likeness": 0.95, "ask_likeness": 0.85}),
        ("multi3hate", "select", {"per_template": 10, "templates_per_topic": 3, "top": 3}),
        ("multi3hate", "wordplay", {"people": 2, "disagreement": "drop"}),
        ("multi3hate", "multimodality", {"descriptions": 2}),
        ("araharmeme", "quality", {"reject": ["irrelevant"]}),
    ],
)
def test_constants_are_the_papers(name, step, settings):
    assert settings.items() <= load_recipe(name).settings(step).items()


def test_what_waits_is_not_counted_as_rejected():
    reasons = {
        "duplicates: near hash": {"same picture": 2},
        "language": {"other language": 1, "asked: unsure language": 1, "by a person": 1},
        "mixing": {"not judged yet": 3, "code-mixed": 1},
        "quality": {"asked: no text": 1, "cartoon": 2},
    }
    out = {stage: sum(counts.values()) for stage, counts in reasons.items()}
    lefts = [10, 7, 3, 0]
    stages = [
        {"stage": stage, "in": left + out[stage], "out": out[stage], "left": left}
        | {"reasons": reasons[stage], "templates_left": 0}
        for stage, left in zip(reasons, lefts, strict=True)
    ]
    *rows, last = load_recipe("harmeme").beside(stages)
    counts = {row["stage"]: row["here_out"] for row in rows}
    assert counts["(i) code-mixed or not in English"] == 3
    assert counts["waits for a person, or a filter"] == 5
    assert sum(counts.values()) == sum(out.values())
    assert last["here_left"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs the setting name"),
        ('name = "a"\npaper = "P"\ncolour = 1', "has no setting 'colour'"),
        ('name = "a"\npaper = "P"\nfilters = ["soup"]', "no filter 'soup'"),
        (
            'name = "a"\npaper = "P"\n[settings.dedup]\ndistance = {is = 99, stated = "1"}',
            "less than or equal to 16",
        ),
        ('name = "a"\npaper = "P"\n[settings.dedup]\ndistance = {is = 5}', "stated"),
        (
            'name = "a"\npaper = "P"\n[settings.quality]\nblank = {is = 5, stated = "1"}',
            "sets 'quality', which is none of dedup, select",
        ),
    ],
)
def test_a_wrong_recipe_is_reported(tmp_path: Path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_recipe(path)
    assert message in str(error.value)
