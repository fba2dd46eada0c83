"""Figures that papers print, computed from the counts they print; misprints are named.

The counts: charmemes Table 4, harmeme Table 2 (PROTOCOLS, arithmetic audit).
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import CultureScores, Evaluation, ScoreSettings, score

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
) -> Evaluation:
    """A model that always gives the most frequent label, scored against these counts."""
    labels = tuple(counts)
    right = [label for label, count in counts.items() for _ in range(count)]
    most = max(counts, key=lambda label: counts[label])
    items = [str(number) for number in range(len(right))]
    levels = {label: place for place, label in enumerate(labels)} if ordered else {}
    gold = Gold(pd.DataFrame({"gold": right}, index=items), labels, levels, coarser or {})
    answers = ModelAnswers.of(pd.DataFrame({"item": items, "choice": most}), labels)
    return score(answers, gold, ScoreSettings(bootstraps=10))


def without_looking(evaluation: Evaluation) -> pd.DataFrame:
    """The table that stands beside the models: always the most frequent label, and guessing."""
    tables = {table.name: table.frame for table in evaluation.sections[0].tables}
    return tables["without-looking"].set_index("answers")


def figures(scores: CultureScores) -> dict[str, float]:
    names = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
    return {
        name: round(getattr(scores, name).value * (1 if "mae" in name else 100), 4)
        for name in names
    }


def test_the_majority_row_of_charmemes_is_right_at_11_4_and_2_labels() -> None:
    four = DOMAINS | {"Safe": "Safe"}
    two = dict.fromkeys(HARMFUL, "harmful") | {"Safe": "Safe"}
    evaluation = majority(CHARMEMES, {"4": four, "2": two})
    assert without_looking(evaluation)["f1"]["always Safe"] == evaluation.scores[0].f1.value
    every = (evaluation.scores, evaluation.tasks["4"], evaluation.tasks["2"])
    printed = [round(figures(scores[0])["f1"], 2) for scores in every]
    assert printed == [7.42, 20.42, 40.84]


def test_the_random_row_of_charmemes_is_no_expected_f1() -> None:
    """Printed for two labels: 50.00, which is 100 / k; 9.09 and 25.00 are of the same kind."""
    guessing = without_looking(majority({"harmful": 6_419, "Safe": 14_300}))
    assert round(100 * guessing["f1"]["guessing"], 2) == 48.12
    assert guessing["accuracy"]["guessing"] == 0.5


def test_the_majority_row_of_harmeme_differs_from_the_printed_one() -> None:
    """Printed: 64.76 in place of 64.97, and all that follows from it; MMAE 1.0 is right."""
    assert figures(majority(HARMEME, ordered=True).scores[0]) == {
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
    assert figures(majority(HARMEME, {"2": two}, ordered=True).tasks["2"][0]) == {
        "accuracy": 64.9718,
        "precision": 32.4859,
        "recall": 50.0,
        "f1": 39.3836,
        "mae": 0.3503,
        "mmae": 0.5,
    }


def test_the_majority_row_of_targets_differs_from_the_printed_one() -> None:
    """Printed: 46.60, 11.65, 25.00, 15.89, 1.2201 and 1.5000; recall and MMAE are right."""
    assert figures(majority(TARGETS, ordered=True).scores[0]) == {
        "accuracy": 47.5806,
        "precision": 11.8952,
        "recall": 25.0,
        "f1": 16.1202,
        "mae": 1.2016,
        "mmae": 1.5,
    }
