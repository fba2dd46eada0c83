"""Shares of valid questions by dimension, and second judges."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from memeloc.knowledge.validity import Judged, validity
from memeloc.reports.figures import wide

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
    frame = wide(validity(dimensions, {"others": judged}, {}, ()), "validity").set_index("item")
    shares = frame.loc[list(PRINTED), "share"]
    assert (100 * shares).to_dict() == pytest.approx(PRINTED)
    assert shares.mean() == pytest.approx(0.5933, abs=5e-5)
    expected = proportion_confint(38, 50, method="wilson")
    assert frame.loc["scene", ["share_low", "share_high"]].tolist() == pytest.approx(expected)


def test_question_whose_answer_is_open_does_not_count() -> None:
    judged = {"a/scene": Judged("yes", ""), "b/scene": Judged("no", ""), "c/scene": Judged("", "")}
    figures = validity(dict.fromkeys(judged, "scene"), {"others": judged}, {}, ())
    frame = wide(figures, "validity").set_index(["group", "item"])
    assert frame.loc[("others", "scene"), ["n", "valid"]].tolist() == [1, 0]
