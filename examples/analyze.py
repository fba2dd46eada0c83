"""An analysis that finds again what was put in: answers are simulated from known parameters.

    analyze.py OUT [--seed N]        a simulation: its report, and each true value beside it

How often intervals hold what is true, bench/coverage.py measures.

People of three cultures label the same memes as funny or not. How funny an item is to one of them
is drawn from a beta distribution, so that the true value of Krippendorff's alpha is known; a
culture has its own opinion of some items (its shift), so that the agreement of cultures is; and
annotator C-4 does not look at the pictures. Nothing here is estimated: the true values are moments
of the distribution.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.polynomial import Polynomial

from memeloc.analyze import Answers, Settings, figures
from memeloc.analyze.report import report_of
from memeloc.reports import as_json_rows, write_report
from memeloc.reports.figures import BETWEEN, of_analysis
from memeloc.resources import folder

LABELS = ("funny", "not funny")
NAMES = {"A": "Culture A", "B": "Culture B", "C": "Culture C"}


@dataclass(frozen=True)
class Population:
    """A population that answers are drawn from.

    Attributes:
        a, b: of the beta distribution of an item's chance to be called funny; alpha is
            1 / (a + b + 1).
        shifts: by culture the share of items of which it has an opinion of its own.
        careless: the culture with one annotator who calls every item funny by the toss of a coin.
        people: annotators a culture, who label all items.
    """

    a: float = 0.4
    b: float = 0.5
    shifts: tuple[tuple[str, float], ...] = (("A", 0.0), ("B", 0.1), ("C", 0.4))
    careless: str = "C"
    people: int = 5

    @property
    def cultures(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(name for name, _ in self.shifts)

    def mean(self, of: Polynomial) -> float:
        """The expectation of a polynomial of an item's chance p.

        The k-th moment of a beta distribution is the product of (a + r) / (a + b + r), r < k.
        """
        moments, moment = [], 1.0
        for power in range(len(of.coef)):
            moments.append(moment)
            moment *= (self.a + power) / (self.a + self.b + power)
        return float(of.coef @ np.array(moments))

    def majority(self, culture: str) -> Polynomial:
        """The probability that most of a culture call an item funny, as a polynomial of p."""
        half = self.people // 2
        if culture != self.careless:
            return _more_than(half, self.people)
        others = self.people - 1
        return 0.5 * _more_than(half - 1, others) + 0.5 * _more_than(half, others)

    def alpha(self, culture: str) -> float:
        """Krippendorff's nominal alpha of the population: 1 - observed / expected disagreement."""
        p = Polynomial([0, 1])
        mean, differ = self.mean(p), self.mean(2 * p * (1 - p))
        if culture != self.careless:
            return 1 - differ / (2 * mean * (1 - mean))
        n = self.people
        # Of all ordered pairs of answers to an item those with the careless one differ by 1/2.
        observed = ((n - 1) * (n - 2) * differ + 2 * (n - 1) * 0.5) / (n * (n - 1))
        share = ((n - 1) * mean + 0.5) / n
        return 1 - observed / (2 * share * (1 - share))

    def agreement(self, first: str, second: str) -> float:
        """The probability that two cultures give an item the same label."""
        shifts = dict(self.shifts)
        common = (1 - shifts[first]) * (1 - shifts[second])
        chances = self.majority(first), self.majority(second)
        together = self.mean(chances[0] * chances[1] + (1 - chances[0]) * (1 - chances[1]))
        shares = self.mean(chances[0]), self.mean(chances[1])
        apart = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        return common * together + (1 - common) * apart

    def truths(self) -> dict[str, float]:
        """All true values, by what the report calls them."""
        truths = {}
        share = self.mean(Polynomial([0, 1]))
        for culture in self.cultures:
            careless = (share * (self.people - 1) + 0.5) / self.people
            truths[f"{culture}: share of answers"] = careless if culture == self.careless else share
            truths[f"{culture}: share of items"] = self.mean(self.majority(culture))
            truths[f"{culture}: alpha"] = self.alpha(culture)
        pairs = list(combinations(self.cultures, 2))
        for first, second in pairs:
            truths[f"{first} and {second}: agreement"] = self.agreement(first, second)
        whole = [self.agreement(*pair) for pair in pairs]
        truths["all pairs: agreement"] = sum(whole) / len(whole)
        return truths

    def draw(self, items: int, seed: int) -> Answers:
        """Answers of every annotator to so many items."""
        random = np.random.default_rng([seed, 17])
        shared = random.beta(self.a, self.b, items)
        rows = []
        names = [f"m-{item:03d}" for item in range(items)]
        for culture, shift in self.shifts:
            own = random.beta(self.a, self.b, items)
            chance = np.where(random.random(items) < shift, own, shared)
            for place in range(self.people):
                careless = culture == self.careless and place == self.people - 1
                funny = random.random(items) < (0.5 if careless else chance)
                labels = np.where(funny, *LABELS)
                rows += [(name, culture, f"{culture}-{place}", label)
                         for name, label in zip(names, labels, strict=True)]  # fmt: skip
        table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
        topics = pd.DataFrame({"category": [("office", "tea")[n % 2] for n in range(items)]}, names)
        pictures = sorted(folder("templates").glob("*/picture.[jp]*g"))
        versions = pd.DataFrame(
            [
                (name, culture, "en", "", str(pictures[number % len(pictures)]))
                for number, name in enumerate(names)
                for culture in self.cultures
            ],
            columns=["item", "culture", "language", "text", "picture"],
        )
        return Answers.of(table, labels=LABELS, items=topics, versions=versions)


