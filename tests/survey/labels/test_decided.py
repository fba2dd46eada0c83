"""What people decided together goes before votes, the newest first, and asks for nothing more."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.labels.settling import settle
from memeloc.survey.model import LabelDecision
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import load_taxonomy

HARMEME = load_taxonomy("harmeme")
SETTINGS = Settling(answers=2)
LABELS = ("very-harmful", "harmless", "cartoon", "")


def answers(*rows: tuple[str, str, str, str]) -> pd.DataFrame:
    """Item, participant, label and target, in Germany."""
    table = [(item, "DE", who, label, target) for item, who, label, target in rows]
    return pd.DataFrame(table, columns=["item", "culture", "participant", "label", "target"])


def decision(label: str, target: str = "", item: str = "m1") -> LabelDecision:
    values = {"label": label, "target": target}
    decided = {name: (answer,) for name, answer in values.items() if answer}
    return LabelDecision(item, "DE", decided, ("eve",), "a session")


@given(
    votes=st.lists(st.tuples(st.sampled_from("mno"), st.sampled_from(LABELS[:3])), max_size=9),
    decided=st.lists(st.tuples(st.sampled_from("mnox"), st.sampled_from(LABELS)), max_size=6),
)
def test_votes_hold_exactly_where_nothing_was_decided(
    votes: list[tuple[str, str]], decided: list[tuple[str, str]]
) -> None:
    rows = [(item, f"p{number}", label, "") for number, (item, label) in enumerate(votes)]
    voted = settle(answers(*rows), HARMEME, SETTINGS)
    made = [decision(label, item=item) for item, label in decided]
    after = settle(answers(*rows), HARMEME, SETTINGS, decisions=made)
    last = {item: label for item, label in decided if label}
    for before, now in zip(voted.rows, after.rows, strict=True):
        label = last.get(before["item"])
        if label is None:
            assert now == before
        else:
            assert (now["label"] or now["reasons"]) == label
            assert now["votes"] == before["votes"]
    assert after.needs.keys() == {cell for cell in voted.needs if cell[0] not in last}
