"""Pre-annotation: each meme in one culture, and a choice that is balanced or says why not."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.design.preannotation import (
    KINDS,
    Outcome,
    balance,
    choose,
    largest,
)
from tests.survey.design.test_build import memes

PAPER = memes(*[10] * 45)
"""450 memes of 45 templates, as in multi3hate."""


def some(harmful: int, harmless: int, tied: int, left: int = 0) -> dict[str, Outcome]:
    kinds: list[Outcome] = ["harmful"] * harmful + ["harmless"] * harmless + ["tied"] * tied
    return dict(zip(PAPER, [*kinds, *(["open"] * left)], strict=False))


def test_the_papers_balance() -> None:
    result = some(170, 200, 70, 10)
    chosen = choose(result, PAPER, balance(), seed=3)
    assert len(set(chosen)) == 300
    assert Counter(result[one] for one in chosen) == {
        "harmful": 120, "harmless": 120, "tied": 60,
    }  # fmt: skip
    assert choose(dict(reversed(result.items())), PAPER, balance(), seed=3) == chosen
    assert choose(result, PAPER, balance(), seed=4) != chosen


@given(
    st.lists(
        st.tuples(st.sampled_from([*KINDS, "open"]), st.integers(0, 4)), min_size=1, max_size=60
    ),
    st.data(),
)
def test_any_balance_that_is_there_is_met_and_templates_are_even(
    kinds: list[tuple[Outcome, int]], data: st.DataObject
) -> None:
    result = {f"m{n:02d}": kind for n, (kind, _) in enumerate(kinds)}
    templates = {f"m{n:02d}": f"t{template}" for n, (_, template) in enumerate(kinds)}
    there = Counter(result.values())
    wanted = {kind: data.draw(st.integers(0, there[kind])) for kind in KINDS}
    chosen = choose(result, templates, wanted, seed=data.draw(st.integers(0, 99)))
    assert len(set(chosen)) == sum(wanted.values())
    for kind, count in wanted.items():
        own = Counter(templates[one] for one in chosen if result[one] == kind)
        assert sum(own.values()) == count
        # A template has more than one less than another only if it had no more to give.
        for template, most in Counter(
            templates[item] for item in result if result[item] == kind
        ).items():
            assert own[template] == most or own[template] >= max(own.values(), default=0) - 1


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_the_largest_set_is_there_and_no_larger_one(bad: int, good: int, tied: int) -> None:
    counts: dict[Outcome, int] = {"harmful": bad, "harmless": good, "tied": tied}
    most = largest(counts, balance())

    def enough(total: int) -> bool:
        return all(counts[kind] >= n for kind, n in balance(total).items())

    assert most == 0 or enough(most)
    assert not any(enough(total) for total in range(most + 1, 301))
