import numpy as np
import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.error_analysis import Severities, confusion_sections
from memeloc.evaluate.targets import target_section

LABELS = ("violence", "self-harm", "hate", "nsfw", "safe")
SEVERITIES = Severities(
    {"violence": "high", "self-harm": "high", "hate": "mid", "nsfw": "contextual", "safe": "safe"},
    frozenset({"safe"}),
)
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
def sections():
    rights, given = zip(*PAIRS, strict=True)
    items = [f"0{number}" for number in range(len(PAIRS))]
    gold = Gold(pd.DataFrame({"gold": rights}, index=items), LABELS)
    table = pd.DataFrame({"model": "m", "item": [*items, "unknown"], "choice": [*given, "safe"]})
    return confusion_sections(ModelAnswers.of(table, LABELS), gold, SEVERITIES)


def test_among_the_harmful_safe_and_invalid_do_not_count(sections):
    summary, cells = (table.frame for table in sections[1].tables)
    assert summary.loc[0, ["items", "right"]].tolist() == [5, 2]
    assert summary.loc[0, "accuracy"] == pytest.approx(0.4)
    assert set(cells["gold"]) == {"violence", "self-harm", "hate"}
    assert set(cells["predicted"]) == {"violence", "self-harm", "hate"}


def test_errors_within_a_severity_are_told_apart(sections):
    frame = sections[2].tables[0].frame.set_index("severity")
    assert list(frame.index) == ["high", "mid", "contextual"]
    high = frame.loc["high"]
    assert high["items"] == 5
    assert high[["right", "same", "other", "harmless", "invalid"]].tolist() == pytest.approx(
        [0.2, 0.4, 0.2, 0.2, 0]
    )
    assert high["within"] == pytest.approx(2 / 3)
    assert high["within_by_chance"] == pytest.approx(1 / 3)
    assert frame.loc["mid", "invalid"] == 0.5
    assert sections[2].sentences == (
        "Of the errors of m among the harmful 67% stayed within the severity; errors at random "
        "would in 33%.",
    )
    assert np.isnan(frame.loc["contextual", "within"])


def test_languages_of_prompts_are_told_apart_those_of_memes_not():
    gold = Gold(pd.DataFrame({"gold": ["hate"]}, index=["1"]), LABELS)
    for column, names in (("prompt_language", ["m, de", "m, en"]), ("language", ["m"])):
        table = pd.DataFrame(
            {"model": "m", "item": ["1", "1"], "choice": ["hate", "safe"], column: ["de", "en"]}
        )
        (section,) = confusion_sections(ModelAnswers.of(table), gold)
        assert sorted(section.tables[0].frame["model"].unique()) == names


def answers(choices):
    return ModelAnswers.of(
        pd.DataFrame({"model": "m", "item": list("abcdef"), "choice": list(choices)})
    )


def test_targets_after_true_and_after_predicted_harm():
    harm = Gold(
        pd.DataFrame({"g": ["h", "h", "h", "h", "n", "n"]}, index=list("abcdef")), ("h", "n")
    )
    target = Gold(
        pd.DataFrame({"g": ["i", "i", "o", None]}, index=list("abcd")), ("i", "o"), {"i": 0, "o": 1}
    )
    section = target_section((answers("hnhhhn"), harm), (answers("iiiiio"), target), {"n"})
    frame = section.tables[0].frame.set_index("after")
    # d is harmful, and nobody knows whom it harms.
    assert frame["items"].to_dict() == {"true harm": 3, "both": 2, "predicted harm": 5}
    assert frame["accuracy"].to_dict() == pytest.approx(
        {"true harm": 2 / 3, "both": 1 / 2, "predicted harm": 2 / 5}
    )
    assert frame.loc["true harm", "mae"] == pytest.approx(1 / 3)
    assert frame.loc["true harm", "mmae"] == pytest.approx(1 / 2)
    assert np.isnan(frame.loc["predicted harm", "mae"])
