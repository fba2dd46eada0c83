"""Deduplication. In: items, and what was computed of them. Out: pairs, verdicts, a line a stage.

Nothing is deleted and nothing is remembered: each run looks at everything anew, with what people
decided, and its verdicts take the place of the last run's. What is kept between runs is only what
takes long, the hashes and embeddings of pictures.

Different memes on one template are near in hash, so a near pair is a duplicate only when its texts
are equal too; where a text is not known, or the texts are similar, a person decides. By embeddings
(charmemes 4.3) a cosine of 0.95 of both makes a duplicate, 0.85 of both goes to a person; by the
rule `text` the texts must be equal besides: "can" and "can't" are similar to any model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from operator import itemgetter
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from memeloc.counts import counted
from memeloc.curate.duplicates import hashing
from memeloc.curate.duplicates.copies import Look, group_copies
from memeloc.curate.duplicates.grouping import (
    QUESTION,
    DedupSettings,
    Grouping,
    Groups,
    decisions,
    in_order,
    known_texts,
)
from memeloc.curate.duplicates.texts import near_texts, plain_text
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.verdict import Judgement, Pair, Stage, Verdict
from memeloc.errors import InputError
from memeloc.items import Item, ItemKind
from memeloc.ocr.watermarks import without_watermarks

FILTER = "dedup"  # the name under which the verdicts are stored
_VERSION = 2  # of what the verdicts rest on besides the settings
_FIRST = 256  # better hashes that one is compared with first when a person is to be asked
_COMMON = 20
"""Different hashes of pictures with one text; from more on, the text says little of the picture."""
_BLOCK = 1024  # vectors that are compared with as many others at a time: 4 MB of cosines
_MOST = 5_000_000  # pairs above the lower threshold that a usable model gives at most

Vectors = NDArray[np.float32]

_REASONS = {
    "people": "a person's decision",
    "bytes": "same file",
    "hash": "same picture",
    "copy": "copy",
    "likeness": "similar",
    "caption": "same text",
}


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings of pictures by SHA-256, and of texts by `raw_text`."""

    pictures: Mapping[str, Vectors] = field(repr=False)
    texts: Mapping[str, Vectors] = field(repr=False)


