"""Which captions are worth translating. In: items, verdicts, people's answers. Out: those.

Multi3Hate, appendix A.2: of what passed the filters, templates with at least 10 captions; of these,
topics with at least 3 templates; of each topic the 3 templates with most captions. All numbers are
settings. Nothing is stored here: the same data give the same selection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from memeloc.counts import counted
from memeloc.curate.selecting.settings import SelectSettings
from memeloc.curate.selecting.stages import (
    DUPLICATES,
    NOT_PASSED,
    TOPICS,
    Chosen,
    People,
    Work,
    passed,
    take,
)
from memeloc.curate.verdict import Verdicts
from memeloc.items import Item


def select(
    captions: Sequence[Item],
    templates: Mapping[str, Item],
    verdicts: Verdicts,
    settings: SelectSettings,
    *,
    duplicates: Mapping[str, str] | None = None,
    doubtful: Mapping[str, str] | None = None,
    people: People | None = None,
    unusable: Collection[str] = (),
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Chosen:
    """Choose captions, given as they were collected, stage by stage.

    Duplicates, captions and templates, are given with the one that stays. A caption goes out; a
    template's captions count as those of the one that stays. `doubtful` are those that a person has
    yet to decide on. What people answered (`answers_of`) counts before any verdict. `unusable` are
    templates without a picture to write on; `check` says of ids which can be no memes, and why.
    """
    duplicates, doubtful, people = duplicates or {}, doubtful or {}, people or {}
    if settings.duplicates == "keep":
        duplicates = doubtful = {}
    work = Work(captions, "caption", duplicates)
    topics = _topics(templates, verdicts, people) if settings.topics else {}
    ids = {item.id for item in captions}

    def template(item: Item) -> str:
        if item.parent not in templates:
            return "no template"
        return "its template has no picture" if item.parent in unusable else ""

    def duplicate(item: Item) -> str:
        if item.id in duplicates:
            return "duplicate"
        is_asked = item.id in doubtful and settings.asked == "out"
        return "asked: duplicate" if is_asked else ""

    work.stage("template", template)
    names = {name for by in verdicts.values() for name in by} - NOT_PASSED
    for name in _order(settings, settings.filters or sorted(names)):
        if name == DUPLICATES:
            work.stage("duplicates", duplicate)
        elif name == TOPICS:
            work.stage(
                "on a topic", lambda item: "" if work.template(item) in topics else "no topic"
            )
        else:
            own = {item: by[name] for item, by in verdicts.items() if name in by}
            work.stage(name, passed(name, own, people, settings.asked, templates, ids))
    lines = _enough(work, topics, settings)
    if check is not None and (reasons := check([item.id for item in work.left])):
        work.stage("can be a meme", lambda item: reasons.get(item.id, ""))
    take(work, settings)
    return Chosen(tuple(item.id for item in work.left), work.stages, work.out, lines)


def _order(settings: SelectSettings, filters: Sequence[str]) -> list[str]:
    """Filters, duplicates and topics in the order in which captions pass them.

    Where the settings do not say it, duplicates go first and what is on no topic goes last.
    """
    names = list(filters)
    if settings.duplicates == "out" and DUPLICATES not in names:
        names.insert(0, DUPLICATES)
    if settings.topics and TOPICS not in names:
        names.append(TOPICS)
    return [name for name in names if settings.topics or name != TOPICS]


def _enough(
    work: Work, topics: Mapping[str, tuple[str, str]], settings: SelectSettings
) -> list[dict[str, Any]]:
    """Leave the templates with captions enough, of the topics with templates enough."""
    counts = Counter(map(work.template, work.left))
    lines = _topic_lines(topics, counts, settings)
    small = {name for name, count in counts.items() if count < settings.per_template}
    if settings.per_template or not settings.take:
        work.stage(
            f"at least {counted(settings.per_template, 'caption')} a template",
            lambda item: "too few captions" if work.template(item) in small else "",
        )
    ranked = (template for line in lines for template in line["taken"])
    taken = {template: place for place, template in enumerate(ranked)}
    if settings.topics:
        few = {line["topic"] for line in lines if line["outcome"] == "too few templates"}
        work.stage(
            f"at least {counted(settings.templates_per_topic, 'template')} a topic",
            lambda item: "too few templates" if topics[work.template(item)][1] in few else "",
        )
        if settings.top:
            work.stage(
                f"the {counted(settings.top, 'template')} of a topic with most captions",
                lambda item: "" if work.template(item) in taken else "other templates have more",
            )
    if settings.most_per_template:
        best = _best(work, settings.most_per_template)
        work.stage(
            f"at most {counted(settings.most_per_template, 'caption')} a template",
            lambda item: "" if item.id in best else "other captions have more votes",
        )
    if taken:
        work.left.sort(key=lambda item: (taken[work.template(item)], -(item.votes or 0)))
    return lines


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
) -> list[dict[str, Any]]:
    """What becomes of each topic, by category and name."""
    by_topic: dict[tuple[str, str], list[str]] = {}
    for template, key in topics.items():
        if counts.get(template):
            by_topic.setdefault(key, []).append(template)
    lines: list[dict[str, Any]] = []
    for (category, topic), names in sorted(by_topic.items()):
        # Sorting is stable: of templates with as many captions, the one collected first is taken.
        ranked = {name: counts[name] for name in sorted(names, key=lambda name: -counts[name])}
        enough = [name for name, count in ranked.items() if count >= settings.per_template]
        outcome, taken = "taken", tuple(enough[: settings.top or None])
        if len(enough) < settings.templates_per_topic or not enough:
            outcome, taken = "too few templates", ()
        lines.append(
            {
                "category": category,
                "topic": topic,
                "templates": ranked,
                "enough": len(enough),
                "taken": taken,
                "outcome": outcome,
            }
        )
    return lines


def _best(work: Work, most: int) -> set[str]:
    """The captions of each template with most votes."""
    best: set[str] = set()
    counts: Counter[str] = Counter()
    for item in sorted(work.left, key=lambda item: -(item.votes or 0)):
        counts[work.template(item)] += 1
        if counts[work.template(item)] <= most:
            best.add(item.id)
    return best
