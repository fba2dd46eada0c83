"""People permuted between cultures: what stays, what may be, and how small p can get."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from memeloc.statistics.two_way import PeopleOfCultures, Votes, p_above, p_beyond


def people_of(sizes: dict[str, int], items: int = 6, batches: int = 1) -> PeopleOfCultures:
    """As many people of each culture; everybody answers the items of one batch."""
    random = np.random.default_rng(2)
    rows = [
        (f"m{item}", culture, f"{culture}{who}", random.choice(["yes", "no"]))
        for culture, number in sizes.items()
        for who in range(number)
        for item in range(items)
        if item % batches == who % batches
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    return PeopleOfCultures(Votes.of(table, ("yes", "no")))


def test_everybody_changes_places_with_all_their_answers() -> None:
    people = people_of({"A": 3, "B": 5})
    whole = people.votes.counts.sum(axis=1)
    for counts in people.permuted(50, np.random.default_rng(1)):
        assert counts.shape[1:] == (6, 2, 2)
        assert (counts.sum(axis=2) == whole).all()
        assert (counts.sum(axis=3)[:, :, 0] == 3).all()


def test_people_of_a_batch_stay_in_it() -> None:
    people = people_of({"A": 20, "B": 20}, batches=4)
    assert people.keep_sizes
    (counts,) = people.permuted(30, np.random.default_rng(1))
    assert (counts.sum(axis=3) == 5).all()


def test_people_of_items_of_their_own_change_places_with_all() -> None:
    people = people_of({"A": 3, "B": 3}, batches=3)
    assert not people.keep_sizes
    assert len(set(people.group)) == 1


@pytest.mark.parametrize(
    ("sizes", "smallest"),
    [({"A": 2, "B": 3}, 1 / 10), ({"A": 2, "B": 2}, 2 / 6), ({"A": 2, "B": 2, "C": 1}, 2 / 30)],
)
def test_few_people_can_be_shared_out_in_few_ways(sizes: dict[str, int], smallest: float) -> None:
    assert people_of(sizes).smallest_p == pytest.approx(smallest)


def test_p_counts_what_was_observed() -> None:
    drawn = np.array([0.1, 0.2, 0.3, 0.4])
    assert p_above(0.3, drawn) == pytest.approx(3 / 5)
    assert p_beyond(0.1, drawn) == pytest.approx(2 * 2 / 5)
    assert p_beyond(0.9, drawn) == pytest.approx(2 / 5)


def test_all_permutations_of_a_few_people_are_as_likely() -> None:
    people = people_of({"A": 1, "B": 2}, items=1)
    labels = people.votes.label[np.argsort(people.votes.person)]
    first = np.concatenate(
        [counts[:, 0, 0, 0] for counts in people.permuted(3_000, np.random.default_rng(3))]
    )
    assert first.mean() == pytest.approx((labels == 0).mean(), abs=0.04)
