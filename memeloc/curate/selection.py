"""Selection of what was collected. In: items, verdicts, people's answers. Out: ids, a funnel.

Multi3Hate, appendix A.2: of what passed the filters, templates with at least 10 captions; of these,
topics with at least 3 templates; of each topic the 3 templates with most captions. All numbers are
settings. What HarMeme rejects (section 4.2), AraHarMeme discards (section 3.2) and CHARMemes
removes (section 4.3) of finished memes are filters and stages of deduplication. Nothing is stored
here: the same data give the same selection.

Every item that comes into a stage stays or goes out for exactly one reason, so that the figures of
a funnel add up. A funnel is stages, each a mapping as it is stored and shown: `kind`, `stage` (its
name), `in`, `out`, `left`, `templates_in`, `templates_left` (on which its items are), `reasons` (of
what went out, most first); and topics: `category`, `topic`, `templates` (captions of each that
passed, most first), `enough` (how many of these have captions enough), `taken` (their ids),
`outcome`.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from memeloc.counts import counted
from memeloc.curate.duplicates.match import FILTER as MATCH
from memeloc.curate.protocol import FilterSettings
from memeloc.curate.verdict import Judgement, Verdict, Verdicts, majority
from memeloc.items import Item, ItemKind

TOPICS = "topics"  # the filter whose evidence says what a template is about
DUPLICATES = "dedup"  # what stands in an order of filters for leaving out duplicates
NOT_PASSED = frozenset({TOPICS, DUPLICATES, MATCH})
"""Names of verdicts that are not of a filter to pass."""
OF_PICTURES = ("kind", "filters", "duplicates", "asked", "take", "balance", "seed")
"""The settings of the selection that concern finished memes; the others are of captions only."""

_STAGES = {
    "bytes": "same file",
    "hash": "near hash",
    "copy": "cropped, framed, marked or mirrored",
    "likeness": "similar by models",
    "people": "decided by people",
}
"""Stages of deduplication as a funnel names them, in its order; those of other names come last.
`copy` stands in a funnel only where something went out by it."""
_NOUNS = {"caption": "captions", "picture": "finished memes", "template": "templates"}

Reason = Callable[[Item], str]  # why an item goes out; empty when it stays
People = Mapping[tuple[str, str], str]
"""What most people answered, `keep` or `drop`, by item and filter."""


class SelectSettings(FilterSettings):
    """The settings of the selection; the defaults are Multi3Hate's (appendix A.2).

    Who says how many to take has no topics and no templates with many captions in mind: with `take`
    what else is not set of these asks for nothing.
    """

    kind: Literal["all", "caption", "picture"] = Field(
        "all", description="what is selected: captions, finished memes (picture), or all"
    )
    filters: tuple[str, ...] = Field(
        (),
        description="filters to pass, in this order; empty: all that were run. dedup and topics "
        "among them say when duplicates and templates without a topic go",
    )
    duplicates: Literal["out", "keep"] = Field("out", description="what becomes of duplicates")
    topics: bool = Field(True, description="whether only templates on a topic are taken")
    per_template: int = Field(10, ge=0, description="captions that a template must have at least")
    templates_per_topic: int = Field(3, ge=0, description="templates that a topic has at least")
    top: int = Field(3, ge=0, description="templates of a topic that are taken, 0 for all")
    most_per_template: int = Field(
        0, ge=0, description="captions a template that are taken, 0: all"
    )
    asked: Literal["out", "keep"] = Field("out", description="items that wait for a person")
    take: int = Field(
        0, ge=0, description="how many of what passes are taken in all, of each kind; 0: all"
    )
    balance: Literal["none", "template", "language", "label"] = Field(
        "none", description="over what those that are taken are spread evenly"
    )
    seed: int = Field(0, description="what chance begins with, where it decides what is taken")

    @model_validator(mode="before")
    @classmethod
    def _all_that_passes(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("take"):
            return {"topics": False, "per_template": 0, **values}
        return values


@dataclass(frozen=True, slots=True)
class Chosen:
    """The ids of the items that were selected, the funnel, and of the others stage and reason.

    Captions come by topic, template and votes, finished memes as they were collected.
    """

    items: tuple[str, ...]
    stages: Sequence[dict[str, Any]]
    out: Mapping[str, tuple[str, str]]
    topics: Sequence[dict[str, Any]] = ()


def answers_of(judgements: Iterable[Judgement]) -> dict[tuple[str, str], str]:
    """Return what most people answer about items and filters: `keep` or `drop`.

    A judgement counts when its question is a filter's name and its answer `keep` or `drop`; a tie
    decides nothing.
    """
    return majority(judgements, ("keep", "drop"))


class _Funnel:
    """What is left of some items of a kind, and what the stages so far did.

    `template` returns the template that an item counts for: of one that is a duplicate, the one
    that stays.
    """

    def __init__(
        self,
        items: Sequence[Item],
        kind: ItemKind,
        settings: SelectSettings,
        people: People | None,
        template: Callable[[Item], str],
    ) -> None:
        self.left = list(items)
        self.stages: list[dict[str, Any]] = []
        self.out: dict[str, tuple[str, str]] = {}
        self._ids = {item.id for item in items}
        self._kind, self._settings, self._people = kind, settings, people or {}
        self.template = template

    def stage(self, name: str, reason: Reason) -> None:
        before = self.left
        why = {item.id: reason(item) for item in before}
        self.left = [item for item in before if not why[item.id]]
        self.out |= {item: (name, text) for item, text in why.items() if text}
        reasons = Counter(filter(None, why.values()))
        on = [len({*map(self.template, items)} - {""}) for items in (before, self.left)]
        self.stages.append(
            {
                "kind": self._kind,
                "stage": name,
                "in": len(before),
                "out": len(before) - len(self.left),
                "left": len(self.left),
                "templates_in": on[0],
                "templates_left": on[1],
                "reasons": dict(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
            }
        )

    def leave(self, name: str, left: Collection[str], reason: str) -> None:
        self.stage(name, lambda item: "" if item.id in left else reason)

    def outcome(self, name: str, verdict: Verdict | None, subject: str) -> str:
        """Return why a filter lets a subject go; empty when it stays. People come first."""
        if person := self._people.get((subject, name)):
            return "" if person == "keep" else "by a person"
        if verdict is None:
            return "not judged yet"
        if verdict.verdict == "ask":
            return "" if self._settings.asked == "keep" else f"asked: {verdict.reason or name}"
        return "" if verdict.verdict == "keep" else verdict.reason or name

    def pass_filter(self, name: str, verdicts: Verdicts, templates: Collection[str] = ()) -> None:
        """Let items go out by a filter, which judges items, their templates, or both.

        `templates` are those whose verdict is also that of what is on them.
        """
        judged = {item: by[name] for item, by in verdicts.items() if name in by}
        of_templates = any(subject in templates for subject in judged)
        of_items = any(subject in self._ids for subject in judged) or not of_templates

        def reason(item: Item) -> str:
            why = self.outcome(name, judged.get(item.id), item.id) if of_items else ""
            if why or not of_templates:
                return why
            return self.outcome(name, judged.get(item.parent), item.parent)

        self.stage(name, reason)

    def chosen(self, topics: Sequence[dict[str, Any]] = ()) -> Chosen:
        """Return what is taken of what is left, and how it came to it.

        Where only so many are to be taken, it is one of each group, a second of each, and so on. Of
        a group those with most votes come first. Of equal ones, and of groups for which there is no
        more room, chance takes some: the order of hashes, which is the same for the others when
        more items come.
        """
        settings = self._settings
        if settings.take:

            def drawn(name: str) -> bytes:
                seeded = f"{settings.seed}/{name}".encode("utf-8", "surrogatepass")
                return hashlib.sha256(seeded).digest()

            groups: dict[str, Callable[[Item], str]] = {
                "none": lambda item: "",
                "template": self.template,
                "language": lambda item: item.language,
                "label": lambda item: str(
                    sorted(item.labels.items()) or item.details.get("label", "")
                ),
            }
            places: defaultdict[str, int] = defaultdict(int)
            order: dict[str, tuple[int, bytes]] = {}
            for item in sorted(self.left, key=lambda item: (-(item.votes or 0), drawn(item.id))):
                group = groups[settings.balance](item)
                order[item.id] = (places[group], drawn(group))
                places[group] += 1
            taken = set(sorted(order, key=lambda item: order[item])[: settings.take])
            over = "" if settings.balance == "none" else f", evenly over {settings.balance}s"
            self.leave(f"{settings.take:,} in all{over}", taken, "more than are to be taken")
        return Chosen(tuple(item.id for item in self.left), self.stages, self.out, topics)


def select_pictures(
    pictures: Sequence[Item],
    verdicts: Verdicts,
    settings: SelectSettings,
    *,
    people: People | None = None,
    missing: Collection[str] = (),
    not_run: Collection[str] = (),
) -> Chosen:
    """Choose finished memes, given as they were collected, stage by stage.

    Duplicates go first where `settings.filters` does not say when, and `settings.duplicates` does
    not keep them: a stage of the funnel for each of deduplication, and one for what is not decided.
    `missing` are pictures whose stored file is not there, `not_run` stages of deduplication that
    were left out. What people answered (`answers_of`) counts before any verdict.
    """
    funnel = _Funnel(pictures, "picture", settings, people, lambda item: item.parent)
    ids = {item.id for item in pictures}
    verdicts = {item: by for item, by in verdicts.items() if item in ids}
    reasons = dict.fromkeys(missing, "its file is missing")
    reasons |= {item.id: "has no picture" for item in pictures if not item.picture}
    funnel.stage("picture", lambda item: reasons.get(item.id, ""))
    for name in _order(settings, verdicts):
        if name == DUPLICATES and settings.duplicates == "out":
            judged = {item: by[DUPLICATES] for item, by in verdicts.items() if DUPLICATES in by}
            was_run = bool(judged) or DUPLICATES in settings.filters

            def why(item: Item, judged: Any = judged, was_run: bool = was_run) -> str:
                return funnel.outcome(DUPLICATES, judged.get(item.id), item.id) if was_run else ""

            stage_of = {
                item: str(verdict.evidence.get("stage", ""))
                for item, verdict in judged.items()
                if verdict.verdict == "drop"
            }
            used = {*stage_of.values()}
            stages = [stage for stage in _STAGES if stage in used or stage != "copy"]
            for stage in (*stages, *sorted(used - {*_STAGES})):
                here = {item.id for item in funnel.left if stage_of.get(item.id) == stage}
                label = f"duplicates: {_STAGES.get(stage, stage or 'other')}"
                label += " (not run)" if stage in not_run else ""
                reasons = {item.id: why(item) for item in funnel.left if item.id in here}
                funnel.stage(label, lambda item, of=reasons: of.get(item.id, ""))  # type: ignore[misc]
            funnel.stage("duplicates: not decided", why)
        elif name not in (TOPICS, DUPLICATES):
            funnel.pass_filter(name, verdicts)
    return funnel.chosen()


def _order(settings: SelectSettings, verdicts: Verdicts) -> list[str]:
    """Return filters, duplicates and topics in the order in which items pass them.

    Where the settings do not say it, duplicates go first and what is on no topic goes last.
    """
    names = list(settings.filters)
    if not names:
        names = sorted({name for by in verdicts.values() for name in by} - NOT_PASSED)
    if settings.duplicates == "out" and DUPLICATES not in names:
        names.insert(0, DUPLICATES)
    if settings.topics and TOPICS not in names:
        names.append(TOPICS)
    return [name for name in names if settings.topics or name != TOPICS]


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
    stays, waiting, people = duplicates or {}, doubtful or {}, people or {}
    if settings.duplicates == "keep":
        stays = waiting = {}

    def template_of(item: Item) -> str:
        return stays.get(item.parent, item.parent)

    def without_template(item: Item) -> str:
        if item.parent not in templates:
            return "no template"
        return "its template has no picture" if item.parent in unusable else ""

    def duplicate(item: Item) -> str:
        if item.id in stays:
            return "duplicate"
        is_asked = item.id in waiting and settings.asked == "out"
        return "asked: duplicate" if is_asked else ""

    topics: dict[str, tuple[str, str]] = {}  # category and topic of templates, the first found
    for template in templates if settings.topics else ():
        verdict = verdicts.get(template, {}).get(TOPICS)
        found = verdict.evidence.get("topics") if verdict else None
        if verdict and found and people.get((template, TOPICS), verdict.verdict) == "keep":
            topics[template] = str(found[0]["category"]), str(found[0]["topic"])
    funnel = _Funnel(captions, "caption", settings, people, template_of)
    funnel.stage("template", without_template)
    for name in _order(settings, verdicts):
        if name == DUPLICATES:
            funnel.stage("duplicates", duplicate)
        elif name == TOPICS:
            funnel.stage("on a topic", lambda i: "" if template_of(i) in topics else "no topic")
        else:
            funnel.pass_filter(name, verdicts, templates)
    lines = _enough(funnel, topics, settings)
    if check is not None and (reasons := check([item.id for item in funnel.left])):
        funnel.stage("can be a meme", lambda item: reasons.get(item.id, ""))
    return funnel.chosen(lines)


def _enough(
    funnel: _Funnel, topics: Mapping[str, tuple[str, str]], settings: SelectSettings
) -> list[dict[str, Any]]:
    """Leave the templates with captions enough, of the topics with templates enough; return what
    becomes of each topic, by category and name."""
    template = funnel.template
    counts = Counter(map(template, funnel.left))
    by_topic: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, key in topics.items():
        if counts.get(name):
            by_topic[key].append(name)
    lines: list[dict[str, Any]] = []
    for (category, topic), names in sorted(by_topic.items()):
        # Sorting is stable: of templates with as many captions, the one collected first is taken.
        ranked = {name: counts[name] for name in sorted(names, key=lambda name: -counts[name])}
        enough = [name for name, count in ranked.items() if count >= settings.per_template]
        is_few = len(enough) < settings.templates_per_topic or not enough
        line = {"category": category, "topic": topic, "templates": ranked, "enough": len(enough)}
        line["taken"] = () if is_few else tuple(enough[: settings.top or None])
        lines.append(line | {"outcome": "too few templates" if is_few else "taken"})
    if settings.per_template or not settings.take:
        funnel.stage(
            f"at least {counted(settings.per_template, 'caption')} a template",
            lambda i: "too few captions" if counts[template(i)] < settings.per_template else "",
        )
    ranks = {name: place for place, name in enumerate(n for line in lines for n in line["taken"])}
    if settings.topics:
        few = {(line["category"], line["topic"]) for line in lines if not line["taken"]}
        funnel.stage(
            f"at least {counted(settings.templates_per_topic, 'template')} a topic",
            lambda item: "too few templates" if topics[template(item)] in few else "",
        )
        if settings.top:
            best = {item.id for item in funnel.left if template(item) in ranks}
            name = f"the {counted(settings.top, 'template')} of a topic with most captions"
            funnel.leave(name, best, "other templates have more")
    if most := settings.most_per_template:
        seen: Counter[str] = Counter()
        best = set()
        for item in sorted(funnel.left, key=lambda item: -(item.votes or 0)):
            seen[template(item)] += 1
            if seen[template(item)] <= most:
                best.add(item.id)
        name = f"at most {counted(most, 'caption')} a template"
        funnel.leave(name, best, "other captions have more votes")
    if ranks:
        funnel.left.sort(key=lambda item: (ranks[template(item)], -(item.votes or 0)))
    return lines


def funnel_page(
    stages: Sequence[Mapping[str, Any]],
    topics: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
    settings: Mapping[str, object],
    refused: Mapping[str, int] | None = None,
    paper: str | None = None,
    beside: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the funnel as one page of HTML that works from disk, without scripts.

    Names of templates, by id, are untrusted: they are shown as text. `refused` is what was not
    taken when it was collected, by reason; `beside` is of `memeloc.curate.recipes.Recipe.beside`.
    """
    from memeloc.pages import fill_page

    def plain(value: object) -> str:
        if isinstance(value, list | tuple):
            return " ".join(map(str, value)) or "none"
        return ("no", "yes")[value] if isinstance(value, bool) else str(value)

    kinds = dict.fromkeys(stage["kind"] for stage in stages)
    return fill_page(
        Path(__file__).parent / "pages" / "funnel.html",
        kinds={_NOUNS[kind]: [s for s in stages if s["kind"] == kind] for kind in kinds},
        topics=topics,
        names=names,
        settings={name: plain(value) for name, value in settings.items()},
        refused=refused or {},
        paper=paper,
        beside=beside,
    )
