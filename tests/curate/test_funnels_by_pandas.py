"""The funnels of the recipes and of three other selections, counted again from tables by pandas.

Nothing of the selection is used but its settings: what is left is a frame, a stage is a mask.
"""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from memeloc.curate.recipes import load_recipe, recipe_names
from memeloc.curate.selection import SelectSettings, select, select_pictures
from memeloc.curate.verdict import Verdict
from tests.curate.items import caption, picture, template

FUNNELS = {
    **{name: load_recipe(name).settings("select") for name in recipe_names()},
    "captions": {"per_template": 4, "templates_per_topic": 2, "most_per_template": 5},
    "captions evenly": {"filters": ("language",), "take": 60, "balance": "template"},
    "memes, also doubtful": {"kind": "picture", "filters": ("quality",), "asked": "keep"},
}
LABELS = {
    "bytes": "same file",
    "hash": "near hash",
    "copy": "cropped, framed, marked or mirrored",
    "likeness": "similar by models",
    "people": "decided by people",
}


class World:
    """Some hundred items of one kind with templates, verdicts of chance, and answers of people."""

    def __init__(self, kind: str, filters: tuple[str, ...], seed: int) -> None:
        chance = random.Random(seed)
        names = [f"t{number}" for number in range(30)]
        # One topic is in two categories, in one of them with few templates.
        topics = [("food", "tea")] * 5 + [("work", "tea")] + [("work", "monday")] * 4
        self.topics = {name: chance.choice(topics) for name in names if chance.random() < 0.9}
        self.templates = {name: template(name, picture="0" * 64) for name in names}
        self.items = []
        for number in range(900):
            parent = names[int(30 * chance.random() ** 2)]
            if kind == "picture":
                item = picture(f"p{number}", Path("unused.png"), "tea", parent=parent)
            else:
                votes = chance.randrange(50)
                item = caption(f"c{number}", "tea", template=parent, votes=votes)
            self.items.append(item)
        self.judged = []
        for name in filters:
            for item in self.items:
                verdict = chance.choices(("keep", "drop", "ask", None), (90, 6, 3, 1))[0]
                reason = "" if verdict == "keep" else chance.choice((f"other {name}", ""))
                self.judged.append((item.id, name, verdict, reason, chance.choice([*LABELS])))
        for name, topic in self.topics.items():
            self.judged.append((name, "topics", "keep", "", topic))
        self.judged = [row for row in self.judged if row[2]]
        self.people = {
            (item.id, name): chance.choice(("keep", "drop"))
            for item in chance.sample(self.items, 30)
            for name in filters
        }
        ids = [item.id for item in chance.sample(self.items, 60)]
        self.stays = dict(zip(ids[:20], ids[20:40], strict=True)) | {"t29": "t0", "t28": "t1"}
        self.doubtful = dict.fromkeys(ids[40:], "another")

    @property
    def verdicts(self):
        verdicts = {}
        for item, name, verdict, reason, more in self.judged:
            evidence = {"stage": more}
            if name == "topics":
                evidence = {"topics": [{"category": more[0], "topic": more[1], "keyword": ""}]}
            verdicts.setdefault(item, {})[name] = Verdict(
                item, name, verdict, None, reason, evidence
            )
        return verdicts


class Counted:
    """A funnel by frames: `left` has a row an item with its template and votes."""

    def __init__(self, world: World, settings: SelectSettings) -> None:
        self.stages, self.settings = [], settings
        self.left = pd.DataFrame(
            [(item.id, item.parent, item.votes) for item in world.items],
            columns=["item", "template", "votes"],
        ).set_index("item")
        if settings.duplicates == "out" and settings.kind != "picture":
            self.left["template"] = self.left["template"].replace(world.stays)
        columns = ["item", "filter", "verdict", "reason", "more"]
        self.verdicts = pd.DataFrame(world.judged, columns=columns).set_index("item")
        self.people = pd.Series(world.people)

    def stage(self, name: str, why: pd.Series) -> None:
        """Let those out of which `why` has a text; the others are not in it, or empty."""
        before, why = self.left, why.reindex(self.left.index, fill_value="")
        self.left = before[why == ""]
        self.stages.append(
            {
                "stage": name,
                "in": len(before),
                "out": int((why != "").sum()),
                "left": len(self.left),
                "templates_in": before["template"].nunique(),
                "templates_left": self.left["template"].nunique(),
                "reasons": why[why != ""].value_counts().to_dict(),
            }
        )

    def all_but(self, stay: pd.Series, reason: str) -> pd.Series:
        return pd.Series(reason, index=self.left.index).mask(stay, "")

    def why(self, name: str) -> pd.Series:
        """Return why a filter lets each item out; what people say goes before."""
        judged = self.verdicts[self.verdicts["filter"] == name]
        reason = judged["reason"].mask(judged["reason"] == "", name)
        out = reason.mask(judged["verdict"] == "keep", "")
        asked = "" if self.settings.asked == "keep" else "asked: " + reason
        out = out.mask(judged["verdict"] == "ask", asked)
        why = out.reindex(self.left.index, fill_value="not judged yet")
        answers = self.people[self.people.index.get_level_values(1) == name].droplevel(1)
        answers = answers.reindex(self.left.index)
        return why.mask(answers == "keep", "").mask(answers == "drop", "by a person")


