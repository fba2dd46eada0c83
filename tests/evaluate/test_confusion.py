import numpy as np
import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.confusion import confusion_figures
from memeloc.evaluate.scores.joining import join
from memeloc.reports.figures import wide

LABELS = ("violence", "self-harm", "hate", "nsfw", "safe")
SEVERITY = {"violence": "high", "self-harm": "high", "hate": "mid", "nsfw": "contextual"}
PAIRS = [
    ("violence", "violence"),
    ("violence", "self-harm"),
    ("violence", "hate"),
    ("violence", "safe"),
    ("self-harm", "violence"),
    ("hate", ""),
    ("hate", "hate"),
    ("nsfw", "safe"),
    ("safe", "safe"),
    ("safe", "nsfw"),
]


@pytest.fixture(scope="module")
def figures():
    rights, given = zip(*PAIRS, strict=True)
    items = [f"0{number}" for number in range(len(PAIRS))]
    gold = Gold(pd.DataFrame({"gold": rights}, index=items), LABELS)
    table = pd.DataFrame({"model": "m", "item": [*items, "unknown"], "choice": [*given, "safe"]})
    return confusion_figures(join(ModelAnswers.of(table, LABELS), gold), SEVERITY)


def test_shares_are_of_the_answers_with_a_right_label(figures):
    frame = wide(figures, "confusion").set_index("item")
    assert list(frame.index) == list(LABELS)
    assert frame["n"].tolist() == [4, 1, 2, 1, 2]
    assert frame.loc["hate", ["given: hate", "given: (none)"]].tolist() == [0.5, 0.5]
    assert (frame.filter(like="given: ").sum(axis=1) == 1).all()


def test_errors_within_a_severity_are_told_apart(figures):
    frame = wide(figures, "severity").set_index("item")
    assert list(frame.index) == ["high", "mid", "contextual", ""]
    high = frame.loc["high"]
    assert high["n"] == 5
    assert high[["right", "same", "other", "harmless", "invalid"]].tolist() == pytest.approx(
        [0.2, 0.4, 0.2, 0.2, 0]
    )
    assert high["within"] == pytest.approx(2 / 3)
    assert high["within_by_chance"] == pytest.approx(1 / 3)
    assert frame.loc["mid", "invalid"] == 0.5
    assert np.isnan(frame.loc["contextual", "within"])
    assert frame.loc["", ["within", "within_by_chance"]].tolist() == pytest.approx([2 / 3, 1 / 3])
