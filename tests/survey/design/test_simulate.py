"""Simulated annotators: the same by seed, each of its kind, and told apart by quality control."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from memeloc.survey.codes import codes
from memeloc.survey.design.build import Design, build
from memeloc.survey.design.simulate import Crowd, simulate, truths
from memeloc.survey.labels.settling import answers_table, settle
from memeloc.survey.model import Check, Sheet, entry_id, questions_of
from memeloc.survey.quality.checking import check, retained
from memeloc.taxonomy import load_taxonomy, taxonomy_names
from tests.survey.design.test_build import DESIGN, PAPER, TAXONOMY, memes, sheets


def sheets_of(memes: dict[str, str], design: Design, name: str = "multi3hate") -> tuple[Sheet, ...]:
    return sheets(build(memes, design, load_taxonomy(name)), design, memes)


CODES = [culture.code for culture in DESIGN.cultures]
SHEETS = sheets_of(PAPER, DESIGN)
TRUTH = truths(list(PAPER), CODES, TAXONOMY, seed=1)
EVERYBODY = Crowd(*[1.0] * 8)
"""As many of each kind."""


def test_each_kind_does_what_it_does() -> None:
    shown = {sheet.id: codes("pilot", sheet.id, bytes(32)) for sheet in SHEETS}
    people = simulate(SHEETS, TAXONOMY, TRUTH, seed=2, crowd=EVERYBODY, codes=shown)
    assert len(people) == 375
    assert min(Counter(person.kind for person in people).values()) >= 30
    by_id = {sheet.id: sheet for sheet in SHEETS}
    for person in people:
        if person.submission is None:
            assert person.kind == "absent"
            continue
        sheet, sent = by_id[person.sheet], person.submission
        given = {answer.entry: answer.label for answer in sent.answers}
        passed = Counter(
            entry.kind
            for entry in sheet.entries
            if isinstance(entry, Check) and given.get(entry.id) == entry.expected
        )
        assert sent.started is not None
        assert sent.submitted is not None
        pace = (sent.submitted - sent.started).total_seconds() / len(sheet.entries)
        whole = [entry_id(entry) for entry in sheet.entries] == list(given)
        if person.kind in ("diligent", "duplicate", "hurried"):
            assert (sent.status, whole) == ("complete", True)
            assert passed == {"explicit": 1, "implicit": 3}
            assert (pace <= 1.1) == (person.kind == "hurried")
            assert sent.code == shown[sheet.id].done
        elif person.kind == "careless":
            assert (passed["explicit"], whole, sent.status) == (0, True, "complete")
        elif person.kind == "straight":
            assert (len(set(given.values())), whole) == (1, True)
        elif person.kind == "stopped":
            assert (len(given), sent.status, sent.code) == (12, "returned", "")
        else:
            assert (given, sent.status) == ({}, "no consent")
            assert sent.code == shown[sheet.id].no_consent


def test_a_duplicate_filled_another_sheet_before() -> None:
    people = simulate(SHEETS, TAXONOMY, TRUTH, seed=2, crowd=EVERYBODY)
    firsts = {person.participant: person for person in people if person.kind != "duplicate"}
    seconds = [person for person in people if person.kind == "duplicate"]
    assert len(firsts) + len(seconds) == len(people)
    assert len({second.participant for second in seconds}) == len(seconds)
    for second in seconds:
        first = firsts[second.participant]
        assert first.kind == "diligent"
        assert first.sheet[-2:] == second.sheet[-2:]
        assert first.sheet != second.sheet
        assert first.submission is not None
        assert second.submission is not None
        assert first.submission.submitted < second.submission.started  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(6))
def test_quality_control_retains_the_diligent_and_nobody_else(seed: int) -> None:
    people = simulate(SHEETS, TAXONOMY, TRUTH, seed=seed)
    sent = [person.submission for person in people if person.submission is not None]
    kept = {key.id for key in retained(sent, check(sent, SHEETS))}
    assert kept == {person.submission.id for person in people if person.good and person.submission}
    assert len(kept) < len(sent)


@pytest.mark.parametrize("name", taxonomy_names())
def test_every_taxonomy_can_be_answered(name: str) -> None:
    taxonomy = load_taxonomy(name)
    implicit = 0 if taxonomy.item_text else min(3, len(taxonomy.examples))
    several = memes(*[2] * 20)
    asked = sheets_of(several, replace(DESIGN, taxonomy=name, implicit=implicit), name)
    truth = truths(list(several), CODES, taxonomy, seed=3)
    people = simulate(asked, taxonomy, truth, seed=3)
    labels = {label.id for label in taxonomy.labels}
    entries = {sheet.id: {entry_id(entry): entry for entry in sheet.entries} for sheet in asked}
    for person in people:
        for answer in person.submission.answers if person.submission else ():
            assert answer.label in labels
            possible = questions_of(taxonomy, entries[person.sheet][answer.entry])
            for question in taxonomy.questions:
                given = answer.given(question.id)
                follows = question.asked_after({"label": (answer.label,), **dict(answer.further)})
                assert bool(given) == (follows and question in possible)
                assert len(given) <= (3 if question.kind == "choices" else 1)


def test_sure_annotators_give_back_the_truth() -> None:
    crowd = Crowd(1, *[0] * 7, agreement=1, unknown=0)
    people = simulate(SHEETS, TAXONOMY, TRUTH, seed=1, crowd=crowd)
    table = settle(
        answers_table([person.submission for person in people if person.submission], SHEETS),
        TAXONOMY,
    ).table
    result = {(row.item, row.culture): row.label for row in table.itertuples()}
    assert result == TRUTH


def test_truth_is_shared_by_cultures_as_much_as_asked() -> None:
    ids = [f"m{n}" for n in range(3000)]
    truth = truths(ids, ["DE", "IN"], TAXONOMY, seed=4, harmful=0.4, differ=0.1)
    same = sum(truth[id_, "DE"] == truth[id_, "IN"] for id_ in ids) / 3000
    assert same == pytest.approx(0.9**2 + 0.1**2, abs=0.03)
    alike = truths(ids, ["DE", "IN"], TAXONOMY, seed=4, harmful=0.4, differ=0)
    share = sum(label == "hate" for label in alike.values()) / len(alike)
    assert share == pytest.approx(0.4, abs=0.04)
    few = truths(ids[:5], ["IN"], TAXONOMY, seed=4, harmful=0.4, differ=0.1)
    assert few == {(id_, "IN"): truth[id_, "IN"] for id_ in ids[:5]}


def test_same_seed_same_people() -> None:
    first = simulate(SHEETS, TAXONOMY, TRUTH, seed=5)
    assert simulate(SHEETS, TAXONOMY, TRUTH, seed=5) == first
    other = simulate(SHEETS, TAXONOMY, TRUTH, seed=6)
    assert not {one.participant for one in first} & {one.participant for one in other}
