"""What a rendered set's manifest says. In: OUT/manifest.parquet. Out: problems, parity, languages.

Problems stand worst first. Parity compares the pictures of a meme with each other: a parallel set
must differ in language and in nothing else, so the memes whose languages differ most in size of
text, or in the share of the picture that text covers, are the ones to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow.compute as pc

from memeloc.counts import counted
from memeloc.render.proof import PROBLEMS
from memeloc.render.sets.reading import picture_batches

if TYPE_CHECKING:
    import pandas as pd

Record = TypeVar("Record")

_COLUMNS = (
    "meme_id",
    "template",
    "language",
    "path",
    "font_size",
    "size_share",
    "contrast",
    "missing",
    "replaced",
    "lost",
    "absent",
    "overlaps",
    "parts",
    "truncated",
    "hyphenated",
    "coverage",
    "middle_coverage",
    "problems",
)

_COMPARED = ("meme_id", "template", "language", "size_share", "coverage", "middle_coverage")
"""Of these all pictures are held at once."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A picture with problems.

    Attributes:
        meme_id, template, language, path: which picture; the path is relative to the set's folder.
        problems: kinds, worst first.
        detail: what was measured, for people.
        size: font size of its smallest part, in pixels.
    """

    meme_id: str
    template: str
    language: str
    path: str
    problems: tuple[str, ...]
    detail: str
    size: float


@dataclass(frozen=True, slots=True)
class Parity:
    """How much a meme's languages differ.

    Attributes:
        meme_id, template: which meme.
        languages: how many languages it has.
        size_ratio: largest over smallest font size among the languages, of the part where that is
            most; 1 is parity.
        smallest: the language with that smallest size.
        coverage_spread: largest less smallest share of the picture that text covers, 0 to 1.
        middle_spread: the same for the central half of width and height.
        fullest: the language that covers most of the middle, or of the picture when no language
            covers any of the middle.
        score: mean of the meme's three fractional ranks in the set (the share of the other memes
            that it exceeds, ties counting half), 0 to 1; 1 differs most.
    """

    meme_id: str
    template: str
    languages: int
    size_ratio: float
    smallest: str
    coverage_spread: float
    middle_spread: float
    fullest: str
    score: float


@dataclass(frozen=True, slots=True)
class LanguageSummary:
    """A language of the set: medians over its pictures.

    Attributes:
        language: the column of the captions table.
        pictures: how many.
        size_share: font size as a share of the picture's height, the median over all parts.
        coverage, middle_coverage: share of the picture, and of its middle, that text covers.
        flawed: how many pictures have a problem.
    """

    language: str
    pictures: int
    size_share: float
    coverage: float
    middle_coverage: float
    flawed: int


@dataclass(frozen=True, slots=True)
class Review:
    """What `memeloc proof` reports: flaws worst first, parity worst first, languages in order."""

    pictures: int
    memes: int
    flaws: tuple[Flaw, ...]
    parity: tuple[Parity, ...]
    languages: tuple[LanguageSummary, ...]


def review(out: Path, languages: Collection[str] | None = None) -> Review:
    """Read the manifest of the set in `out` and report on it.

    Args:
        out: the folder that `memeloc render` wrote.
        languages: columns to report on; all when None.

    Raises:
        InputError: as `picture_batches`.
    """
    import pandas as pd

    flaws: list[Flaw] = []
    frames = [pd.DataFrame(columns=[*_COMPARED, "flawed"])]
    for batch in picture_batches(out, _COLUMNS, languages):
        flawed = pc.fill_null(pc.greater(pc.list_value_length(batch["problems"]), 0), False)
        flaws += map(_flaw, batch.filter(flawed).to_pylist())
        frame = batch.select(_COMPARED).to_pandas()
        frames.append(frame.assign(flawed=flawed.to_pandas().to_numpy(dtype=bool)))
    pictures = pd.concat(frames[1:] or frames, ignore_index=True)
    return Review(
        pictures=len(pictures),
        memes=pictures["meme_id"].nunique(),
        flaws=tuple(sorted(flaws, key=_badness)),
        parity=_parity(pictures),
        languages=_languages(pictures),
    )


def _flaw(picture: dict[str, Any]) -> Flaw:
    kinds = tuple(kind for kind in PROBLEMS if kind in picture["problems"])
    sizes = [size for size in picture["font_size"] if size]
    smallest = min(sizes, default=0.0)
    contrasts = [contrast for contrast in picture["contrast"] if contrast is not None]
    details = []
    if picture["missing"]:
        details.append("not drawn: " + " ".join(picture["missing"]))
    if "replacement character" in kinds:
        count = picture["replaced"]
        details.append(f"lost before they came here (U+FFFD): {counted(count, 'character')}")
    if "parts overlap" in kinds:
        details += [
            f"{part} lies on {' and '.join(others)}"
            for part, others in zip(picture["parts"], picture["overlaps"], strict=True)
            if others
        ]
    if "lost colour" in kinds:
        details.append("without flag, colour or tone: " + " ".join(picture["lost"]))
    if "substitute font" in kinds:
        details.append("not found: " + ", ".join(picture["absent"]))
    if picture["truncated"]:
        details.append(f"left out: {picture['truncated']} characters")
    if "too small" in kinds:
        details.append(f"smallest text {smallest:.1f} px")
    if "low contrast" in kinds and contrasts:
        details.append(f"contrast {min(contrasts):.1f}:1")
    words = [word for part in picture["hyphenated"] or () for word in part]
    if words:
        details.append("hyphenated: " + " ".join(words))
    return Flaw(
        meme_id=picture["meme_id"],
        template=picture["template"],
        language=picture["language"],
        path=picture["path"],
        problems=kinds,
        detail="; ".join(details),
        size=smallest,
    )


def _badness(flaw: Flaw) -> tuple[int, int, float, str, str]:
    """Worst kind first, then more kinds, then smaller text; names settle the rest."""
    worst = PROBLEMS.index(flaw.problems[0]) if flaw.problems else len(PROBLEMS)
    return worst, -len(flaw.problems), flaw.size, flaw.meme_id, flaw.language


def _sizes(pictures: pd.DataFrame) -> pd.DataFrame:
    """The `size_share` of each part that has text: a row each, with the part's number."""
    sizes = pictures.explode("size_share").astype({"size_share": float})
    sizes["part"] = sizes.groupby(level=0).cumcount()
    return sizes[sizes["size_share"] > 0]


