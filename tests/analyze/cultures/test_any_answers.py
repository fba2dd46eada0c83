"""Whatever the answers are: every section is made, or has a sentence for why it is not."""

from __future__ import annotations

import json

import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memeloc.analyze import Answers, Settings, analyze
from memeloc.analyze.analysis import SECTIONS

OURS = [path.partition(":")[2].replace("_", "-") for path in SECTIONS if ".cultures." in path]
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
def test_every_section_is_made_or_says_why_not(
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
    analysis = analyze(answers, Settings(bootstraps=5), sections=OURS)
    for section in analysis.sections:
        assert section.gaps or section.tables
        assert not any("nan" in gap for gap in section.gaps)
        for table in section.tables:
            assert list(table.columns) == list(table.frame.columns)
            shares = table.frame[[c for c in ("share", "agreement", "low") if c in table.frame]]
            assert not (shares.select_dtypes("number") > 1).any(axis=None)
        assert not any("nan" in sentence for sentence in section.sentences)
        json.dumps(section.figures, allow_nan=False)
