"""Simulated annotators: the same by seed, each of its kind, and told apart by quality control."""

from __future__ import annotations

from dataclasses import replace

from examples.simulation import Crowd, simulate, truths
from memeloc.survey.design.build import Design, build
from memeloc.survey.labels.settling import answers_table, settle
from memeloc.survey.model import Sheet, entry_id, questions_of
from memeloc.survey.quality.checking import check
from memeloc.taxonomy import load_taxonomy, taxonomy_names
from tests.each import each
from tests.survey.design.test_build import DESIGN, PAPER, TAXONOMY, memes, sheets


def sheets_of(memes: dict[str, str], design: Design, name: str = "multi3hate") -> tuple[Sheet, ...]:
    return sheets(build(memes, design, load_taxonomy(name)), design, memes)


CODES = [culture.code for culture in DESIGN.cultures]
SHEETS = sheets_of(PAPER, DESIGN)
TRUTH = truths(list(PAPER), CODES, TAXONOMY, seed=1)


@each("seed", range(6))
def test_quality_control_retains_the_diligent_and_nobody_else(seed: int) -> None:
    people = simulate(SHEETS, TAXONOMY, TRUTH, seed=seed)
    sent = [person.submission for person in people if person.submission is not None]
    kept = {key.id for key in check(sent, SHEETS).retained}
    assert kept == {person.submission.id for person in people if person.good and person.submission}
    assert len(kept) < len(sent)


@each("name", taxonomy_names())
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
                given = answer.get(question.id)
                follows = question.asked_after(answer.values)
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
