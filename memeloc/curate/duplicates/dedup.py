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

from memeloc.curate.duplicates.caption_duplicates import join_captions
from memeloc.curate.duplicates.grouping import QUESTION, Joining, decisions
from memeloc.curate.duplicates.keep import in_order
from memeloc.curate.duplicates.pairs import Pair
from memeloc.curate.duplicates.same_pictures import join_near_hashes, join_same_files
from memeloc.curate.duplicates.settings import DedupSettings
from memeloc.curate.duplicates.similarity import Embedded, join_alike
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.verdict import Verdict
from memeloc.items import Item, ItemKind

FILTER = "dedup"
"""The name under which the verdicts are stored."""

_VERSION = 1
"""Of what the verdicts rest on besides the settings."""


@dataclass(frozen=True, slots=True)
class StageLine:
    """What one stage did to one kind of item.

    Attributes:
        kind: of the items.
        stage: as in `Pair`, or `people` for what people had decided before.
        came: items that no stage before had called duplicates.
        duplicates: how many of those go.
        asked: pairs that a person is to look at.
        not_run: why the stage did not run; else empty.
    """

    kind: str
    stage: str
    came: int
    duplicates: int
    asked: int = 0
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The result of a run.

    Attributes:
        pairs: duplicates, enough to connect each group; and what a person is to look at.
        verdicts: one an item: keep, drop with what stays, or ask.
        stages: in the order in which they ran.
        contradictions: pairs called the same that other decisions of people hold apart.
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
    embed: Embed | None = None,
    not_run: str = "no embedding models are set",
    models: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Deduplicated:
    """Find duplicates among templates, among finished memes, and among captions.

    Args:
        items: all that were collected, in that order.
        settings: thresholds and rules.
        hashes: perceptual hashes by SHA-256 of the picture.
        judgements: people's answers; those about `duplicates` count.
        embed: is asked once, for what the first two stages have left; None leaves the third out.
        not_run: why it is None.
        models: names of the embedding models, by `images` and `texts`; stored with the verdicts.
        jobs: threads for comparing texts.

    Raises:
        MemelocError: from `embed`.
    """
    decided = decisions(judgements)
    cache_key = cache_key_of(FILTER, _VERSION, settings.model_dump(), dict(models or {}))
    result = Deduplicated()
    stays: dict[str, str] = {}

    def template(caption: Item) -> str:
        return stays.get(caption.parent, caption.parent)

    for kind in get_args(ItemKind):
        ordered = in_order([item for item in items if item.kind == kind], settings.keep)
        if not ordered:
            continue
        joining = Joining(ordered, decided)
        stages = _Stages(joining, kind)
        if joining.by_people:
            stages.end("people")
        if kind == "caption":
            join_captions(joining, template, settings, jobs)
            stages.end("caption")
        else:
            join_same_files(joining)
            stages.end("bytes")
            join_near_hashes(joining, hashes, settings)
            stages.end("hash")
        if kind == "picture":
            if embed is not None:
                left = [ordered[at] for at in joining.left() if ordered[at].picture]
                join_alike(joining, embed(left), settings)
            stages.end("likeness", "" if embed is not None else not_run)
        questions = joining.questions(settings.questions)
        result.stages.extend(stages.lines_with(questions))
        result.pairs.extend([*joining.pairs, *(pair for _, _, pair in questions)])
        result.contradictions.extend(joining.contradictions)
        result.verdicts.extend(_verdicts(joining, questions, hashes, cache_key))
        roots = joining.groups.roots().tolist()
        stays |= {item.id: ordered[root].id for item, root in zip(ordered, roots, strict=True)}
    return result


_Questions = Sequence[tuple[int, int, Pair]]


