"""Periods. In: items with the years of their templates. Out: consecutive parts of near equal size.

charmemes 5.4 has five: 2007-2016, 2016-2017, 2017-2019, 2019-2020 and 2020-2025, each of some 4,600
memes: a year at a boundary belongs to both sides of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memeloc.errors import InputError
from memeloc.splits import split_memes

PERIODS = 5
"""charmemes 5.4."""
HELD_OUT = 0.1
"""Share of a period on which a model trained on the rest of it is tested (charmemes 5.4)."""


@dataclass(frozen=True, slots=True)
class Period:
    """A part of the years, itself divided to train and test.

    Attributes:
        first, last: the earliest and the latest year of its items.
        train, test: items, in the order given; no template has items in both.
    """

    first: int
    last: int
    train: tuple[str, ...]
    test: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """All of them."""
        return self.train + self.test

    @property
    def name(self) -> str:
        """The years, as `2007-2016`."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def consecutive_periods(
    years: Mapping[str, int],
    labels: Mapping[str, str],
    templates: Mapping[str, str],
    *,
    count: int = PERIODS,
    held_out: float = HELD_OUT,
    seed: int = 0,
) -> tuple[Period, ...]:
    """Divide items into periods of near equal size.

    A year that spans a boundary is divided at random, with the labels in equal shares as far as
    templates let them: a template is in one period, that of its earliest item.

    Args:
        years: of each item.
        templates: by item; an empty or missing one is a template of the item's own.
        count: of periods, from 2.
        held_out: share of each period that is for tests, above 0 and below 1.
        seed: of what is divided at random.

    Raises:
        InputError: there are fewer than two templates for each period.
    """
    known = {item: templates.get(item, "") for item in years}
    own = {template or f"item {item}" for item, template in known.items()}
    if len(own) < 2 * count:
        raise InputError(
            f"{count} periods need {2 * count} templates with a year, and there are {len(own)}."
        )
    dated = _template_years(years, known)
    period_of = _divide(dated, labels, known, count, seed)
    return tuple(
        _period(
            {item: known[item] for item in years if period_of[item] == number},
            dated,
            labels,
            held_out,
            seed,
        )
        for number in range(count)
    )


def _template_years(years: Mapping[str, int], templates: Mapping[str, str]) -> dict[str, int]:
    """By item the earliest year of its template."""
    earliest: dict[str, int] = {}
    for item, year in years.items():
        if template := templates[item]:
            earliest[template] = min(year, earliest.get(template, year))
    return {item: earliest.get(templates[item], year) for item, year in years.items()}


def _divide(
    years: Mapping[str, int],
    labels: Mapping[str, str],
    templates: Mapping[str, str],
    count: int,
    seed: int,
) -> dict[str, int]:
    """By item the number of its period, from 0."""
    by_year: dict[int, list[str]] = {}
    for item, year in years.items():
        by_year.setdefault(year, []).append(item)
    period_of: dict[str, int] = {}
    before = 0
    for year in sorted(by_year):
        items = by_year[year]
        # In units of 1 / count of an item, where boundaries are whole numbers.
        start, end = before * count, (before + len(items)) * count
        shares = {
            str(number): min(end, (number + 1) * len(years)) - max(start, number * len(years))
            for number in range(start // len(years), -(-end // len(years)))
        }
        of_year = {item: templates[item] for item in items}
        parts = split_memes(of_year, labels, shares, seed=seed)
        period_of |= {item: int(parts[item]) for item in items}
        before += len(items)
    return period_of


def _period(
    templates: Mapping[str, str],
    years: Mapping[str, int],
    labels: Mapping[str, str],
    held_out: float,
    seed: int,
) -> Period:
    if not templates:
        raise InputError("A period has no items: a template has too many of them. Ask for fewer.")
    part = split_memes(templates, labels, {"train": 1 - held_out, "test": held_out}, seed=seed)
    own = [years[item] for item in templates]
    train, test = (
        tuple(item for item in templates if part[item] == name) for name in ("train", "test")
    )
    if not train or not test:
        raise InputError(f"The period {min(own)}-{max(own)} has one template only. Ask for fewer.")
    return Period(min(own), max(own), train, test)
