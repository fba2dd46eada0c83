"""Whatever the answers are: every analysis has rows, or a sentence for why it has none."""

from __future__ import annotations

import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memeloc.analyze import Answers, Settings, figures
from memeloc.analyze.analysis import ANALYSES

ROWS = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("12345")),
    st.tuples(st.sampled_from(["no", "some", "yes", "?"]), st.sampled_from(["tea", "cats", ""])),
    min_size=1,
    max_size=20,
)


@settings(max_examples=10, deadline=None)
@example({("a", "1"): ("?", ""), ("a", "2"): ("?", "tea")}, 2, False)
@example({("a", "1"): ("no", "cats"), ("b", "2"): ("yes", "tea")}, 2, True)
@example(
    {("a", "1"): ("no", "cats"), ("a", "2"): ("yes", "cats"), ("b", "1"): ("yes", "tea")}, 1, True
)
@given(ROWS, st.integers(1, 3), st.booleans())
def test_every_analysis_has_rows_or_says_why_not(
    rows: dict[tuple[str, str], tuple[str, str]], cultures: int, scale: bool
) -> None:
    table = pd.DataFrame(
        [
            (item, f"culture {int(person) % cultures}", person, label)
            for (item, person), (label, _) in rows.items()
        ],
        columns=["item", "culture", "participant", "label"],
    )
    about = pd.DataFrame({"category": {item: about for (item, _), (_, about) in rows.items()}})
    answers = Answers.of(
        table,
        labels=["no", "some", "yes"],
        abstentions=["?"],
        levels={"no": 0, "some": 1, "yes": 2} if scale else None,
        items=about,
    )
    # The models of annotators take a second an example; tests/agreement has them.
    names = [name for name in ANALYSES if name != "further-measures"]
    found = figures(answers, Settings(permutations=19, repetitions=20), names)
    assert set(found["analysis"]) >= set(names)
    assert not found["method"].str.contains("nan").any()
    assert not found.duplicated(["analysis", "group", "item", "figure", "method"]).any()
    shares = found[found["figure"].str.match("share|agreement")]
    assert not (shares[["value", "low", "high"]] > 1).any(axis=None)
    inside = found.dropna(subset=["value", "low"])
    assert ((inside["low"] <= inside["value"] + 1e-9) | (inside["figure"] == "expected")).all()
    assert ((inside["value"] <= inside["high"] + 1e-9) | (inside["figure"] == "expected")).all()