class _Stages:
    """What the stages did to one kind of item."""

    def __init__(self, joining: Joining, kind: str) -> None:
        self._joining = joining
        self._kind = kind
        self._lines: list[StageLine] = []

    def end(self, stage: str, not_run: str = "") -> None:
        """A stage is through."""
        came = len(self._joining.items) - sum(line.duplicates for line in self._lines)
        gone = came - len(self._joining.left())
        self._lines.append(StageLine(self._kind, stage, came, gone, not_run=not_run))

    def lines_with(self, questions: _Questions) -> list[StageLine]:
        """A line a stage, with how many pairs of it a person is asked about."""
        asked = Counter[str](pair.stage for _, _, pair in questions)
        return [replace(line, asked=asked[line.stage]) for line in self._lines]


def _verdicts(
    joining: Joining, questions: _Questions, hashes: Mapping[str, int], cache_key: str
) -> Iterator[Verdict]:
    """A verdict an item of one kind, once its stages are through."""
    asked_of: dict[int, Pair] = {}
    for _, lesser, pair in questions:
        asked_of.setdefault(lesser, pair)
    links = _links(joining)
    for place, root in enumerate(joining.groups.roots().tolist()):
        item = joining.items[place]
        if root != place:
            yield _dropped(item, joining.items[root], links[place], cache_key)
        elif place in asked_of:
            yield _asked(item, asked_of[place], cache_key)
        else:
            compared = item.kind == "caption" or item.picture in hashes
            evidence = {} if compared else {"not_compared": _why_not(item)}
            yield Verdict(item.id, FILTER, "keep", None, "", evidence, cache_key)


def _why_not(item: Item) -> str:
    return "its picture cannot be read" if item.picture else "it has no picture"


def _links(joining: Joining) -> dict[int, Pair | str]:
    """What connects each place with its group: a pair, or the id of what a person called the same.

    The pair with a better item comes before one with a lesser.
    """
    place = {item.id: at for at, item in enumerate(joining.items)}
    links: dict[int, Pair | str] = {}
    worse: dict[int, Pair | str] = {}
    for first, second in joining.by_people:
        links.setdefault(second, joining.items[first].id)
        worse.setdefault(first, joining.items[second].id)
    for pair in joining.pairs:
        first, second = sorted((place[pair.first], place[pair.second]))
        links.setdefault(second, pair)
        worse.setdefault(first, pair)
    return {**worse, **links}


_REASONS = {
    "bytes": "same file",
    "hash": "same picture",
    "likeness": "alike",
    "caption": "same text",
}


def _dropped(item: Item, stays: Item, link: Pair | str, cache_key: str) -> Verdict:
    if isinstance(link, str):
        evidence: dict[str, Any] = {"stage": "people", "kept": stays.id, "with": link}
        return Verdict(item.id, FILTER, "drop", None, "a person's word", evidence, cache_key)
    other = link.second if link.first == item.id else link.first
    evidence = {"stage": link.stage, "kept": stays.id, "with": other}
    evidence |= {**link.scores, "sentence": link.reason}
    return Verdict(item.id, FILTER, "drop", _score(link), _REASONS[link.stage], evidence, cache_key)


def _asked(item: Item, pair: Pair, cache_key: str) -> Verdict:
    other = pair.second if pair.first == item.id else pair.first
    evidence: dict[str, Any] = {"stage": pair.stage, "kept": other, "pair": pair.subject}
    evidence |= {"question": QUESTION, **pair.scores, "sentence": pair.reason}
    return Verdict(item.id, FILTER, "ask", _score(pair), "perhaps a duplicate", evidence, cache_key)


def _score(pair: Pair) -> float | None:
    """What was compared with a threshold: bits of hashes, or the lesser likeness."""
    if "distance" in pair.scores:
        return float(pair.scores["distance"])
    return min(pair.scores.values(), default=None)


def what_stays(verdicts: Iterable[Verdict]) -> tuple[dict[str, str], dict[str, str]]:
    """What goes, and what waits for a person, each with the id of what stays.

    Args:
        verdicts: this module's, the newest of each item.
    """
    stays: dict[str, dict[str, str]] = {"drop": {}, "ask": {}, "keep": {}}
    for verdict in verdicts:
        if verdict.verdict != "keep":
            stays[verdict.verdict][verdict.item] = str(verdict.evidence["kept"])
    return stays["drop"], stays["ask"]
