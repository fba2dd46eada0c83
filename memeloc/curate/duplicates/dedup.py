"""Deduplication. In: items, and what was computed of them. Out: pairs, verdicts, a line a stage.

Nothing is deleted and nothing is remembered: each run looks at everything anew, with what people
decided, and its verdicts take the place of the last run's. What is kept between runs is only what
takes long, the hashes and embeddings of pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class StageLine:
    """What one stage did to one kind of item.

    Of the items that came, as no stage before had called them duplicates, how many go; how many
    pairs a person is asked about; how many stay although the stage calls them duplicates, as people
    hold them apart; and why the stage did not run, else empty.
    """

    kind: str
    stage: str
    came: int
    duplicates: int
    asked: int = 0
    restored: int = 0
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The result of a run.

    Pairs: duplicates, enough to connect each group, and what a person is to look at. A verdict an
    item: keep, drop with what stays, or ask. Contradictions are pairs called the same that other
    decisions of people hold apart.
    """

    pairs: list[Pair] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    stages: list[StageLine] = field(default_factory=list)
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
    for kind in get_args(ItemKind):
        ordered = in_order([item for item in items if item.kind == kind], settings.keep)
        if not ordered:
            continue
        grouping = Grouping(ordered, decided)
        left = len(ordered)
        lines: list[StageLine] = []
        stages = _stages(kind, grouping, settings, stays, hashes, look, embed, jobs)
        for stage, has_run in stages:
            came, left = left, len(grouping.left())
            lines.append(
                StageLine(kind, stage, came, came - left, not_run="" if has_run else not_run)
            )
        questions = grouping.questions(settings.questions)
        asked = Counter[str](pair.stage for _, _, pair in questions)
        stay = set(grouping.left())
        result.stages.extend(
            replace(
                line,
                asked=asked[line.stage],
                restored=len(stay & grouping.restored.get(line.stage, set())),
            )
            for line in lines
        )
        result.pairs.extend([*grouping.pairs, *(pair for _, _, pair in questions)])
        result.contradictions.extend(grouping.contradictions)
        result.verdicts.extend(_verdicts(grouping, questions, hashes, cache_key))
        roots = grouping.groups.roots().tolist()
        stays |= {item.id: ordered[root].id for item, root in zip(ordered, roots, strict=True)}
    return result


def _stages(
    kind: ItemKind,
    grouping: Grouping,
    settings: DedupSettings,
    stays: Mapping[str, str],
    hashes: Mapping[str, int],
    look: Look | None,
    embed: Embed | None,
    jobs: int,
) -> Iterator[tuple[Stage, bool]]:
    """Run the stages for one kind of item; each that is through, and whether it ran."""
    if grouping.by_people:
        yield "people", True
    if kind == "caption":
        group_captions(grouping, stays, settings, jobs)
        yield "caption", True
        return
    group_same_files(grouping)
    yield "bytes", True
    group_near_hashes(grouping, hashes, settings)
    yield "hash", True
    if look is not None:
        group_copies(grouping, look, settings)
        yield "copy", True
    if kind == "picture":
        if embed is not None:
            left = [grouping.items[at] for at in grouping.left()]
            group_similar(grouping, embed([item for item in left if item.picture]), settings)
        yield "likeness", embed is not None


_REASONS = {
    "people": "a person's decision",
    "bytes": "same file",
    "hash": "same picture",
    "copy": "copy",
    "likeness": "similar",
    "caption": "same text",
}


def _verdicts(
    grouping: Grouping,
    questions: Iterable[tuple[int, int, Pair]],
    hashes: Mapping[str, int],
    cache_key: str,
) -> Iterator[Verdict]:
    """A verdict an item of one kind, once its stages are through."""
    asked_of: dict[int, Pair] = {}
    for _, lesser, pair in questions:
        asked_of.setdefault(lesser, pair)
    links = _links(grouping)
    for place, root in enumerate(grouping.groups.roots().tolist()):
        item = grouping.items[place]
        evidence: dict[str, Any] = {}
        if root != place:
            pair = links[place]
            evidence = {
                "stage": pair.stage,
                "kept": grouping.items[root].id,
                "with": pair.other(item.id),
                **pair.scores,
            }
            if pair.reason:
                evidence["sentence"] = pair.reason
            reason, score = _REASONS[pair.stage], _score(pair)
            yield Verdict(item.id, FILTER, "drop", score, reason, evidence, cache_key)
        elif place in asked_of:
            pair = asked_of[place]
            evidence = {
                "stage": pair.stage,
                "kept": pair.other(item.id),
                "pair": pair.subject,
                "question": QUESTION,
                **pair.scores,
                "sentence": pair.reason,
            }
            reason, score = "perhaps a duplicate", _score(pair)
            yield Verdict(item.id, FILTER, "ask", score, reason, evidence, cache_key)
        else:
            if item.kind != "caption" and item.picture not in hashes:
                why = "its picture cannot be read" if item.picture else "it has no picture"
                evidence = {"not_compared": why}
            yield Verdict(item.id, FILTER, "keep", None, "", evidence, cache_key)


def _links(grouping: Grouping) -> dict[int, Pair]:
    """The pair that connects each place with its group, rather one with a better item."""
    place = {item.id: at for at, item in enumerate(grouping.items)}
    with_better: dict[int, Pair] = {}
    with_lesser: dict[int, Pair] = {}
    for pair in (*grouping.by_people, *grouping.pairs):
        first, second = sorted((place[pair.first], place[pair.second]))
        with_better.setdefault(second, pair)
        with_lesser.setdefault(first, pair)
    return {**with_lesser, **with_better}


def _score(pair: Pair) -> float | None:
    """What was compared with a threshold: bits of hashes, what differs, the lesser similarity."""
    if "distance" in pair.scores:
        return float(pair.scores["distance"])
    if "differing" in pair.scores:
        return float(pair.scores["differing"])
    return min(pair.scores.values(), default=None)


def what_stays(verdicts: Iterable[Verdict]) -> tuple[dict[str, str], dict[str, str]]:
    """What goes, and what waits for a person, each with the id of what stays.

    Args:
        verdicts: this module's, the newest of each item.
    """
    kept = [(verdict, verdict.evidence.get("kept", "")) for verdict in verdicts]
    dropped = {verdict.item: str(stays) for verdict, stays in kept if verdict.verdict == "drop"}
    asked = {verdict.item: str(stays) for verdict, stays in kept if verdict.verdict == "ask"}
    return dropped, asked
