"""Duplicates among memes, measured. In: memes and copies of a seed. Out: recall, wrong joins.

A copy is dropped when its group is that of its meme, and asked when a person is asked about the two
groups. Different memes are joined when one group has more than one meme. Texts are not known, which
leaves all to the pictures, or they are as a perfect reader has them: a mirrored copy has none, and
a watermark is read, too.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.duplicate_scenes import KINDS, copies, memes
from bench.figures import Bound, Figure
from memeloc.curate.duplicates.dedup import Deduplicated, deduplicate, what_stays
from memeloc.curate.duplicates.grouping import DedupSettings
from memeloc.engine import usable_cpus
from memeloc.items import FoundPicture, Item, Origin
from memeloc.workspace import Workspace
from memeloc.workspace.computing import hash_items, looking
from memeloc.workspace.folder import silent

_TEMPLATES, _CAPTIONS, _COPIED = 50, 20, 5
"""Memes on each template, and every how many-th is copied."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn, by name: of which meme, and what was done to it, empty for the meme."""

    of: Mapping[str, str]
    kinds: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of the copies that are dropped, and dropped or asked about; wrong joins; by kind."""

    dropped: float
    found: float
    joined: int
    by_kind: str


def measure(*, say: Callable[[str], None], templates: int = _TEMPLATES) -> list[Figure]:
    """Return recall, wrong joins and times."""
    with tempfile.TemporaryDirectory(prefix="memeloc-duplicates-") as folder:
        say("drawing memes and copies")
        pictures = Path(folder, "pictures")
        found, drawn = _draw(Path(folder), pictures, templates)
        group = (
            f"Duplicates: {templates * _CAPTIONS:,} memes on {templates} templates, "
            f"{len(KINDS)} kinds of copies of {templates * _CAPTIONS // _COPIED}"
        )
        with Workspace.create(Path(folder, "workspace")) as workspace:
            workspace.store.items.add(found)
            return _memeloc(workspace, drawn, group, say)


def _draw(folder: Path, pictures: Path, templates: int) -> tuple[list[FoundPicture], Drawn]:
    pictures.mkdir()
    found: list[FoundPicture] = []
    of: dict[str, str] = {}
    kinds: dict[str, str] = {}

    def keep(name: str, meme: str, kind: str, text: tuple[str, ...], path: Path) -> None:
        found.append(FoundPicture(Origin("bench", name), path.read_bytes(), name, text))
        of[name], kinds[name] = meme, kind

    for number, meme in enumerate(memes(folder, templates, _CAPTIONS)):
        path = pictures / f"{meme.name}.jpg"
        meme.picture.save(path, quality=92)
        keep(path.name, path.name, "", meme.text, path)
        for copy in copies(meme) if number % _COPIED == 0 else ():
            other = pictures / f"{meme.name}-{KINDS.index(copy.kind)}.jpg"
            copy.picture.save(other, quality=92)
            keep(other.name, path.name, copy.kind, copy.text, other)
    return found, Drawn(of, kinds)


def _memeloc(
    workspace: Workspace, drawn: Drawn, group: str, say: Callable[[str], None]
) -> list[Figure]:
    store, jobs = workspace.store, usable_cpus()
    items = list(store.items.find())
    begin = time.perf_counter()
    say("hashing")
    hashes, _ = hash_items(workspace.store.computed, items, jobs)
    silenced = [replace(item, parts=()) for item in items]
    figures: list[Figure] = []
    settings = DedupSettings.model_validate({"copies": True})
    for name, known in (("texts not known", silenced), ("texts as read", items)):
        say(f"duplicates, {name}")
        look = looking(store.computed, jobs, silent)
        score = _score(deduplicate(known, settings, hashes=hashes, look=look), items, drawn)
        if not figures:
            took = time.perf_counter() - begin
            note = f"with hashing and comparing, {jobs} jobs"
            figures.append(Figure(group, "a picture", took / len(items) * 1e3, "ms", note=note))
        figures += _figures(group, name, score, bounded=True)
    plain = deduplicate(items, DedupSettings.model_validate({}), hashes=hashes)
    figures += _figures(group, "without --copies, texts as read", _score(plain, items, drawn))
    return figures


def _figures(group: str, name: str, score: Score, *, bounded: bool = False) -> list[Figure]:
    def bound(side: str, value: float) -> Bound | None:
        return Bound("at least" if side == "least" else "at most", value) if bounded else None

    dropped, found = 100 * score.dropped, 100 * score.found
    return [
        Figure(group, f"{name}: copies dropped", dropped, "%", bound("least", 90), score.by_kind),
        Figure(group, f"{name}: dropped or asked", found, "%", bound("least", 97)),
        Figure(group, f"{name}: different memes joined", score.joined, "", bound("most", 0)),
    ]


def _score(result: Deduplicated, items: Sequence[Item], drawn: Drawn) -> Score:
    names = {item.id: item.name for item in items}
    stays, _ = what_stays(result.verdicts)
    root = {name: names[stays.get(id, id)] for id, name in names.items()}
    asked = {
        frozenset((root[names[pair.first]], root[names[pair.second]]))
        for pair in result.pairs
        if pair.outcome == "ask"
    }
    return _count(root, asked, drawn)


def _count(root: Mapping[str, object], asked: Iterable[object], drawn: Drawn) -> Score:
    questions = set(asked)
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for name, kind in drawn.kinds.items():
        if kind:
            own, meme = root[name], root[drawn.of[name]]
            is_asked = frozenset((own, meme)) in questions
            outcomes[kind]["dropped" if own == meme else "asked" if is_asked else "missed"] += 1
    groups: dict[object, set[str]] = defaultdict(set)
    for name, number in root.items():
        groups[number].add(drawn.of[name])
    total = sum(outcomes.values(), Counter[str]())
    count = max(1, total.total())
    shares = (
        f"{kind} {100 * some['dropped'] / some.total():.0f}" for kind, some in outcomes.items()
    )
    return Score(
        total["dropped"] / count,
        (total["dropped"] + total["asked"]) / count,
        sum(len(of) - 1 for of in groups.values()),
        ", ".join(shares),
    )
