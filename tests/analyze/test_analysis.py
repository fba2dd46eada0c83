"""All analyses on plain frames: what is chosen, what is added, what cannot be computed."""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.analyze import Answers, Settings, agreement, figures, random_groups
from memeloc.analyze.analysis import ANALYSES
from memeloc.errors import InputError
from memeloc.reports.figures import COLUMNS, gaps, tidy, value_of

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
