"""The selection: the rules of Multi3Hate's appendix A.2, and of finished memes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.selection import (
    SelectSettings,
    answers_of,
    funnel_page,
    select,
    select_pictures,
)
from memeloc.curate.verdict import Judgement, Verdict
from tests.curate.items import caption, picture, template


class World:
    """Templates on topics with so many captions, all of which passed the filter `language`."""

    def __init__(self, topics: dict[str, dict[str, int]]) -> None:
        self.captions = []
        self.templates = {}
        self.verdicts: dict[str, dict[str, Verdict]] = {}
        for topic, counts in topics.items():
            for name, count in counts.items():
                self.templates[name] = template(name)
                on_topics = [{"category": "C", "topic": topic, "keyword": topic}] if topic else []
                outcome = "keep" if topic else "drop"
                self.say(name, "topics", outcome, topics=on_topics)
                for number in range(count):
                    key = f"{name}/{number}"
                    self.captions.append(caption(key, "text", template=name, votes=number))
                    self.say(key, "language", "keep")

    def say(self, item, name, outcome, reason="", **evidence):
        self.verdicts.setdefault(item, {})[name] = Verdict(
            item, name, outcome, None, reason, evidence
        )

    def select(self, **settings):
        more = {
            key: settings.pop(key)
            for key in ("duplicates", "doubtful", "people")
            if key in settings
        }
        chosen = SelectSettings(**settings)
        return select(self.captions, self.templates, self.verdicts, chosen, **more)


def test_so_many_are_taken_evenly_by_votes_and_chance():
    world = World({"": {"a": 9, "b": 2, "c": 5}})
    chosen = world.select(take=9, balance="template", filters=("language",))
    assert _counts(chosen) == {"a": 4, "b": 2, "c": 3} or _counts(chosen) == {
        "a": 3,
        "b": 2,
        "c": 4,
    }
    assert {"a/8", "a/7", "a/6", "b/1", "b/0", "c/4"} <= {*chosen.items}
    last = chosen.stages[-1]
    assert (last["stage"], last["in"], last["left"]) == ("9 in all, evenly over templates", 16, 9)
    drawn = {
        seed: {*world.select(take=3, balance="language", seed=seed, filters=("language",)).items}
        for seed in range(9)
    }
    assert all(len(items) == 3 for items in drawn.values())
    assert drawn == {
        seed: {*world.select(take=3, balance="language", seed=seed, filters=("language",)).items}
        for seed in reversed(range(9))
    }


def _counts(chosen):
    return dict(Counter(item.partition("/")[0] for item in chosen.items))


def test_captions_are_counted_after_the_filters():
    world = World({"Tea": {"a": 10, "b": 10, "c": 10}})
    assert _counts(world.select()) == {"a": 10, "b": 10, "c": 10}
    world.say("c/0", "language", "drop", "other language")
    chosen = world.select()
    # c has nine left, so the topic has two templates, and nothing is left at all.
    assert chosen.items == ()
    assert {s["stage"]: s["reasons"] for s in chosen.stages if s["reasons"]} == {
        "language": {"other language": 1},
        "at least 10 captions a template": {"too few captions": 9},
        "at least 3 templates a topic": {"too few templates": 20},
    }


def test_the_paper_s_numbers():
    world = World({f"T{topic}": {f"t{topic}-{n}": 10 for n in range(3)} for topic in range(15)})
    chosen = world.select()
    assert len(chosen.items) == 450
    assert len(_counts(chosen)) == 45
    assert len(chosen.topics) == 15


def test_of_equal_templates_the_one_collected_first_is_taken():
    world = World({"Tea": {"z": 10, "b": 10, "m": 10, "a": 10}})
    assert _counts(world.select()) == {"z": 10, "b": 10, "m": 10}


def test_what_a_filter_has_not_judged_does_not_pass():
    world = World({"Tea": {"a": 2}})
    del world.verdicts["a/1"]
    chosen = world.select(per_template=1, templates_per_topic=1)
    assert chosen.items == ("a/0",)
    assert chosen.stages[2]["reasons"] == {"not judged yet": 1}
    none = world.select(filters=("wordplay",), per_template=1, templates_per_topic=1)
    assert none.stages[2]["reasons"] == {"not judged yet": 2}


def test_duplicates_go_and_their_templates_are_counted_as_one():
    world = World({"Tea": {"a": 6, "b": 5, "c": 10, "d": 10}})
    apart = world.select()
    assert _counts(apart) == {}
    chosen = world.select(duplicates={"b": "a", "c/0": "c/1"}, per_template=9)
    # a and b are one template with eleven captions; c has lost one of ten.
    assert _counts(chosen) == {"a": 6, "b": 5, "d": 10, "c": 9}
    assert chosen.stages[1]["reasons"] == {"duplicate": 1}
    doubt = world.select(doubtful={"c/0": "c/1"}, topics=False, per_template=0)
    assert doubt.stages[1]["reasons"] == {"asked: duplicate": 1}
    kept = world.select(doubtful={"c/0": "c/1"}, topics=False, per_template=0, asked="keep")
    assert "c/0" in kept.items


def test_a_caption_without_its_template_is_out():
    world = World({"Tea": {"a": 1}})
    world.captions.append(caption("lost", "text", template="gone"))
    world.say("lost", "language", "keep")
    chosen = world.select(per_template=1, templates_per_topic=1)
    assert chosen.stages[0]["reasons"] == {"no template": 1}


def test_answers_are_the_majority_s():
    def answer_of(subject, person, answer, question="language"):
        return Judgement(subject, question, person, answer)

    decided = answers_of(
        [
            answer_of("a", "ana", "keep"),
            answer_of("b", "ana", "keep"),
            answer_of("b", "ben", "Drop"),
            answer_of("b", "cem", "drop "),
            answer_of("c", "ana", "keep"),
            answer_of("c", "ben", "drop"),
            answer_of("d", "ana", "wordplay", "wordplay"),
        ]
    )
    assert decided == {("a", "language"): "keep", ("b", "language"): "drop"}


@st.composite
def worlds(draw):
    counts = st.dictionaries(
        st.sampled_from([f"t{number}" for number in range(12)]), st.integers(0, 6), max_size=8
    )
    world = World({})
    seen: set[str] = set()
    for topic in ("Tea", "Bread", ""):
        chosen = {name: count for name, count in draw(counts).items() if name not in seen}
        seen |= set(chosen)
        part = World({topic: chosen})
        world.captions += part.captions
        world.templates |= part.templates
        world.verdicts |= part.verdicts
    for item in world.captions:
        outcome = draw(st.sampled_from(["keep", "keep", "keep", "drop", "ask"]))
        world.say(item.id, "language", outcome, "" if outcome == "keep" else "why")
    return world


@given(
    worlds(),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from(["out", "keep"]),
)
def test_the_rules_hold_for_any_input(world, per_template, per_topic, top, most, asked):
    settings = {
        "per_template": per_template,
        "templates_per_topic": per_topic,
        "top": top,
        "most_per_template": most,
        "asked": asked,
    }
    chosen = world.select(**settings)
    assert chosen.items == world.select(**settings).items
    assert len(set(chosen.items)) == len(chosen.items)
    stages = chosen.stages
    assert stages[0]["in"] == len(world.captions)
    assert stages[-1]["left"] == len(chosen.items)
    for before, after in pairwise(stages):
        assert after["in"] == before["left"]
        assert sum(before["reasons"].values()) == before["out"]
    passed = {"keep", "ask"} if asked == "keep" else {"keep"}
    for item in chosen.items:
        assert world.verdicts[item]["language"].verdict in passed
    by_topic: dict[str, set[str]] = {}
    for name in _counts(chosen):
        topic = world.verdicts[name]["topics"].evidence["topics"][0]["topic"]
        by_topic.setdefault(topic, set()).add(name)
    for names in by_topic.values():
        assert not top or len(names) <= top
        assert top < per_topic or len(names) >= min(per_topic, top or per_topic)
    for count in _counts(chosen).values():
        assert not most or count <= most


def test_the_page_shows_untrusted_names_as_text():
    world = World({"<b>Tea": {"a": 1}})
    chosen = world.select(per_template=1, templates_per_topic=1)
    page = funnel_page(chosen.stages, chosen.topics, {"a": "<script>alert(1)</script>"}, {"top": 3})
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;Tea" in page
    assert "1 of 1 captions selected" in page


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
