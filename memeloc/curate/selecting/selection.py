"""Which captions are worth translating. In: items, verdicts, people's answers. Out: those.

Multi3Hate, appendix A.2: of what passed the filters, templates with at least 10 captions; of these,
topics with at least 3 templates; of each topic the 3 templates with most captions. All numbers are
settings. Nothing is stored here: the same data give the same selection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from memeloc.curate.protocol import FilterSettings
from memeloc.curate.review.judgement import Judgement, majority
from memeloc.curate.selecting.funnel import Funnel, Stage, TopicLine
from memeloc.curate.verdict import Verdict, Verdicts
from memeloc.items import Item

TOPICS = "topics"
"""The filter whose evidence says what a template is about."""


class SelectSettings(FilterSettings):
    """The settings of the selection; the defaults are Multi3Hate's (appendix A.2)."""

    filters: tuple[str, ...] = Field((), description="filters to pass; empty: all that were run")
    topics: bool = Field(True, description="whether only templates on a topic are taken")
    per_template: int = Field(10, ge=0, description="captions that a template must have at least")
    templates_per_topic: int = Field(3, ge=0, description="templates that a topic has at least")
    top: int = Field(3, ge=0, description="templates of a topic that are taken, 0 for all")
    most_per_template: int = Field(
        0, ge=0, description="captions a template that are taken, 0: all"
    )
    asked: Literal["out", "keep"] = Field("out", description="items that wait for a person")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The ids of the captions that were selected, by topic, template and votes; and the funnel."""

    items: tuple[str, ...]
    funnel: Funnel


Reason = Callable[[Item], str]
"""Why a caption goes out; empty when it stays."""
People = Mapping[tuple[str, str], str]
"""What most people answered, `keep` or `drop`, by item and filter."""


def select(
    captions: Sequence[Item],
    templates: Mapping[str, Item],
    verdicts: Verdicts,
    settings: SelectSettings,
    *,
    duplicates: Mapping[str, str] | None = None,
    doubtful: Mapping[str, str] | None = None,
    people: People | None = None,
) -> Chosen:
    """Choose captions, given as they were collected, stage by stage.

    Duplicates, captions and templates, are given with the one that stays. A caption goes out; a
    template's captions count as those of the one that stays. `doubtful` are those that a person has
    yet to decide on. What people answered (`answers_of`) counts before any verdict.
    """
    duplicates, doubtful, people = duplicates or {}, doubtful or {}, people or {}
    work = _Work(captions, duplicates)
    work.stage("template", lambda item: "" if item.parent in templates else "no template")
    asked = doubtful if settings.asked == "out" else {}
    work.stage(
        "duplicates",
        lambda item: (
            "duplicate" if item.id in duplicates else "asked: duplicate" if item.id in asked else ""
        ),
    )
    ids = {item.id for item in captions}
    names = {name for by in verdicts.values() for name in by} - {TOPICS, "dedup"}
    for name in settings.filters or sorted(names):
        own = {item: by[name] for item, by in verdicts.items() if name in by}
        work.stage(name, _passed(name, own, people, settings, templates, ids))
    topics = _topics(templates, verdicts, people) if settings.topics else {}
    if settings.topics:
        work.stage("on a topic", lambda item: "" if work.template(item) in topics else "no topic")

    counts = Counter(map(work.template, work.left))
    lines = _topic_lines(topics, counts, settings)
    small = {name for name, count in counts.items() if count < settings.per_template}
    work.stage(
        f"at least {settings.per_template} captions a template",
        lambda item: "too few captions" if work.template(item) in small else "",
    )
    ranked = (template for line in lines for template in line.taken)
    taken = {template: place for place, template in enumerate(ranked)}
    if settings.topics:
        few = {line.topic for line in lines if line.outcome == "too few templates"}
        work.stage(
            f"at least {settings.templates_per_topic} templates a topic",
            lambda item: "too few templates" if topics[work.template(item)][1] in few else "",
        )
        if settings.top:
            work.stage(
                f"the {settings.top} templates of a topic with most captions",
                lambda item: "" if work.template(item) in taken else "other templates have more",
            )
    if settings.most_per_template:
        best = _best(work, settings.most_per_template)
        work.stage(
            f"at most {settings.most_per_template} captions a template",
            lambda item: "" if item.id in best else "other captions have more votes",
        )
    if taken:
        work.left.sort(key=lambda item: (taken[work.template(item)], -(item.votes or 0)))
    return Chosen(tuple(item.id for item in work.left), Funnel(tuple(work.stages), tuple(lines)))


def answers_of(judgements: Iterable[Judgement]) -> dict[tuple[str, str], str]:
    """What most people answer about items and filters: `keep` or `drop`; a tie decides nothing.

    A judgement counts when its question is a filter's name and its answer `keep` or `drop`.
    """
    return majority(judgements, ("keep", "drop"))


class _Work:
    """What is left of the captions, and what the stages so far did."""

    def __init__(self, captions: Sequence[Item], duplicates: Mapping[str, str]) -> None:
        self.left = list(captions)
        self.stages: list[Stage] = []
        self._duplicates = duplicates

    def template(self, item: Item) -> str:
        """The template that a caption counts for."""
        return self._duplicates.get(item.parent, item.parent)

    def stage(self, name: str, reason: Reason) -> None:
        """Let captions go out for a reason."""
        before = self.left
        why = [reason(item) for item in before]
        self.left = [item for item, text in zip(before, why, strict=True) if not text]
        reasons = Counter(filter(None, why))
        self.stages.append(
            Stage(
                name,
                len(before),
                len(self.left),
                len({*map(self.template, before)}),
                len({*map(self.template, self.left)}),
                dict(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
            )
        )


def _passed(
    name: str,
    verdicts: Mapping[str, Verdict],
    people: People,
    settings: SelectSettings,
    templates: Mapping[str, Item],
    captions: Collection[str],
) -> Reason:
    """Why a caption does not pass a filter, which judges captions, their templates, or both.

    What a filter says of finished pictures does not concern a caption.
    """
    of_templates = any(item in templates for item in verdicts)
    of_captions = any(item in captions for item in verdicts) or not of_templates

    def of(subject: str) -> str:
        if person := people.get((subject, name)):
            return "" if person == "keep" else "by a person"
        verdict = verdicts.get(subject)
        if verdict is None:
            return "not judged yet"
        if verdict.verdict == "ask":
            return "" if settings.asked == "keep" else f"asked: {verdict.reason or name}"
        return "" if verdict.verdict == "keep" else verdict.reason or name

    def reason(item: Item) -> str:
        why = of(item.id) if of_captions else ""
        return why or (of(item.parent) if of_templates else "")

    return reason


def _topics(
    templates: Mapping[str, Item], verdicts: Verdicts, people: People
) -> dict[str, tuple[str, str]]:
    """Category and topic of templates, the first that the filter found."""
    chosen: dict[str, tuple[str, str]] = {}
    for template in templates:
        verdict = verdicts.get(template, {}).get(TOPICS)
        topics = verdict.evidence.get("topics") if verdict else None
        if verdict and topics and people.get((template, TOPICS), verdict.verdict) == "keep":
            chosen[template] = str(topics[0]["category"]), str(topics[0]["topic"])
    return chosen


def _topic_lines(
    topics: Mapping[str, tuple[str, str]], counts: Mapping[str, int], settings: SelectSettings
) -> list[TopicLine]:
    """What becomes of each topic, by category and name."""
    by_topic: dict[tuple[str, str], list[str]] = {}
    for template, key in topics.items():
        if counts.get(template):
            by_topic.setdefault(key, []).append(template)
    lines: list[TopicLine] = []
    for (category, topic), names in sorted(by_topic.items()):
        # Sorting is stable: of templates with as many captions, the one collected first is taken.
        ranked = {name: counts[name] for name in sorted(names, key=lambda name: -counts[name])}
        enough = [name for name, count in ranked.items() if count >= settings.per_template]
        outcome, taken = "taken", tuple(enough[: settings.top or None])
        if len(enough) < settings.templates_per_topic or not enough:
            outcome, taken = "too few templates", ()
        lines.append(TopicLine(category, topic, ranked, len(enough), taken, outcome))
    return lines


def _best(work: _Work, most: int) -> set[str]:
    """The captions of each template with most votes."""
    best: set[str] = set()
    counts: Counter[str] = Counter()
    for item in sorted(work.left, key=lambda item: -(item.votes or 0)):
        counts[work.template(item)] += 1
        if counts[work.template(item)] <= most:
            best.add(item.id)
    return best
