"""One stage after another. In: items, a reason for each that goes. Out: what is left, why not.

Shared by the selection of captions and that of finished memes: every item that comes into a stage
stays or goes out for exactly one reason, so that the figures of a funnel add up.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memeloc.curate.duplicates.match import FILTER as MATCH
from memeloc.curate.selecting.settings import SelectSettings
from memeloc.curate.verdict import Judgement, Verdict, majority
from memeloc.items import Item, ItemKind

TOPICS = "topics"
"""The filter whose evidence says what a template is about."""
DUPLICATES = "dedup"
"""What stands in an order of filters for leaving out duplicates."""
NOT_PASSED = frozenset({TOPICS, DUPLICATES, MATCH})
"""Names of verdicts that are not of a filter to pass."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The ids of the items that were selected, the funnel (see `memeloc.curate.selecting`), and of
    the others stage and reason.

    Captions come by topic, template and votes, finished memes as they were collected.
    """

    items: tuple[str, ...]
    stages: Sequence[dict[str, Any]]
    out: Mapping[str, tuple[str, str]]
    topics: Sequence[dict[str, Any]] = ()


Reason = Callable[[Item], str]
"""Why an item goes out; empty when it stays."""
People = Mapping[tuple[str, str], str]
"""What most people answered, `keep` or `drop`, by item and filter."""


def answers_of(judgements: Iterable[Judgement]) -> dict[tuple[str, str], str]:
    """What most people answer about items and filters: `keep` or `drop`; a tie decides nothing.

    A judgement counts when its question is a filter's name and its answer `keep` or `drop`.
    """
    return majority(judgements, ("keep", "drop"))


class Work:
    """What is left of some items of a kind, and what the stages so far did.

    `duplicates` are those that go, with the one that stays: a template's items count as those of
    the template that stays.
    """

    def __init__(
        self, items: Sequence[Item], kind: ItemKind, duplicates: Mapping[str, str] | None = None
    ) -> None:
        self.left = list(items)
        self.stages: list[dict[str, Any]] = []
        self.out: dict[str, tuple[str, str]] = {}
        self._kind = kind
        self._duplicates = duplicates or {}

    def template(self, item: Item) -> str:
        """The template that an item counts for."""
        return self._duplicates.get(item.parent, item.parent)

    def stage(self, name: str, reason: Reason) -> None:
        """Let items go out for a reason."""
        before = self.left
        why = {item.id: reason(item) for item in before}
        self.left = [item for item in before if not why[item.id]]
        self.out |= {item: (name, text) for item, text in why.items() if text}
        reasons = Counter(filter(None, why.values()))
        self.stages.append(
            {
                "kind": self._kind,
                "stage": name,
                "in": len(before),
                "out": len(before) - len(self.left),
                "left": len(self.left),
                "templates_in": self._templates(before),
                "templates_left": self._templates(self.left),
                "reasons": dict(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
            }
        )

    def _templates(self, items: Iterable[Item]) -> int:
        return len({*map(self.template, items)} - {""})


def take(work: Work, settings: SelectSettings) -> None:
    """Leave as many items as are to be taken: one of each group, a second of each, and so on.

    Of a group those with most votes come first. Of equal ones, and of groups for which there is no
    more room, chance takes some: the order of hashes, which is the same for the others when more
    items come.
    """
    if not settings.take:
        return

    def drawn(name: str) -> bytes:
        return hashlib.sha256(f"{settings.seed}/{name}".encode("utf-8", "surrogatepass")).digest()

    def group(item: Item) -> str:
        match settings.balance:
            case "template":
                return work.template(item)
            case "language":
                return item.language
            case "label":
                return str(sorted(item.labels.items()) or item.details.get("label", ""))
        return ""

    places: defaultdict[str, int] = defaultdict(int)
    order: dict[str, tuple[int, bytes]] = {}
    for item in sorted(work.left, key=lambda item: (-(item.votes or 0), drawn(item.id))):
        order[item.id] = (places[group(item)], drawn(group(item)))
        places[group(item)] += 1
    taken = set(sorted(order, key=lambda item: order[item])[: settings.take])
    over = "" if settings.balance == "none" else f", evenly over {settings.balance}s"
    work.stage(
        f"{settings.take:,} in all{over}",
        lambda item: "" if item.id in taken else "more than are to be taken",
    )


def outcome_of(
    name: str, verdict: Verdict | None, subject: str, people: People, asked: Literal["out", "keep"]
) -> str:
    """Why a filter lets a subject go; empty when it stays. What people answered comes first."""
    if person := people.get((subject, name)):
        return "" if person == "keep" else "by a person"
    if verdict is None:
        return "not judged yet"
    if verdict.verdict == "ask":
        return "" if asked == "keep" else f"asked: {verdict.reason or name}"
    return "" if verdict.verdict == "keep" else verdict.reason or name


def passed(
    name: str,
    verdicts: Mapping[str, Verdict],
    people: People,
    asked: Literal["out", "keep"],
    templates: Collection[str],
    items: Collection[str],
) -> Reason:
    """Why an item does not pass a filter, which judges items, their templates, or both.

    Args:
        verdicts: the filter's, by item; of those it judged no others count.
        templates: ids of the templates whose verdict is also that of what is on them.
        items: ids of the items that are chosen from.
    """
    of_templates = any(subject in templates for subject in verdicts)
    of_items = any(subject in items for subject in verdicts) or not of_templates

    def of(subject: str) -> str:
        return outcome_of(name, verdicts.get(subject), subject, people, asked)

    def reason(item: Item) -> str:
        why = of(item.id) if of_items else ""
        return why or (of(item.parent) if of_templates else "")

    return reason
