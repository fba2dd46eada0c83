"""Which captions are worth translating. In: items, verdicts, people's answers. Out: those.

Multi3Hate, appendix A.2: of what passed the filters, templates with at least 10 captions; of these,
topics with at least 3 templates; of each topic the 3 templates with most captions. All numbers are
settings. Nothing is stored here: the same data give the same selection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from memeloc.curate.protocol import FilterSettings
from memeloc.curate.review.judgement import Judgement, majority
from memeloc.curate.selecting.funnel import Funnel, Stage, TopicLine
from memeloc.curate.verdict import Verdict
from memeloc.items import Item

TOPICS = "topics"
"""The filter whose evidence says what a template is about."""

DUPLICATES = "dedup"
"""The name of deduplication's verdicts; the selection is given them by themselves."""

NOT_JUDGED = "not judged yet"
"""The reason of an item that a filter has not judged."""


class SelectSettings(FilterSettings):
    """The settings of the selection; the defaults are Multi3Hate's (appendix A.2)."""

    filters: Annotated[
        tuple[str, ...],
        Field(description="filters that an item must pass; empty is all that were run"),
    ] = ()
    topics: Annotated[bool, Field(description="whether only templates on a topic are taken")] = True
    per_template: Annotated[
        int, Field(ge=0, description="captions that a template must have at least")
    ] = 10
    templates_per_topic: Annotated[
        int, Field(ge=0, description="templates that a topic must have at least")
    ] = 3
    top: Annotated[
        int, Field(ge=0, description="templates of a topic that are taken, 0 for all")
    ] = 3
    most_per_template: Annotated[
        int, Field(ge=0, description="captions of a template that are taken, 0 for all")
    ] = 0
    asked: Annotated[
        Literal["out", "keep"],
        Field(description="what becomes of items that wait for a person"),
    ] = "out"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was selected.

    Attributes:
        items: the ids of the captions, by topic, template and votes.
        funnel: how they came to be.
    """

    items: tuple[str, ...]
    funnel: Funnel


Reason = Callable[[Item], str]


def select(
    captions: Sequence[Item],
    templates: Mapping[str, Item],
    verdicts: Mapping[str, Mapping[str, Verdict]],
    settings: SelectSettings,
    *,
    duplicates: Mapping[str, str] | None = None,
    doubtful: Mapping[str, str] | None = None,
    people: Mapping[tuple[str, str], str] | None = None,
) -> Chosen:
    """Choose captions, stage by stage.

    Args:
        captions: in the order in which they were collected.
        templates: by id.
        verdicts: the newest, by item and filter.
        settings: the thresholds.
        duplicates: captions and templates that are there twice, to the one that stays. A caption
            goes out; a template's captions count as those of the one that stays.
        doubtful: the same, for those that a person has yet to decide on.
        people: what most people answered about an item and a filter, before any verdict.
    """
    duplicates, doubtful, people = duplicates or {}, doubtful or {}, people or {}
    work = _Work(captions, lambda item: duplicates.get(item.parent, item.parent))
    work.stage("template", lambda item: "" if item.parent in templates else "no template")
    work.stage("duplicates", lambda item: _duplicate(item, duplicates, doubtful, settings))
    ids = {item.id for item in captions}
    for name in _filters(settings, verdicts):
        mine = {item: by[name] for item, by in verdicts.items() if name in by}
        work.stage(name, _passed(name, mine, people, settings, templates, ids))
    topics = _topics(templates, verdicts, people) if settings.topics else {}
    if settings.topics:
        work.stage("on a topic", lambda item: "" if work.template(item) in topics else "no topic")

    counts = Counter(map(work.template, work.left))
    lines = _topic_lines(topics, counts, settings)
    work.stage(
        f"at least {settings.per_template} captions a template",
        lambda item: (
            "" if counts[work.template(item)] >= settings.per_template else "too few captions"
        ),
    )
    if settings.topics:
        small = {line.topic for line in lines if line.outcome == "too few templates"}
        taken = {name for line in lines for name in line.taken}
        work.stage(
            f"at least {settings.templates_per_topic} templates a topic",
            lambda item: "too few templates" if topics[work.template(item)][1] in small else "",
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
    return Chosen(tuple(_ordered(work, lines)), Funnel(tuple(work.stages), tuple(lines)))


def answers_of(judgements: Iterable[Judgement]) -> dict[tuple[str, str], str]:
    """What most people answer about items and filters: `keep` or `drop`; a tie decides nothing.

    A judgement counts when its question is a filter's name and its answer `keep` or `drop`.
    """
    return majority(judgements, ("keep", "drop"))


class _Work:
    """What is left of the captions, and what the stages so far did."""

    def __init__(self, captions: Sequence[Item], template: Callable[[Item], str]) -> None:
        self.left = list(captions)
        self.stages: list[Stage] = []
        self.template = template

    def stage(self, name: str, reason: Reason) -> None:
        """Let captions go out for a reason; an empty one lets them stay."""
        before, templates = len(self.left), len({*map(self.template, self.left)})
        reasons: Counter[str] = Counter()
        left: list[Item] = []
        for item in self.left:
            why = reason(item)
            if why:
                reasons[why] += 1
            else:
                left.append(item)
        self.left = left
        self.stages.append(
            Stage(
                name,
                before,
                len(left),
                templates,
                len({*map(self.template, left)}),
                dict(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
            )
        )


def _duplicate(
    item: Item,
    duplicates: Mapping[str, str],
    doubtful: Mapping[str, str],
    settings: SelectSettings,
) -> str:
    if item.id in duplicates:
        return "duplicate"
    if item.id in doubtful and settings.asked == "out":
        return "asked: duplicate"
    return ""


def _filters(
    settings: SelectSettings, verdicts: Mapping[str, Mapping[str, Verdict]]
) -> tuple[str, ...]:
    """The filters to pass, in the order of the settings, or of the names that were run."""
    if settings.filters:
        return settings.filters
    names = {name for by in verdicts.values() for name in by}
    return tuple(sorted(names - {TOPICS, DUPLICATES}))


def _passed(
    name: str,
    verdicts: Mapping[str, Verdict],
    people: Mapping[tuple[str, str], str],
    settings: SelectSettings,
    templates: Mapping[str, Item],
    captions: Collection[str],
) -> Reason:
    """Why a caption does not pass a filter, which judges captions, their templates, or both.

    What a filter says of finished pictures is none of a caption's business.
    """
    of_templates = any(item in templates for item in verdicts)
    of_captions = any(item in captions for item in verdicts) or not of_templates

    def of(subject: str) -> str:
        person = people.get((subject, name))
        if person is not None:
            return "" if person == "keep" else "by a person"
        verdict = verdicts.get(subject)
        if verdict is None:
            return NOT_JUDGED
        if verdict.verdict == "ask":
            return "" if settings.asked == "keep" else f"asked: {verdict.reason or name}"
        return "" if verdict.verdict == "keep" else verdict.reason or name

    def reason(item: Item) -> str:
        why = of(item.id) if of_captions else ""
        return why or (of(item.parent) if of_templates else "")

    return reason


def _topics(
    templates: Mapping[str, Item],
    verdicts: Mapping[str, Mapping[str, Verdict]],
    people: Mapping[tuple[str, str], str],
) -> dict[str, tuple[str, str]]:
    """Category and topic of templates, the first that the filter found."""
    chosen: dict[str, tuple[str, str]] = {}
    for template in templates:
        verdict = verdicts.get(template, {}).get(TOPICS)
        person = people.get((template, TOPICS))
        topics: Sequence[Mapping[str, Any]] = verdict.evidence.get("topics", ()) if verdict else ()
        wanted = person == "keep" or (
            person is None and verdict is not None and verdict.verdict == "keep"
        )
        if topics and wanted:
            chosen[template] = str(topics[0]["category"]), str(topics[0]["topic"])
    return chosen


def _topic_lines(
    topics: Mapping[str, tuple[str, str]], counts: Mapping[str, int], settings: SelectSettings
) -> list[TopicLine]:
    """What becomes of each topic, in the order in which topics come among the templates."""
    by_topic: dict[tuple[str, str], list[str]] = {}
    for template, key in topics.items():
        if counts.get(template):
            by_topic.setdefault(key, []).append(template)
    lines: list[TopicLine] = []
    for (category, topic), names in sorted(by_topic.items()):
        # Sorting is stable: of templates with as many captions, the one collected first is taken.
        ranked = sorted(names, key=lambda name: -counts[name])
        enough = [name for name in ranked if counts[name] >= settings.per_template]
        outcome, taken = "taken", enough[: settings.top or None]
        if len(enough) < settings.templates_per_topic or not enough:
            outcome, taken = "too few templates", []
        lines.append(
            TopicLine(
                category,
                topic,
                {name: counts[name] for name in ranked},
                len(enough),
                tuple(taken),
                outcome,
            )
        )
    return lines


def _best(work: _Work, most: int) -> set[str]:
    by_template: dict[str, list[Item]] = {}
    for item in work.left:
        by_template.setdefault(work.template(item), []).append(item)
    return {
        item.id
        for items in by_template.values()
        for item in sorted(items, key=lambda item: -(item.votes or 0))[:most]
    }


def _ordered(work: _Work, lines: Sequence[TopicLine]) -> list[str]:
    """By topic and template as they rank, then by votes; else as they were collected."""
    rank = {name: place for place, name in enumerate(n for line in lines for n in line.taken)}
    ordered = sorted(
        work.left,
        key=lambda item: (rank.get(work.template(item), 0), -(item.votes or 0)) if rank else (0, 0),
    )
    return [item.id for item in ordered]
