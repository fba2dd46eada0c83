import random
from collections import Counter
from itertools import pairwise

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.shift import aligned_sample, consecutive_periods


def drawn(items=1000, seed=1, first=2007, last=2025):
    """Items of templates of 1 to 6 items, years and labels by template and item."""
    generator = random.Random(seed)
    years, labels, templates = {}, {}, {}
    number = 0
    while len(years) < items:
        year = generator.randint(first, last)
        for _ in range(generator.randint(1, 6)):
            item = f"i{len(years)}"
            years[item], templates[item] = year, f"t{number}"
            labels[item] = generator.choices(("safe", "hate", "nsfw"), (0.7, 0.2, 0.1))[0]
        number += 1
    return years, labels, templates


@pytest.mark.parametrize("seed", range(5))
def test_periods_are_consecutive_and_near_equal(seed):
    years, labels, templates = drawn(seed=seed)
    periods = consecutive_periods(years, labels, templates, seed=seed)
    assert len(periods) == 5
    assert sorted(item for period in periods for item in period.items) == sorted(years)
    for period, later in pairwise(periods):
        assert period.last <= later.first
        assert period.last - later.first in (0, -1)
    sizes = [len(period.items) for period in periods]
    assert max(sizes) - min(sizes) <= 0.1 * len(years) / 5
    for period in periods:
        assert len(period.test) == pytest.approx(0.1 * len(period.items), abs=7)


def test_no_template_is_in_two_periods_or_parts():
    years, labels, templates = drawn()
    homes = {}
    for number, period in enumerate(consecutive_periods(years, labels, templates)):
        for part, items in (("train", period.train), ("test", period.test)):
            for item in items:
                assert homes.setdefault(templates[item], (number, part)) == (number, part)


def test_a_boundary_year_has_its_labels_in_equal_shares():
    years = {f"i{number}": 2000 for number in range(600)}
    labels = {item: "hate" if number % 3 else "safe" for number, item in enumerate(years)}
    periods = consecutive_periods(years, labels, {}, count=3)
    assert [period.name for period in periods] == ["2000"] * 3
    for period in periods:
        counts = Counter(labels[item] for item in period.items)
        assert counts["safe"] == pytest.approx(200 / 3, abs=2)
        assert counts["hate"] == pytest.approx(400 / 3, abs=2)


def test_whole_years_stay_whole_where_they_fit():
    years = {f"i{number}": 2000 + number // 40 for number in range(200)}
    periods = consecutive_periods(years, dict.fromkeys(years, "safe"), {})
    assert [period.name for period in periods] == ["2000", "2001", "2002", "2003", "2004"]


def test_a_template_counts_in_its_earliest_year():
    years = {f"i{number}": 2000 + number // 40 for number in range(200)}
    templates = {"i0": "t", "i199": "t"}
    first = consecutive_periods(years, dict.fromkeys(years, "safe"), templates)[0]
    assert {"i0", "i199"} <= set(first.items)
    assert first.name == "2000"


def test_another_seed_divides_the_boundary_otherwise():
    years, labels, templates = drawn()
    same, again = (consecutive_periods(years, labels, templates, seed=3) for _ in range(2))
    assert same == again
    assert consecutive_periods(years, labels, templates, seed=4) != same


def test_too_few_templates_for_periods_is_an_error():
    with pytest.raises(InputError, match="5 periods need 10 templates"):
        consecutive_periods({"a": 2000, "b": 2001}, {}, {})


LABELS = {f"i{number}": "harmful" if number % 4 == 0 else "safe" for number in range(400)}
YEARS = {f"i{number}": 2010 + number // 40 for number in range(400)}


def counts(sample):
    return Counter(LABELS[item] for item in sample)


def test_a_sample_has_the_counts_of_the_other_dataset():
    wanted = {"harmful": 30, "safe": 60}
    sample, lacking = aligned_sample(tuple(LABELS), LABELS, wanted, seed=2)
    assert (counts(sample), lacking) == (wanted, {})
    assert sample != aligned_sample(tuple(LABELS), LABELS, wanted)[0]


def test_a_sample_is_drawn_from_its_window_only():
    sample, _ = aligned_sample(
        tuple(LABELS), LABELS, {"harmful": 5, "safe": 5}, years=YEARS, window=(2011, 2012)
    )
    assert {YEARS[item] for item in sample} <= {2011, 2012}


def test_others_stand_in_for_labels_that_lack():
    wanted = {"harmful": 30, "safe": 20}
    sample, lacking = aligned_sample(
        tuple(LABELS), LABELS, wanted, years=YEARS, window=(2011, 2012)
    )
    assert counts(sample) == {"harmful": 20, "safe": 30}
    assert lacking == {"harmful": 10}


def test_a_window_that_is_too_small_is_taken_whole():
    sample, _ = aligned_sample(
        tuple(LABELS), LABELS, {"harmful": 99, "safe": 99}, years=YEARS, window=(2011, 2011)
    )
    assert len(sample) == 40
