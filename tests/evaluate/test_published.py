"""Figures that papers print, computed from the counts they print; misprints are named.

The counts: charmemes Table 4, harmeme Table 2 (PROTOCOLS, arithmetic audit).
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.reports.figures import value_of

# charmemes Table 4: 6,419 harmful and 14,300 safe; how the harmful ones divide does not matter.
HARMFUL = (
    *("Sexual Exploitation", "Violence", "Self-Harm", "Hate Speech", "Harassment"),
    *("Animal Cruelty", "Illegal Content", "Propaganda", "Offensive", "NSFW"),
)
DOMAINS = dict(zip(HARMFUL, ("high",) * 3 + ("mid",) * 2 + ("contextual",) * 5, strict=True))
CHARMEMES = dict.fromkeys(HARMFUL, 641) | {"NSFW": 650, "Safe": 14_300}

HARMEME = {"harmless": 230, "partially": 103, "very": 21}
TARGETS = {"individual": 59, "organization": 7, "community": 32, "society": 26}


def majority(
    counts: Mapping[str, int],
    coarser: Mapping[str, Mapping[str, str]] | None = None,
    *,
    ordered: bool = False,
) -> pd.DataFrame:
    """A model that always gives the most frequent label, scored against these counts."""
    labels = tuple(counts)
    right = [label for label, count in counts.items() for _ in range(count)]
    most = max(counts, key=lambda label: counts[label])
    items = [str(number) for number in range(len(right))]
    levels = {label: place for place, label in enumerate(labels)} if ordered else {}
    gold = Gold(pd.DataFrame({"gold": right}, index=items), labels, levels, coarser or {})
    table = pd.DataFrame({"model": "most", "item": items, "choice": most})
    answers = ModelAnswers.of(table, labels)
    return score(answers, gold, ScoreSettings(bootstraps=10))


def figures(rows: pd.DataFrame, task: str = "") -> dict[str, float]:
    """The figures of the model, as percentages but for the errors of levels."""
    own = rows[(rows["analysis"] == ("tasks" if task else "accuracy")) & rows["value"].notna()]
    own = own[own["group"] == (f"{task} · most" if task else "most")]
    values = own.set_index("figure")["value"].drop(["prompts"])
    return {n: round(v * (1 if "mae" in n else 100), 4) for n, v in values.items()}


def test_the_majority_row_of_charmemes_is_right_at_11_4_and_2_labels() -> None:
    four = DOMAINS | {"Safe": "Safe"}
    two = dict.fromkeys(HARMFUL, "harmful") | {"Safe": "Safe"}
    evaluation = majority(CHARMEMES, {"4": four, "2": two})
    always = value_of(evaluation, "without-looking", "f1", "gold", "always Safe")
    assert always == value_of(evaluation, "accuracy", "f1", "most", "gold")
    printed = [round(figures(evaluation, task)["f1"], 2) for task in ("", "4", "2")]
    assert printed == [7.42, 20.42, 40.84]


def test_the_random_row_of_charmemes_is_no_expected_f1() -> None:
    """Printed for two labels: 50.00, which is 100 / k; 9.09 and 25.00 are of the same kind."""
    rows = majority({"harmful": 6_419, "Safe": 14_300})
    f1 = value_of(rows, "without-looking", "f1", "gold", "guessing")
    assert round(100 * f1, 2) == 48.12
    assert value_of(rows, "without-looking", "accuracy", "gold", "guessing") == 0.5


def test_the_majority_row_of_harmeme_differs_from_the_printed_one() -> None:
    """Printed: 64.76 in place of 64.97, and all that follows from it; MMAE 1.0 is right."""
    assert figures(majority(HARMEME, ordered=True)) == {
        "accuracy": 64.9718,  # printed 64.76
        "precision": 21.6573,  # printed 21.58
        "recall": 33.3333,  # as printed
        "f1": 26.2557,  # printed 26.20
        "mae": 0.4096,  # printed 0.4125
        "mmae": 1.0,  # as printed
    }


def test_the_majority_row_of_harmeme_with_two_labels_differs_too() -> None:
    """Printed: 64.76, 32.38, 50.00, 39.30, 0.3524 and 0.5000; recall and MMAE are right."""
    two = {"harmless": "harmless", "partially": "harmful", "very": "harmful"}
    assert figures(majority(HARMEME, {"2": two}, ordered=True), "2") == {
        "accuracy": 64.9718,
        "precision": 32.4859,
        "recall": 50.0,
        "f1": 39.3836,
        "mae": 0.3503,
        "mmae": 0.5,
    }


def test_the_majority_row_of_targets_differs_from_the_printed_one() -> None:
    """Printed: 46.60, 11.65, 25.00, 15.89, 1.2201 and 1.5000; recall and MMAE are right."""
    assert figures(majority(TARGETS, ordered=True)) == {
        "accuracy": 47.5806,
        "precision": 11.8952,
        "recall": 25.0,
        "f1": 16.1202,
        "mae": 1.2016,
        "mmae": 1.5,
    }
