"""Deduplication. In: items, and what was computed of them. Out: pairs, verdicts, a line a stage.

Nothing is deleted and nothing is remembered: each run looks at everything anew, with what people
decided, and its verdicts take the place of the last run's. What is kept between runs is only what
takes long, the hashes and embeddings of pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from memeloc.curate.duplicates.copies import Look, group_copies
from memeloc.curate.duplicates.grouping import QUESTION, Grouping, decisions
from memeloc.curate.duplicates.pairs import Pair, Stage
from memeloc.curate.duplicates.same_pictures import group_near_hashes, group_same_files
from memeloc.curate.duplicates.settings import DedupSettings, in_order
from memeloc.curate.duplicates.similarity import Embedded, group_similar
from memeloc.curate.duplicates.texts import group_captions
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.verdict import Judgement, Verdict
from memeloc.items import Item, ItemKind

FILTER = "dedup"
"""The name under which the verdicts are stored."""

_VERSION = 2
"""Of what the verdicts rest on besides the settings."""

_REASONS = {
    "people": "a person's decision",
    "bytes": "same file",
    "hash": "same picture",
    "copy": "copy",
    "likeness": "similar",
    "caption": "same text",
}


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The result of a run.

    Attributes:
        pairs: duplicates, enough to connect each group, and what a person is to look at.
        verdicts: one an item: keep, drop with what stays, or ask.
        stages: what each stage did to one `kind` of item: of the items that `came`, as no stage
            before had called them duplicates, how many go (`duplicates`); how many pairs a person
            is `asked` about; how many are `restored`, as people hold them apart; and why the stage
            did `not_run`, else empty.
        contradictions: pairs called the same that other decisions of people hold apart.
    """

    pairs: list[Pair] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)


Embed = Callable[[Sequence[Item]], Embedded]
"""Gives the embeddings of some pictures and of their texts."""


def deduplicate(
    items: Sequence[Item],
    settings: DedupSettings,
    *,
    hashes: Mapping[str, int],
    judgements: Iterable[Judgement] = (),
    look: Look | None = None,
    embed: Embed | None = None,
    not_run: str = "no embedding models are set",
    models: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Deduplicated:
    """Find duplicates among templates, among finished memes, and among captions.

    Args:
        items: all that were collected, in that order.
        hashes: perceptual hashes by SHA-256 of the picture.
        judgements: people's answers; those about `duplicates` count.
        look: is asked once a kind, for what the first two stages have left, where pictures are
            looked at closely.
        embed: is asked once, for what the stages before have left; what it raises is raised.
        not_run: why it is None, so that the third stage is left out.
        models: names of the embedding models by task; stored with the verdicts.
        jobs: threads for comparing texts.
    """
    decided = decisions(judgements)
    cache_key = cache_key_of(FILTER, _VERSION, settings.model_dump(), dict(models or {}))
    result = Deduplicated()
    stays: dict[str, str] = {}

    def run_stages(kind: ItemKind, grouping: Grouping) -> Iterator[tuple[Stage, str]]:
        """Run the stages for one kind of item; yield each that is through, or why it did not."""
        if grouping.by_people:
            yield "people", ""
        if kind == "caption":
            group_captions(grouping, stays, settings, jobs)
            yield "caption", ""
            return
        group_same_files(grouping)
        yield "bytes", ""
        group_near_hashes(grouping, hashes, settings)
        yield "hash", ""
        if look is not None:
            group_copies(grouping, look, settings)
            yield "copy", ""
        if kind == "picture":
            if embed is not None:
                left = [grouping.items[at] for at in grouping.left()]
                group_similar(grouping, embed([item for item in left if item.picture]), settings)
            yield "likeness", "" if embed is not None else not_run

    for kind in get_args(ItemKind):
        ordered = in_order([item for item in items if item.kind == kind], settings.keep)
        if not ordered:
            continue
        grouping, left = Grouping(ordered, decided), len(ordered)
        lines: list[dict[str, Any]] = []
        for stage, why_not in run_stages(kind, grouping):
            came, left = left, len(grouping.left())
            lines.append({"kind": kind, "stage": stage, "came": came, "duplicates": came - left})
            lines[-1] |= {"asked": 0, "restored": 0, "not_run": why_not}
        questions = grouping.questions(settings.questions)
        asked = Counter[str](pair.stage for _, _, pair in questions)
        stay = set(grouping.left())
        for line in lines:
            line["asked"] = asked[line["stage"]]
            line["restored"] = len(stay & grouping.restored.get(line["stage"], set()))
        result.stages.extend(lines)
        result.pairs.extend([*grouping.pairs, *(pair for _, _, pair in questions)])
        result.contradictions.extend(grouping.contradictions)
        result.verdicts.extend(_verdicts(grouping, questions, hashes, cache_key))
        roots = grouping.groups.roots().tolist()
        stays |= {item.id: ordered[root].id for item, root in zip(ordered, roots, strict=True)}
    return result


def _verdicts(
    grouping: Grouping,
    questions: Iterable[tuple[int, int, Pair]],
    hashes: Mapping[str, int],
    cache_key: str,
) -> Iterator[Verdict]:
    """Yield a verdict an item of one kind, once its stages are through."""
    asked_of: dict[int, Pair] = {}
    for _, lesser, pair in questions:
        asked_of.setdefault(lesser, pair)
    # What connects each place with its group, rather a pair with a better item.
    place = {item.id: at for at, item in enumerate(grouping.items)}
    links: dict[int, Pair] = {}
    joined = (*grouping.by_people, *grouping.pairs)
    for side in (1, 0):
        for pair in joined:
            links.setdefault(sorted((place[pair.first], place[pair.second]))[side], pair)
    for at, root in enumerate(grouping.groups.roots().tolist()):
        item, verdict, reason, score = grouping.items[at], "keep", "", None
        evidence: dict[str, Any] = {}
        if root != at:
            pair = links[at]
            verdict, reason, score = "drop", _REASONS[pair.stage], _score(pair)
            evidence = {
                "stage": pair.stage,
                "kept": grouping.items[root].id,
                "with": pair.other(item.id),
                **pair.scores,
                **({"sentence": pair.reason} if pair.reason else {}),
            }
        elif at in asked_of:
            pair = asked_of[at]
            verdict, reason, score = "ask", "perhaps a duplicate", _score(pair)
            evidence = {
                "stage": pair.stage,
                "kept": pair.other(item.id),
                "pair": pair.subject,
                "question": QUESTION,
                **pair.scores,
                "sentence": pair.reason,
            }
        elif item.kind != "caption" and item.picture not in hashes:
            why = "its picture cannot be read" if item.picture else "it has no picture"
            evidence = {"not_compared": why}
        yield Verdict(item.id, FILTER, verdict, score, reason, evidence, cache_key)  # type: ignore[arg-type]


def _score(pair: Pair) -> float | None:
    """Return what was compared: bits of hashes, what differs, or else the lesser similarity."""
    for name in ("distance", "differing"):
        if name in pair.scores:
            return float(pair.scores[name])
    return min(pair.scores.values(), default=None)


def what_stays(verdicts: Iterable[Verdict]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what goes, and what waits for a person, each with the id of what stays.

    Takes this module's verdicts, the newest of each item.
    """
    stays: dict[str, dict[str, str]] = {"keep": {}, "drop": {}, "ask": {}}
    for verdict in verdicts:
        stays[verdict.verdict][verdict.item] = str(verdict.evidence.get("kept", ""))
    return stays["drop"], stays["ask"]
