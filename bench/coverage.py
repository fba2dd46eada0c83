"""Coverage of intervals and false positives of tests. In: drawn answers. Out: shares of sets.

    python -m bench.coverage --sets 2000        # some two hours; bench/results/coverage.csv

Answers are drawn of items and people that differ: the logit of an answer is an item's (SD 1.5),
plus what the culture thinks of the item (0.8), plus the person's (0.7). The truth of an interval is
what such a study finds on average: the mean of the estimates of all sets. Of a test it is that
cultures do not differ (none has opinions of its own), or, for power, that one is moved by 0.5
logits. Bounds: 92 to 98 % for intervals, of five people at least 90; 7 % of sets with anything
significant.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd

from memeloc.agreement import Ratings, coefficients
from memeloc.analyze.answers import Settings
from memeloc.analyze.cultures.between import of_kappa, of_pairs
from memeloc.analyze.cultures.chi_squared import permuted_statistics, statistics_of
from memeloc.analyze.cultures.random_groups import by_people, compared
from memeloc.analyze.cultures.shares import of_items, of_votes
from memeloc.analyze.cultures.within import mean_kappa, of_coefficient
from memeloc.arrays import Ints
from memeloc.statistics.significance import holm, scipy_stats
from memeloc.statistics.two_way import Estimates, PeopleOfCultures, Votes, estimate, p_above

RESULTS = Path(__file__).parent / "results" / "coverage.csv"
COLUMNS = ("part", "design", "figure", "sets", "share", "error", "least", "most")
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Design:
    """A population that answers are drawn from.

    Attributes:
        people: of each culture.
        answers: of each culture to an item: 0 for all people's, or so many by numbers that repeat.
        batches: whether people who answer an item answer the same others, in all cultures; else
            each item has others.
        own, person: standard deviations of cultures' opinions of items, and of people, in logits.
        moved: by how much the first culture is.
    """

    people: int
    items: int = 100
    cultures: int = 2
    answers: tuple[int, ...] = (0,)
    batches: bool = False
    own: float = 0.0
    person: float = 0.7
    moved: float = 0.0

    def __str__(self) -> str:
        plan = (
            "all items" if self.answers == (0,) else "/".join(map(str, self.answers)) + " an item"
        )
        plan += ", in batches" if self.batches else ""
        return f"{self.people} people, {self.items} items, {plan}, {self.cultures} cultures"

    def draw(self, seed: int) -> Votes:
        """Return the votes of one study, for one of two labels each."""
        random = np.random.default_rng([47, seed])
        shared = random.normal(0.3, 1.5, self.items)
        columns = []
        for culture in range(self.cultures):
            item, person = self._who(random)
            logit = shared + random.normal(0, self.own, self.items) + self.moved * (culture == 0)
            logit = logit[item] + random.normal(0, self.person, self.people)[person]
            label = random.random(len(item)) < 1 / (1 + np.exp(-logit))
            place = np.full(len(item), culture)
            columns.append(np.stack([item, place, label, culture * self.people + person]))
        item, culture, label, person = np.concatenate(columns, axis=1).astype(np.int64)
        counts = np.zeros((self.items, self.cultures, 2), np.int64)
        np.add.at(counts, (item, culture, label), 1)
        return Votes(counts, item, culture, label, np.unique(person, return_inverse=True)[1])

    def _who(self, random: np.random.Generator) -> tuple[Ints, Ints]:
        """Return items and people of a culture's answers."""
        if self.batches:
            batch = np.arange(self.items) % (self.people // self.answers[0])
            people = batch[:, None] * self.answers[0] + np.arange(self.answers[0])
            return np.repeat(np.arange(self.items), self.answers[0]), people.ravel()
        sizes = [self.answers[n % len(self.answers)] or self.people for n in range(self.items)]
        if len(self.answers) > 1:
            random.shuffle(sizes)
        drawn = [random.permutation(self.people)[:size] for size in sizes]
        return np.repeat(np.arange(self.items), sizes), np.concatenate(drawn)


def intervals(design: Design, sets: int) -> Iterator[tuple[str, float, int]]:
    """Yield of each figure how often its interval holds the mean of all sets, and of how many."""
    statistics: dict[str, Callable[[Votes], Estimates]] = {
        "share of votes": lambda votes: estimate(votes.of_cultures(0), of_votes(), CONFIDENCE),
        "share of items": lambda votes: estimate(votes.of_cultures(0), of_items(2), CONFIDENCE),
        "agreement of pairs": lambda votes: estimate(votes, of_pairs(), CONFIDENCE),
        "kappa of cultures": lambda votes: estimate(votes, of_kappa(2), CONFIDENCE),
    }
    of_one = {
        "alpha": of_coefficient(coefficients.alpha()),
        "Fleiss' kappa": of_coefficient(coefficients.fleiss()),
        "percent agreement": of_coefficient(coefficients.observed(), "share"),
        "AC1": of_coefficient(coefficients.gwet()),
    }
    for name, statistic in of_one.items():
        statistics[name] = lambda votes, statistic=statistic: estimate(  # type: ignore[misc]
            votes.of_cultures(0), statistic, CONFIDENCE
        )
    statistics["mean of Cohen's kappas"] = _mean_kappa
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in statistics}
    for seed in range(sets):
        votes = design.draw(seed)
        for name, function in statistics.items():
            found = function(votes)
            rows[name].append((found.value[-1], found.low[-1], found.high[-1]))
    for name, values in rows.items():
        value, low, high = np.array(values).T
        known = ~np.isnan(low)
        truth = np.nanmean(value)
        yield name, float(((low <= truth) & (truth <= high))[known].mean()), int(known.sum())