def count_pictures(world: World, settings: SelectSettings) -> list[dict]:
    counted = Counted(world, settings)
    counted.stage("picture", pd.Series(dtype=str))
    names = [*settings.filters]
    for name in names if "dedup" in names else ["dedup", *names]:
        if name != "dedup":
            counted.stage(name, counted.why(name))
            continue
        judged = counted.verdicts.query("filter == 'dedup'")
        dropped = judged.loc[judged["verdict"] == "drop", "more"]
        for stage, label in LABELS.items():
            of_stage = counted.left.index.isin(dropped.index[dropped == stage])
            counted.stage(f"duplicates: {label}", counted.why("dedup").where(of_stage, ""))
        counted.stage("duplicates: not decided", counted.why("dedup"))
    return counted.stages


def count_captions(world: World, settings: SelectSettings) -> list[dict]:
    counted = Counted(world, settings)
    counted.stage("template", pd.Series(dtype=str))
    names = [*settings.filters] or ["language", "wordplay"]
    if settings.duplicates == "out":
        counted.stage(
            "duplicates",
            pd.Series("asked: duplicate", index=[*world.doubtful]).combine_first(
                pd.Series("duplicate", index=[*world.stays])
            ),
        )
    if settings.topics and "topics" not in names:
        names.append("topics")
    topics = pd.Series(world.topics)
    for name in names:
        if name == "topics":
            on_topic = counted.left["template"].isin(topics.index)
            counted.stage("on a topic", counted.all_but(on_topic, "no topic"))
        else:
            counted.stage(name, counted.why(name))
    # By template: how many captions passed; of each topic those with the most, first collected.
    sizes = counted.left["template"].value_counts()
    table = pd.DataFrame({"topic": topics, "captions": sizes}).dropna()
    table["place"] = [int(name[1:]) for name in table.index]
    enough = table[table["captions"] >= settings.per_template]
    enough = enough.sort_values(["captions", "place"], ascending=[False, True])
    many = enough.groupby("topic")["captions"].transform("size") >= settings.templates_per_topic
    few = f"at least {settings.per_template} captions a template"
    if settings.per_template:
        big = counted.left["template"].map(sizes) >= settings.per_template
        counted.stage(few, counted.all_but(big, "too few captions"))
    if settings.topics:
        name = f"at least {settings.templates_per_topic} templates a topic"
        on_many = counted.left["template"].isin(enough.index[many])
        counted.stage(name, counted.all_but(on_many, "too few templates"))
        best = enough[many].groupby("topic").head(settings.top).index
        name = f"the {settings.top} templates of a topic with most captions"
        taken = counted.left["template"].isin(best)
        counted.stage(name, counted.all_but(taken, "other templates have more"))
    if most := settings.most_per_template:
        ranked = counted.left.sort_values("votes", ascending=False, kind="stable")
        first = ranked.groupby("template").cumcount().reindex(counted.left.index) < most
        name = f"at most {most} captions a template"
        counted.stage(name, counted.all_but(first, "other captions have more votes"))
    if settings.take:
        # One of each template, a second of each, and so on; of these which, does not count here.
        ranked = counted.left.groupby("template").cumcount().sort_values(kind="stable")
        taken = counted.left.index.isin(ranked.index[: settings.take])
        name = f"{settings.take} in all, evenly over templates"
        counted.stage(name, counted.all_but(taken, "more than are to be taken"))
    return counted.stages


@pytest.mark.parametrize("name", FUNNELS)
@pytest.mark.parametrize("seed", range(3))
def test_a_funnel_counted_apart_has_the_same_figures(name: str, seed: int) -> None:
    settings = SelectSettings(**FUNNELS[name])
    run = {*settings.filters} - {"topics"} or {"language", "wordplay"}
    if settings.kind == "picture":
        world = World("picture", tuple(sorted(run | {"dedup"})), seed)
        chosen = select_pictures(world.items, world.verdicts, settings, people=world.people)
        counted = count_pictures(world, settings)
    else:
        world = World("caption", tuple(sorted(run)), seed)
        chosen = select(
            world.items,
            world.templates,
            world.verdicts,
            settings,
            duplicates=world.stays,
            doubtful=world.doubtful,
            people=world.people,
        )
        counted = count_captions(world, settings)
    assert counted == [
        {name: value for name, value in stage.items() if name != "kind"} for stage in chosen.stages
    ]
    assert counted[-1]["left"] == len(chosen.items)
    assert 0 < len(chosen.items) < len(world.items)
