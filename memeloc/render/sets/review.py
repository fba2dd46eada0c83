"""What a rendered set's manifest says. In: OUT/manifest.parquet. Out: problems, parity, languages.

Problems stand worst first. Parity compares the pictures of a meme with each other: a parallel set
must differ in language and in nothing else, so the memes whose languages differ most in size of
text, or in the share of the picture that text covers, are the ones to look at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.errors import InputError
from memeloc.render.proof import PROBLEMS

_COLUMNS = (
    "meme_id",
    "template",
    "language",
    "path",
    "font_size",
    "size_share",
    "contrast",
    "missing",
    "truncated",
    "coverage",
    "middle_coverage",
    "problems",
)


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
        score: mean of the meme's three fractional ranks in the set, 0 to 1; 1 differs most.
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


@dataclass(slots=True)
class _Language:
    sizes: list[float] = field(default_factory=list)
    coverage: list[float] = field(default_factory=list)
    middle: list[float] = field(default_factory=list)
    flawed: int = 0


@dataclass(slots=True)
class _Meme:
    template: str
    sizes: dict[int, list[tuple[float, str]]] = field(default_factory=dict)  # part -> languages'
    shares: list[tuple[float, float, str]] = field(default_factory=list)  # middle, whole, language


def open_manifest(out: Path) -> pq.ParquetFile:
    """Open OUT/manifest.parquet.

    Raises:
        InputError: it is not there, or is no Parquet file.
    """
    path = out / "manifest.parquet"
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise InputError(
            "no manifest.parquet here; give the folder that `memeloc render --out` wrote", file=out
        ) from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot be read as Parquet ({error}); run `memeloc render` again", file=path
        ) from None


def read_pictures(
    out: Path, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The manifest's rows as dicts of `columns`, a slice at a time.

    Args:
        out: the set's folder.
        columns: names of the manifest's columns.
        languages: which to read; all when None.

    Raises:
        InputError: no manifest, a manifest without one of the columns, or a language it lacks.
    """
    with open_manifest(out) as manifest:
        absent = set(columns) - set(manifest.schema_arrow.names)
        if absent:
            raise InputError(
                f"has no column {sorted(absent)[0]!r}; run `memeloc render` again",
                file=out / "manifest.parquet",
            )
        seen: set[str] = set()
        for batch in manifest.iter_batches(batch_size=2048, columns=[*columns]):
            for picture in batch.to_pylist():
                if languages is not None:
                    seen.add(picture["language"])
                    if picture["language"] not in languages:
                        continue
                yield picture
    for language in languages or ():
        if language not in seen:
            raise InputError(
                f"no pictures in {language!r}; there are {', '.join(sorted(seen))}",
                file=out / "manifest.parquet",
            )


def review(out: Path, languages: Collection[str] | None = None) -> Review:
    """Read the manifest of the set in `out` and report on it.

    Args:
        out: the folder that `memeloc render` wrote.
        languages: columns to report on; all when None.

    Raises:
        InputError: as `read_pictures`.
    """
    flaws: list[Flaw] = []
    summaries: dict[str, _Language] = defaultdict(_Language)
    memes: dict[str, _Meme] = {}
    pictures = 0
    for picture in read_pictures(out, _COLUMNS, languages):
        pictures += 1
        language = picture["language"]
        summary = summaries[language]
        meme = memes.setdefault(picture["meme_id"], _Meme(picture["template"]))
        for part, share in enumerate(picture["size_share"]):
            if share:
                summary.sizes.append(share)
                meme.sizes.setdefault(part, []).append((share, language))
        summary.coverage.append(picture["coverage"])
        summary.middle.append(picture["middle_coverage"])
        meme.shares.append((picture["middle_coverage"], picture["coverage"], language))
        if picture["problems"]:
            summary.flawed += 1
            flaws.append(_flaw(picture))
    flaws.sort(key=_badness)
    return Review(
        pictures=pictures,
        memes=len(memes),
        flaws=tuple(flaws),
        parity=tuple(_rank(memes)),
        languages=tuple(_summary(language, measured) for language, measured in summaries.items()),
    )


def _flaw(picture: dict[str, Any]) -> Flaw:
    kinds = tuple(kind for kind in PROBLEMS if kind in picture["problems"])
    sizes = [size for size in picture["font_size"] if size]
    smallest = min(sizes, default=0.0)
    contrasts = [contrast for contrast in picture["contrast"] if contrast is not None]
    details = []
    if picture["missing"]:
        details.append("not drawn: " + " ".join(picture["missing"]))
    if picture["truncated"]:
        details.append(f"left out: {picture['truncated']} characters")
    if "too small" in kinds:
        details.append(f"smallest text {smallest:.1f} px")
    if "low contrast" in kinds and contrasts:
        details.append(f"contrast {min(contrasts):.1f}:1")
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


def _rank(memes: dict[str, _Meme]) -> Iterator[Parity]:
    """The memes that have several languages, those that differ most first.

    The three measures have no common unit, so each ranks the memes, and the mean rank decides.
    """
    compared = {meme_id: meme for meme_id, meme in memes.items() if len(meme.shares) > 1}
    if not compared:
        return
    ratios = [_size_ratio(meme) for meme in compared.values()]
    whole = [_spread([share[1] for share in meme.shares]) for meme in compared.values()]
    middle = [_spread([share[0] for share in meme.shares]) for meme in compared.values()]
    scores = (
        _fractional_ranks([ratio for ratio, _ in ratios])
        + _fractional_ranks(whole)
        + _fractional_ranks(middle)
    ) / 3
    identifiers = list(compared)
    for i in sorted(range(len(identifiers)), key=lambda i: (-scores[i], -ratios[i][0], i)):
        meme = compared[identifiers[i]]
        yield Parity(
            meme_id=identifiers[i],
            template=meme.template,
            languages=len(meme.shares),
            size_ratio=ratios[i][0],
            smallest=ratios[i][1],
            coverage_spread=whole[i],
            middle_spread=middle[i],
            fullest=max(meme.shares)[2],
            score=float(scores[i]),
        )


def _size_ratio(meme: _Meme) -> tuple[float, str]:
    worst = (1.0, "")
    for sizes in meme.sizes.values():
        ratio = max(sizes)[0] / min(sizes)[0]
        if ratio > worst[0]:
            worst = (ratio, min(sizes)[1])
    return worst


def _spread(values: list[float]) -> float:
    return max(values) - min(values)


def _fractional_ranks(values: list[float]) -> npt.NDArray[np.float64]:
    """The share of the other values that each exceeds, ties counting half; 0.5 for a single one."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) == 1:
        return np.array([0.5])
    ordered = np.sort(array)
    below = np.searchsorted(ordered, array, side="left")
    equal = np.searchsorted(ordered, array, side="right") - below - 1
    ranks: npt.NDArray[np.float64] = (below + equal / 2) / (len(array) - 1)
    return ranks


def _summary(language: str, measured: _Language) -> LanguageSummary:
    return LanguageSummary(
        language=language,
        pictures=len(measured.coverage),
        size_share=float(np.median(measured.sizes)) if measured.sizes else 0.0,
        coverage=float(np.median(measured.coverage)),
        middle_coverage=float(np.median(measured.middle)),
        flawed=measured.flawed,
    )