Embed = Callable[[Sequence[Item]], Embedded]
"""Gives the embeddings of some pictures and of their texts."""


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
        jobs: threads for comparing hashes and texts.
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
        first: dict[str, int] = {}
        for place, item in enumerate(grouping.items):
            if item.picture and (same := first.setdefault(item.picture, place)) != place:
                grouping.same(same, place, "bytes", {"distance": 0}, "The files are the same.")
        yield "bytes", ""
        group_near_hashes(grouping, hashes, settings, jobs)
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
    asked_of: dict[int, Pair] = {}
    for _, lesser, pair in questions:
        asked_of.setdefault(lesser, pair)
    for at, root in enumerate(grouping.groups.roots().tolist()):
        item, verdict, reason, score = grouping.items[at], "keep", "", None
        evidence: dict[str, Any] = {}
        if root != at:
            pair, through = grouping.links[at]
            verdict, reason, score = "drop", _REASONS[pair.stage], _score(pair)
            evidence = {
                "stage": pair.stage,
                "kept": grouping.items[root].id,
                "with": pair.other(item.id) if through == at else grouping.items[through].id,
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


def group_near_hashes(
    grouping: Grouping, hashes: Mapping[str, int], settings: DedupSettings, jobs: int = 1
) -> None:
    """Unite what has near hashes (by SHA-256) and, by the rule `text`, the same text.

    A text is a second witness, so that hashes of equal texts may be farther apart, unless many
    pictures have it. A person is asked about near ones whose texts are similar or not known.
    """
    places = [at for at in grouping.left() if grouping.items[at].picture in hashes]
    value = {at: hashes[grouping.items[at].picture] for at in places}
    texts = known_texts(grouping, settings)
    for text, members in _by_text(places, texts).items():
        leaders: dict[int, int] = {}
        near: list[tuple[int, int, int]] = []
        for at in members:
            if (leader := leaders.setdefault(value[at], at)) != at:
                near.append((leader, at, 0))
        wide = max(settings.distance, settings.text_distance)
        distance = wide if text and len(leaders) <= _COMMON else settings.distance
        values = sorted(leaders)
        for pairs in hashing.near_pairs(hashing.as_array(values), distance, jobs):
            rows = zip(*(column.tolist() for column in pairs), strict=True)
            ordered = sorted(rows, key=itemgetter(2))
            near += [(leaders[values[a]], leaders[values[b]], bits) for a, b, bits in ordered]
        for first, second, bits in near:
            scores = {"distance": bits, "text": 1.0} if text else {"distance": bits}
            reason = f"{_differ(bits)} Their texts are the same." if text else _differ(bits)
            grouping.same(first, second, "hash", scores, reason)
    for component in _components(hashing.as_array(value.values()), settings.distance, jobs):
        members = [places[row] for row in component]
        leading = {
            text: list({value[at]: at for at in reversed(equal)}.values())
            for text, equal in _by_text(members, texts).items()
        }
        names = list(leading)
        for similar in near_texts(names, settings.ask_text):
            for left, right in product(
                leading[names[similar.first]], leading[names[similar.second]]
            ):
                if (bits := hashing.bits_between(value[left], value[right])) <= settings.distance:
                    scores = {"distance": bits, "text": round(similar.similarity, 4)}
                    reason = f"{_differ(bits)} {similar.reason}"
                    grouping.ask(left, right, "hash", scores, reason)
        if any(texts[at] is None for at in members):
            _ask_unknown(grouping, members, value, texts, settings)


def _by_text(places: Sequence[int], texts: Mapping[int, str | None]) -> dict[str, list[int]]:
    by_text: dict[str, list[int]] = {}
    for at in places:
        if (text := texts[at]) is not None:
            by_text.setdefault(text, []).append(at)
    return by_text


def _components(values: hashing.Hashes, distance: int, jobs: int) -> Iterator[list[int]]:
    groups = hashing.group_hashes(values)
    connected = Groups(len(groups.values))
    for pairs in hashing.near_pairs(groups.values, distance, jobs):
        connected.unite_all(pairs.first, pairs.second)
    root_of = np.empty(len(values), dtype=np.int64)
    root_of[groups.order] = np.repeat(connected.roots(), np.diff(groups.starts))
    order = np.argsort(root_of, kind="stable")
    edges = np.flatnonzero(np.diff(root_of[order], prepend=-1, append=-1)).tolist()
    for start, stop in pairwise(edges):
        if stop - start > 1:
            yield order[start:stop].tolist()


def _ask_unknown(
    grouping: Grouping,
    places: Sequence[int],
    value: Mapping[int, int],
    texts: Mapping[int, str | None],
    settings: DedupSettings,
) -> None:
    """Ask about near ones of which at least one has no known text, a few of each.

    The better ones come first; where these are enough, the others are not compared.
    """
    values = hashing.as_array(value[at] for at in places)
    unknown: NDArray[Any] = np.array([texts[at] is None for at in places])
    for row in range(1, len(values)):
        most = settings.questions + grouping.judged[places[row]]
        for width in dict.fromkeys((min(row, _FIRST), row)):
            bits = np.bitwise_count(values[:width] ^ values[row])
            near = (bits <= settings.distance) & (unknown[:width] | unknown[row])
            columns = np.flatnonzero(near)[:most].tolist()
            if len(columns) == most:
                break
        for column in columns:
            both = unknown[row] and unknown[column]
            why = "Their texts are not known." if both else "The text of one is not known."
            distance = int(bits[column])
            reason = f"{_differ(distance)} {why}"
            pair = places[column], places[row]
            grouping.ask(*pair, "hash", {"distance": distance}, reason, of_many=True)


def _differ(bits: int) -> str:
    differ = f"differ in {counted(bits, 'bit')} of 64" if bits else "are the same"
    return f"The pictures' hashes {differ}."


def group_captions(
    grouping: Grouping, stays: Mapping[str, str], settings: DedupSettings, jobs: int = 1
) -> None:
    """Unite captions with the same text, and ask about near ones, compared by `jobs` threads.

    `stays` has, of templates that are duplicates, the one that stays.
    """
    by_template: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(grouping.items):
        template = stays.get(item.parent, item.parent) if settings.scope == "template" else ""
        by_text = by_template.setdefault(template, {})
        text = plain_text(without_watermarks(item.parts) or item.parts)
        by_text.setdefault(text, []).append(place)
    for by_text in by_template.values():
        for first, *others in by_text.values():
            for other in others:
                reason = "The texts are the same but for case, spaces and punctuation."
                grouping.same(first, other, "caption", {"text": 1.0}, reason)
        if settings.near_captions >= 1:
            continue
        places = [members[0] for members in by_text.values()]
        for near in near_texts(list(by_text), settings.near_captions, jobs):
            scores = {"text": round(near.similarity, 4)}
            pair = places[near.first], places[near.second]
            grouping.ask(*pair, "caption", scores, near.reason, of_many=True)


def unit_vectors(rows: Vectors) -> Vectors:
    """Return vectors of length 1; one without a direction (0, no number) stays 0."""
    clean = np.where(np.isfinite(rows), rows, 0).astype(np.float32)
    lengths = np.linalg.norm(clean, axis=1, keepdims=True)
    return np.asarray(clean / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def similar_vectors(rows: Vectors, least: float) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of unit vectors whose cosine is at least `least`, the lesser place first."""
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        for across in range(start, len(rows), _BLOCK):
            table = block @ rows[across : across + _BLOCK].T
            for one, other in np.argwhere(table >= least).tolist():
                if across + other > start + one:
                    yield start + one, across + other, float(min(1.0, table[one, other]))


def raw_text(parts: tuple[str, ...]) -> str:
    """Return a text as an embedding model is given it."""
    return " ".join(" ".join(parts).split())


def group_similar(grouping: Grouping, embedded: Embedded, settings: DedupSettings) -> None:
    """Unite what is similar in both, and ask about what may be.

    A pair of which one text is not known goes to a person when the pictures are similar by the
    upper threshold. Raise InputError if the model finds nearly everything similar.
    """
    places = [at for at in grouping.left() if grouping.items[at].picture in embedded.pictures]
    if len(places) < 2:
        return
    items = [grouping.items[at] for at in places]
    pictures = unit_vectors(np.stack([embedded.pictures[item.picture] for item in items]))
    raw_texts = [raw_text(item.parts) for item in items]
    plain = [plain_text(without_watermarks(item.parts)) for item in items]
    has_text = [text in embedded.texts for text in raw_texts]
    empty = np.zeros_like(next(iter(embedded.texts.values()), np.zeros(1, dtype=np.float32)))
    texts = unit_vectors(np.stack([embedded.texts.get(text, empty) for text in raw_texts]))
    pairs = similar_vectors(pictures, settings.ask_likeness)
    for number, (one, other, picture) in enumerate(pairs):
        if number >= _MOST:
            raise InputError(
                f"By this model over {_MOST:,} pairs of "
                f"{counted(len(places), 'picture is', 'pictures are')} similar by "
                f"{settings.ask_likeness:g}; it does not tell pictures apart. Use another, or "
                "raise ask_likeness in [curate.dedup]."
            )
        pair = places[one], places[other]
        scores = {"picture_likeness": round(picture, 4)}
        if not (has_text[one] and has_text[other]):
            if picture >= settings.same_likeness:
                reason = f"The pictures are similar ({picture:.3f}); a text is not known."
                grouping.ask(*pair, "likeness", scores, reason)
            continue
        text = float(min(1.0, texts[one] @ texts[other]))
        if text < settings.ask_likeness:
            continue
        scores["text_likeness"] = round(text, 4)
        reason = f"Pictures ({picture:.3f}) and texts ({text:.3f}) are similar."
        alike = min(picture, text) >= settings.same_likeness
        equal = settings.rule == "paper" or plain[one] == plain[other]
        report = grouping.same if alike and equal else grouping.ask
        report(*pair, "likeness", scores, reason)
