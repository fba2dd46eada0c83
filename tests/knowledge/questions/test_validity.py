"""Shares of valid questions by dimension, and second judges."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from memeloc.knowledge.questions.judging import Judged
from memeloc.knowledge.questions.validity import validity_section

PRINTED = {
    "scene": 76.0, "textual": 76.0, "visual": 74.0, "intent": 64.0, "emotion": 60.0,
    "analogical": 56.0, "background": 56.0, "community": 40.0, "semiotic": 32.0,
}  # fmt: skip
"""Per cent of 50 questions a dimension (M-QUEST, Additional Results of the Human Validation)."""


def test_paper_rates() -> None:
    judged, dimensions = {}, {}
    for dimension, share in PRINTED.items():
        for n in range(50):
            id = f"m{n}/{dimension}"
            dimensions[id] = dimension
            valid = n < share / 2
            judged[id] = Judged("yes", "yes") if valid else Judged("yes" if n % 2 else "no", "no")
    section = validity_section(dimensions, {"others": judged}, {}, ())
    shares = section.figures["share"]["others"]
    assert {name: 100 * value for name, value in shares.items()} == pytest.approx(PRINTED)
    assert sum(shares.values()) / len(shares) == pytest.approx(0.5933, abs=5e-5)
    frame = section.tables[0].frame.set_index("dimension")
    expected = proportion_confint(38, 50, method="wilson")
    assert frame.loc["scene", ["low", "high"]].tolist() == pytest.approx(expected)


def test_question_whose_answer_is_open_does_not_count() -> None:
    judged = {"a/scene": Judged("yes", ""), "b/scene": Judged("no", ""), "c/scene": Judged("", "")}
    section = validity_section(dict.fromkeys(judged, "scene"), {"others": judged}, {}, ())
    assert section.tables[0].frame[["judged", "valid"]].values.tolist() == [[1, 0]]