def _mean_kappa(votes: Votes) -> Estimates:
    own = votes.of_cultures(0)
    people = np.unique(own.person, return_inverse=True)[1]
    order = np.lexsort([people, own.item])
    names = tuple(map(str, range(people.max() + 1)))
    arrays = (own.item[order], people[order], own.label[order])
    return mean_kappa(Ratings(len(own.counts), names, ("0", "1"), *arrays), CONFIDENCE)


def tests(design: Design, sets: int) -> Iterator[tuple[str, float, int]]:
    """Yield of each test in how many sets it is significant; of pairs whether any is, by Holm."""
    found: dict[str, list[bool]] = {}
    chi2 = scipy_stats().chi2
    for seed in range(sets):
        votes = design.draw(seed)
        people = PeopleOfCultures(votes)
        settings = Settings(seed=seed, permutations=499)
        drawn = permuted_statistics(people, settings)
        for name, (value,) in statistics_of(votes.counts[None]).items():
            statistic = float(np.nan_to_num(value))
            p = {
                f"{name}: people permuted": p_above(statistic, drawn[name]),
                f"{name}: as if independent": float(chi2.sf(statistic, design.cultures - 1)),
            }
            for key, value in p.items():
                found.setdefault(key, []).append(value < 1 - CONFIDENCE)
        if people.keep_sizes:
            agreement = compared(votes.counts, CONFIDENCE)["agreement"].to_numpy()
            pairs = holm(by_people(people, agreement, settings))
            found.setdefault("agreement of pairs: people permuted", []).append(
                bool((pairs < 1 - CONFIDENCE).any())
            )
    for name, values in found.items():
        yield name, float(np.mean(values)), len(values)


def groups(design: Design, sets: int) -> Iterator[tuple[str, float, int]]:
    """Yield in how many sets a pair differs from random groups of answers, after Holm."""
    wrong = [
        bool((compared(design.draw(seed).counts, CONFIDENCE)["p_holm"] < 1 - CONFIDENCE).any())
        for seed in range(sets)
    ]
    yield "any pair", float(np.mean(wrong)), sets


PLANS = {
    "5 people": Design(5),
    "20 people": Design(20),
    "100 people": Design(100),
    "20 people, five an item": Design(20, answers=(5,)),
    "100 people, five an item": Design(100, answers=(5,)),
    "100 people, batches of five": Design(100, answers=(5,), batches=True),
}
GROUPS = ((3,), (4,), (5,), (6,), (11,), (3, 4, 5, 6, 7))
"""Answers of a culture to an item, of random groups."""


def measured(sets: int, parts: tuple[str, ...], say: Callable[[str], None]) -> pd.DataFrame:
    """Return a row a figure and design, with its Monte Carlo error and its bounds."""
    rows = []

    def add(
        part: str,
        design: Design,
        figures: Iterator[tuple[str, float, int]],
        bounds: Callable[[str], tuple[float, float]],
    ) -> None:
        for name, share, number in figures:
            error = sqrt(share * (1 - share) / number) if number else float("nan")
            rows.append((part, str(design), name, number, share, error, *bounds(name)))
            say(f"{part}: {design}: {name} {100 * share:.1f} %")

    for design in PLANS.values():
        if "intervals" in parts:
            least, most = (0.9, 1.0) if design.people == 5 else (0.92, 0.98)
            drawn = intervals(replace(design, own=0.8), sets)
            add("intervals", design, drawn, lambda _, ends=(least, most): ends)  # type: ignore[misc]
        if "tests" in parts:
            add("tests", design, tests(design, sets), _bounds_of_tests)
        if "power" in parts:
            moved = replace(design, moved=0.5)
            add("power", design, tests(moved, max(sets // 4, 1)), lambda _: (0.0, 1.0))
    for answers in GROUPS if "groups" in parts else ():
        for items in (100, 300):
            # Nobody differs but items do: the test of answers knows of nothing else.
            design = Design(max(answers), items, 5, answers if len(answers) > 1 else (0,), person=0)
            add("groups", design, groups(design, sets), lambda _: (0.0, 0.07))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _bounds_of_tests(name: str) -> tuple[float, float]:
    return (0.0, 1.0) if name.endswith("independent") else (0.0, 0.07)


def main() -> int:
    """Print the table and write it; 1 if a bound is broken by more than two errors, else 0."""
    parser = argparse.ArgumentParser(prog="bench.coverage", description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    names = ("intervals", "tests", "power", "groups")
    parser.add_argument("--part", choices=names, action="append", help="all without it")
    parser.add_argument("--results", type=Path, help="the CSV that is written")
    chosen = parser.parse_args()
    parts = tuple(chosen.part or names)
    table = measured(chosen.sets, parts, lambda text: print(text, file=sys.stderr, flush=True))
    print(table.to_string(index=False, float_format="%.3f"))
    if chosen.results:
        chosen.results.parent.mkdir(exist_ok=True)
        table.to_csv(chosen.results, index=False, float_format="%.4f")
    outside = (table["share"] - 2 * table["error"] > table["most"]) | (
        table["share"] + 2 * table["error"] < table["least"]
    )
    return int(outside.any())


if __name__ == "__main__":
    sys.exit(main())