def _parity(pictures: pd.DataFrame) -> tuple[Parity, ...]:
    """The memes that have several languages, those that differ most first.

    The three measures have no common unit, so each ranks the memes, and the mean rank decides.
    """
    compared = pictures[pictures.duplicated("meme_id", keep=False)]
    parts = (
        _sizes(compared)
        .sort_values(["size_share", "language"])
        .groupby(["meme_id", "part"])
        .agg(
            smallest=("language", "first"), least=("size_share", "min"), most=("size_share", "max")
        )
    )
    parts["size_ratio"] = parts["most"] / parts["least"]
    parts = parts.sort_values("size_ratio", ascending=False, kind="stable")
    worst = parts[parts["size_ratio"] > 1]
    worst = worst.groupby("meme_id")[["size_ratio", "smallest"]].first()
    memes = compared.groupby("meme_id", sort=False)
    table = memes.agg(template=("template", "first"), languages=("language", "size")).join(worst)
    table = table.fillna({"size_ratio": 1.0, "smallest": ""})
    shares = memes[["coverage", "middle_coverage"]]
    table[["coverage_spread", "middle_spread"]] = shares.max() - shares.min()
    by_share = compared.sort_values(["middle_coverage", "coverage", "language"])
    table["fullest"] = by_share.groupby("meme_id")["language"].last()
    ranks = table[["size_ratio", "coverage_spread", "middle_spread"]].rank() - 1
    table["score"] = (ranks / (len(table) - 1)).mean(axis=1).fillna(0.5)
    table = table.sort_values(["score", "size_ratio"], ascending=False, kind="stable")
    return _records(Parity, table)


def _languages(pictures: pd.DataFrame) -> tuple[LanguageSummary, ...]:
    table = pictures.groupby("language", sort=False).agg(
        pictures=("meme_id", "size"),
        coverage=("coverage", "median"),
        middle_coverage=("middle_coverage", "median"),
        flawed=("flawed", "sum"),
    )
    table["size_share"] = _sizes(pictures).groupby("language")["size_share"].median()
    return _records(LanguageSummary, table.fillna(0.0))


def _records(kind: Callable[..., Record], table: pd.DataFrame) -> tuple[Record, ...]:
    """The rows as objects whose arguments are called like the index and the columns."""
    rows: list[Any] = table.reset_index().to_dict("records")
    return tuple(kind(**row) for row in rows)
