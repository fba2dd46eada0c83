"""Sheets are built by the design, which is planned by hours and money."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design, build, build_next, to_sheets
from memeloc.survey.design.planning import Rates, plan, read_rates
from memeloc.survey.model import Batch, Check, Culture, Sheet, entry_id
from memeloc.taxonomy import load_taxonomy, taxonomy_names
from tests.each import each

TAXONOMY = load_taxonomy("multi3hate")


CULTURES = tuple(
    Culture(code, default().get(tag))
    for code, tag in (("US", "en"), ("DE", "de"), ("MX", "es"), ("IN", "hi"), ("CN", "zh-Hans"))
)


DESIGN = Design("pilot", "multi3hate", CULTURES, seed=7)


def memes(*counts: int) -> dict[str, str]:
    """So many memes of each template."""
    return {
        f"m{template:02d}-{number:03d}": f"template {template}"
        for template, count in enumerate(counts)
        for number in range(count)
    }


PAPER = memes(*([7] * 30 + [6] * 15))
"""300 memes of 45 templates, as in multi3hate."""


def sheets(
    batches: tuple[Batch, ...], design: Design = DESIGN, templates: dict[str, str] = PAPER
) -> tuple[Sheet, ...]:
    return to_sheets(
        batches,
        design,
        lambda meme, culture: (
            Path(f"{culture.locale.tag}/{meme}.jpg"),
            f"{meme} in {culture.locale.tag}",
        ),
        lambda example, culture: Path(f"{culture.locale.tag}/examples/{example}.jpg"),
        templates=templates,
    )


several_memes = st.lists(st.integers(1, 12), min_size=1, max_size=12).map(lambda one: memes(*one))


@given(several_memes, st.integers(1, 25), st.integers(0, 2**32))
def test_every_meme_once_evenly_dealt(submissions: dict[str, str], size: int, seed: int) -> None:
    batches = build(submissions, replace(DESIGN, size=size, seed=seed), TAXONOMY)
    assert sorted(meme for batch in batches for meme in batch.memes) == list(submissions)
    sizes = [len(batch.memes) for batch in batches]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    for template in set(submissions.values()):
        counts = [sum(submissions[meme] == template for meme in batch.memes) for batch in batches]
        assert max(counts) - min(counts) <= 1


def test_checks_stand_apart_from_memes_of_their_template() -> None:
    shown = {example.id: Path(example.template).name for example in TAXONOMY.examples}
    names = [*sorted(set(shown.values())), *"abcdefghijkl"]
    submissions = {f"m{number}": name for number, name in enumerate(names)}
    for seed in range(60):
        (batch,) = build(submissions, replace(DESIGN, seed=seed), TAXONOMY)
        for before, slot, after in zip(batch.slots, batch.slots[1:], batch.slots[2:], strict=False):
            if slot.example:
                beside = {submissions[one.meme_id] for one in (before, after) if one.meme_id}
                assert shown[slot.example] not in beside


@each("name", [name for name in taxonomy_names() if not load_taxonomy(name).item_text])
def test_nobody_passes_by_giving_one_answer_throughout(name: str) -> None:
    """In every shipped taxonomy that can have checks: the explicit one, two of three implicit."""
    taxonomy = load_taxonomy(name)
    implicit = min(3, len(taxonomy.examples))
    for seed in range(30):
        design = replace(DESIGN, taxonomy=name, seed=seed, implicit=implicit)
        for batch in build(memes(*[1] * 20), design, taxonomy):
            examples = [slot.example for slot in batch.slots if slot.check == "implicit"]
            assert len(set(examples)) == implicit
            for slot in batch.slots:
                if slot.check == "implicit":
                    (example,) = (
                        example for example in taxonomy.examples if example.id == slot.example
                    )
                    assert slot.expected == example.label
            for label in taxonomy.labels:
                right = Counter(
                    slot.check for slot in batch.slots if slot.check and slot.expected == label.id
                )
                assert not (right["explicit"] == 1 and right["implicit"] >= 2)


@given(several_memes, st.integers(2, 25), st.integers(0, 2**32))
def test_sheets_are_parallel_across_cultures(
    submissions: dict[str, str], size: int, seed: int
) -> None:
    design = replace(DESIGN, size=size, seed=seed)
    batches = build(submissions, design, TAXONOMY)
    result = sheets(batches, design, submissions)
    for batch in batches:
        own = [sheet for sheet in result if sheet.batch == batch.id]
        assert [sheet.culture.code for sheet in own] == ["US", "DE", "MX", "IN", "CN"]
        sentence = [
            [
                (entry_id(entry), entry.kind, entry.expected, entry.example)
                if isinstance(entry, Check)
                else (entry.meme_id, entry.template)
                for entry in sheet.entries
            ]
            for sheet in own
        ]
        assert all(one == sentence[0] for one in sentence)
        for sheet in own:
            tag = sheet.culture.locale.tag
            assert all(
                entry.picture is None or entry.picture.parts[0] == tag for entry in sheet.entries
            )


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(list(PAPER)), st.sampled_from(["DE", "IN", "US"])),
        st.integers(0, 4),
        max_size=80,
    )
)
def test_next_round_meets_every_need_once(needs: dict[tuple[str, str], int]) -> None:
    batches, _ = build_next(needs, PAPER, DESIGN, TAXONOMY, round=3)
    given_out = [
        (meme, code, batch.answers)
        for batch in batches
        for code in batch.cultures
        for meme in batch.memes
    ]
    assert len({batch.id for batch in batches}) == len(batches)
    assert sorted((meme, code) for meme, code, _ in given_out) == sorted(
        place for place, more in needs.items() if more
    )
    assert all(answers >= needs[meme, code] for meme, code, answers in given_out)
    again = dict(reversed(needs.items()))
    assert build_next(again, PAPER, DESIGN, TAXONOMY, round=3) == (batches, {})


def test_designs_that_cannot_be() -> None:
    for change, message in (
        ({"cultures": ()}, "needs a culture"),
        ({"cultures": CULTURES[:1] * 2}, "US is there twice"),
    ):
        with pytest.raises(InputError, match=message):
            replace(DESIGN, **change)
    with pytest.raises(InputError, match="has 4 examples, too few for 5"):
        build(PAPER, replace(DESIGN, implicit=5), TAXONOMY)
    with pytest.raises(InputError, match="no culture 'FR'"):
        DESIGN.culture("FR")


FEW = dict(list(PAPER.items())[:20])


def test_the_papers_survey_by_hand() -> None:
    """15 sheets of 24 entries, 5 people each; 11 minutes at 10.65 an hour are 1.9525, so 1.96."""
    rates = Rates(fee=Decimal("0.333"), vat=Decimal("0.2"))
    whole = plan(build(PAPER, DESIGN, TAXONOMY), DESIGN, rates, loss=0.25)
    rows = whole["cultures"]
    assert [row["culture"] for row in rows] == ["US", "DE", "MX", "IN", "CN"]
    pay = map(Decimal, ("1.96", "196.00", "65.27", "13.05", "274.32"))
    assert [*rows[1].values()] == ["DE", 15, 1500, 75, 100, 11, 0, *pay, "GBP"]
    assert whole["total"] == Decimal("1371.60")


@given(st.decimals(0, 500, places=2), st.integers(1, 600))
def test_nobody_is_paid_below_the_wage(wage: Decimal, minutes: int) -> None:
    reward = Rates(wage=wage).reward(minutes)
    assert 0 <= reward * 60 - wage * minutes < Decimal("0.6")
    assert reward.as_tuple().exponent == -2


@each(
    ("wage", "currency", "warning"),
    [
        ("10.65", "GBP", ""),
        ("5.99", "GBP", "5.99 GBP an hour is below the 6.00 GBP"),
        ("7", "USD", "7 USD an hour is below the 8.00 USD"),
        ("1", "XTS", ""),
    ],
)
def test_a_wage_below_prolifics_least_is_warned_of(wage: str, currency: str, warning: str) -> None:
    rates = read_rates({"wage": wage, "currency": currency})
    result = plan(build(FEW, DESIGN, TAXONOMY), DESIGN, rates)["warning"]
    assert bool(result) == bool(warning)
    assert result.startswith(warning)
