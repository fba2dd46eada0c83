"""All analyses on plain frames: what is chosen, what is added, what cannot be computed."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from memeloc.analyze import Answers, Settings, agreement, figures, random_groups
from memeloc.analyze.analysis import ANALYSES
from memeloc.analyze.dataset import funnel
from memeloc.analyze.models import NOT_A_LABEL, models
from memeloc.errors import InputError
from memeloc.reports.figures import COLUMNS, gaps, tidy, value_of
from memeloc.resources import folder
from tests.analyze.simulated import simulated

FEW = Settings(seed=3, repetitions=20, permutations=19)


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [
        (f"m-{item}", culture, f"{culture}-{person}", "yes" if (item * person) % 3 else "no")
        for item in range(4)
        for culture in ("DE", "US")
        for person in range(5)
    ]
    return pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])


def test_a_frame_gives_rows_in_the_order_of_the_analyses(table: pd.DataFrame) -> None:
    rows = figures(table, FEW, only=["dividing-items", "funnel"])
    assert tuple(rows.columns) == COLUMNS
    assert list(dict.fromkeys(rows["analysis"])) == ["funnel", "dividing-items"]


def test_agreement_and_random_groups_are_functions_of_a_frame(table: pd.DataFrame) -> None:
    assert {"agreement-within", "agreement-between"} <= set(agreement(table, FEW)["analysis"])
    assert "random-groups" in set(random_groups(table, FEW)["analysis"])


def test_an_analysis_that_fails_is_a_row_and_the_rest_goes_on(table: pd.DataFrame) -> None:
    def broken() -> pd.DataFrame:
        raise InputError("one annotator only")

    own = {"no-frame": broken, "funnel": lambda: tidy("funnel", pd.DataFrame({"memes": [3]}))}
    rows = figures(table, FEW, ["funnel", "no-frame"], own)
    assert value_of(rows, "funnel", "memes") == 3
    assert gaps(rows) == ["No frame could not be computed: one annotator only."]


def test_an_analysis_that_there_is_not_is_a_sentence(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r"no analysis 'drift'\. There are funnel, dataset"):
        figures(table, only=["drift"])


@pytest.mark.parametrize("rows", [[], [("m-1", "US", "us-1", "idk"), ("m-1", "DE", "de-1", "idk")]])
def test_without_votes_every_other_analysis_is_a_row(rows: list[tuple[str, ...]]) -> None:
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    found = figures(Answers.of(table, abstentions=["idk"]))
    reasons = found[found["figure"] == ""].set_index("analysis")["method"]
    assert set(ANALYSES) - set(reasons.index) == {"funnel"}
    assert reasons["label-shares"] == (
        "Label shares could not be computed: no answer votes for a label."
    )


def test_answers_that_are_no_votes_are_counted_by_label() -> None:
    rows = [
        ("m-1", "US", "us-1", "hate"),
        ("m-1", "US", "us-2", "no-hate"),
        ("m-1", "DE", "de-1", "hate"),
        ("m-2", "DE", "de-1", "unknown"),
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    found = funnel(Answers.of(table, abstentions=["unknown"]), Settings())
    expected = {
        ("answers", "that vote", "count"): 3,
        ("answers", "that vote", "out"): 1,
        ("answers", "that vote: unknown", "out"): 1,
        ("items", "answered", "count"): 2,
        ("items", "with a vote in each of 2 cultures", "count"): 1,
        ("items", "with a label in each of 2 cultures", "count"): 0,
        ("labels (of an item in a culture)", "with a majority: tie", "out"): 1,
    }
    for (group, item, figure), value in expected.items():
        assert value_of(found, "funnel", figure, group, item) == value


def test_answers_of_models_that_are_no_label_are_wrong_and_counted() -> None:
    table = simulated(1, items=80, cultures="ABC")
    given = pd.DataFrame({"item": sorted(set(table["item"])), "culture": "", "participant": "cat"})
    given["label"] = ["I cannot tell", "", *["funny", "not"] * 39]
    rows = models(Answers.of(table, models=given), Settings())
    assert rows.loc[rows["figure"] == "invalid", "value"].max() == 2
    assert value_of(rows, "models", "share", "cat", NOT_A_LABEL) == 2 / 80


def test_the_guide_names_every_analysis_in_order() -> None:
    text = (folder("guides") / "analysis.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| (`[a-z`, -]+`) \|", text.partition("## The analyses")[2], re.MULTILINE)
    listed = [name for cell in named for name in re.findall(r"`([a-z-]+)`", cell)]
    assert [name for name in listed if name != "codebook"] == list(ANALYSES)  # a survey's own