def _more_than(least: int, people: int) -> Polynomial:
    """The probability that more than `least` of so many people call an item funny."""
    p = Polynomial([0, 1])
    terms = (comb(people, k) * p**k * (1 - p) ** (people - k) for k in range(least + 1, people + 1))
    return sum(terms, Polynomial([0]))


def estimates(rows: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Return value and interval of everything in `Population.truths`."""
    named = {
        ("label-shares", "share"): "{}: share of answers",
        ("label-shares", "share_of_items"): "{}: share of items",
        ("agreement-within", "alpha"): "{}: alpha",
        ("agreement-between", "agreement"): "{}: agreement",
    }
    found = {}
    for (analysis, figure), name in named.items():
        for row in as_json_rows(of_analysis(rows, analysis, figure)):
            if row["item"] in ("", LABELS[0]):
                whose = row["group"].replace(BETWEEN, " and ") or "all pairs"
                found[name.format(whose)] = (row["value"], row["low"], row["high"])
    return found


def recovered(rows: pd.DataFrame, truths: dict[str, float]) -> pd.DataFrame:
    """Return `parameter`, its `true` value, `value`, `low`, `high`, and whether it is `inside`."""
    by_name = estimates(rows)
    frame = pd.DataFrame(
        [(name, true, *by_name[name]) for name, true in truths.items()],
        columns=["parameter", "true", "value", "low", "high"],
    )
    return frame.assign(inside=(frame["low"] <= frame["true"]) & (frame["true"] <= frame["high"]))


def main() -> None:
    """Write a report of simulated answers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("analysis"))
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    population = Population()
    answers = population.draw(300, chosen.seed)
    settings = Settings(seed=chosen.seed)
    rows = figures(answers, settings)
    report = report_of(
        answers,
        rows,
        settings,
        title="A simulated study",
        question="Do people of three cultures find the same memes funny?",
        names=NAMES,
    )
    files = write_report(report, chosen.out)
    answers.table.to_csv(chosen.out / "answers.csv", index=False)
    frame = recovered(rows, population.truths())
    print(frame.to_string(index=False, float_format="%.3f"))
    print(f"inside their intervals: {frame['inside'].sum()} of {len(frame)}")
    out = of_analysis(rows, "standing-out", "stands_out")
    print(f"annotators that stand out: {', '.join(out.loc[out['value'] == 1, 'item'])}")
    print(f"report: {files.page}")


if __name__ == "__main__":
    main()
