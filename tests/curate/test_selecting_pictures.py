"""The selection of finished memes: each goes out once, and the figures of the funnel add up."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.selection import SelectSettings, select_pictures
from memeloc.curate.verdict import Verdict
from tests.curate.items import picture


def _verdicts(*rows):
    verdicts: dict[str, dict[str, Verdict]] = {}
    for item, name, outcome, reason, evidence in rows:
        verdict = Verdict(item, name, outcome, None, reason, evidence)
        verdicts.setdefault(item, {})[name] = verdict
    return verdicts


def _pictures(*names):
    return [picture(name, Path("unused.png"), "some tea") for name in names]


def _kept(names, *filters):
    return [(item, name, "keep", "", {}) for item in names for name in filters]


def test_people_and_settings_overrule_verdicts():
    names = ("a", "b", "c")
    verdicts = _verdicts(
        *_kept(names, "dedup", "quality"),
        ("b", "dedup", "drop", "same picture", {"stage": "hash", "kept": "a"}),
        ("c", "quality", "ask", "unreadable text", {}),
    )
    pictures = _pictures(*names)
    assert select_pictures(pictures, verdicts, SelectSettings()).items == ("a",)
    people = {("b", "dedup"): "keep", ("a", "quality"): "drop", ("c", "quality"): "keep"}
    chosen = select_pictures(pictures, verdicts, SelectSettings(), people=people)
    assert chosen.items == ("b", "c")
    assert chosen.out["a"] == ("quality", "by a person")
    loose = SelectSettings(duplicates="keep", asked="keep")
    assert select_pictures(pictures, verdicts, loose).items == names


def test_what_nobody_judged_does_not_pass():
    verdicts = _verdicts(*_kept(("a",), "dedup", "quality"))
    chosen = select_pictures(_pictures("a", "b"), verdicts, SelectSettings())
    assert chosen.out["b"] == ("duplicates: not decided", "not judged yet")
    unread = SelectSettings(filters=("cartoon",))
    chosen = select_pictures(_pictures("a"), verdicts, unread)
    assert chosen.out["a"] == ("cartoon", "not judged yet")
    never = select_pictures(_pictures("a"), {}, SelectSettings())
    assert never.items == ("a",)


_OUTCOMES = st.sampled_from(["keep", "keep", "drop", "ask", None])


@given(
    st.lists(st.tuples(_OUTCOMES, _OUTCOMES, _OUTCOMES), max_size=12),
    st.permutations(["dedup", "language", "quality"]),
    st.sampled_from(["out", "keep"]),
    st.sampled_from(["out", "keep"]),
)
def test_the_figures_add_up_for_any_input(rows, order, duplicates, asked):
    names = [f"p{number}" for number in range(len(rows))]
    verdicts = _verdicts(
        *(
            (name, filter_, outcome, "" if outcome == "keep" else "why", {"stage": "hash"})
            for name, outcomes in zip(names, rows, strict=True)
            for filter_, outcome in zip(("dedup", "language", "quality"), outcomes, strict=True)
            if outcome
        )
    )
    settings = SelectSettings(filters=tuple(order), duplicates=duplicates, asked=asked)
    chosen = select_pictures(_pictures(*names), verdicts, settings)
    stages = chosen.stages
    assert (stages[0]["in"], stages[-1]["left"]) == (len(names), len(chosen.items))
    for before, after in pairwise(stages):
        assert after["in"] == before["left"]
    assert all(sum(stage["reasons"].values()) == stage["out"] for stage in stages)
    assert {*chosen.items} | {*chosen.out} == {*names}
    assert len(chosen.items) + len(chosen.out) == len(names)
