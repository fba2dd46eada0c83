"""What a rendered set's manifest says. In: OUT's manifest. Out: findings, parity, languages; words.

Parity compares the pictures of a meme with each other: a parallel set must differ in language and
in nothing else, so the memes whose languages differ most in size of text, or in the share of the
picture that text covers, are the ones to look at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from memeloc.render.proof import KINDS
from memeloc.render.sets.reading import picture_batches, read_pictures
from memeloc.tables import Column, write_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_COMPARED = ("meme_id", "template", "language", "size_share", "coverage", "middle_coverage")
_COLUMNS = (*_COMPARED, "path", "font_size", "problems", "findings")
_FOUND = ("meme_id", "template", "language", "path", "grade", "kind", "part", "detail")

_PICTURE = ("path", "meme_id", "language", "locale", "width", "height")
_OF_WORDS = (*_PICTURE, "parts", "lines", "findings", "words", "word_boxes", "word_lines")
_CORNERS = ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4")
_NUMBERS = ("width", "height", "line", "order", *_CORNERS)

WORD_OF_WORDS = tuple(
    Column(name, "integer" if name in _NUMBERS else "truth" if name == "legible" else "text")
    for name in (*_PICTURE, "part", "line", "order", "text", *_CORNERS, "legible")
)
"""The picture's path in the set's folder, meme, column, locale and size in pixels; the text box's
name, the line in the picture and the place in the order of reading, from 0; the word and its box's
corners in pixels, clockwise from the top left of the text; whether it is not "too small"."""


@dataclass(frozen=True, slots=True)
class Review:
    """What `memeloc proof` reports.

    Attributes:
        pictures, memes: how many were looked at.
        flawed: how many pictures have a fault or a warning.
        findings: worst kind first, then smaller text; with the columns `meme_id`, `template`,
            `language` and `path` (relative to the set's folder), and those of `Finding`.
        parity: a row a meme, those that differ most first: `languages` (how many), `size_ratio`
            (largest over smallest font size among them, of the part where that is most),
            `smallest` (the language with that smallest size), `coverage_spread` and
            `middle_spread` (largest less smallest share of the picture, and of its central half,
            that text covers), `fullest` (the language that covers most), and `score`: the mean of
            the meme's three fractional ranks in the set, 0 to 1.
        languages: in the set's order: `pictures`, `flawed`, and medians of `size_share` (font size
            over the picture's height), `coverage` and `middle_coverage`.
    """

    pictures: int
    memes: int
    flawed: int
    findings: pd.DataFrame
    parity: pd.DataFrame
    languages: pd.DataFrame


def review(out: Path, languages: Collection[str] | None = None) -> Review:
    """Read the manifest of the set in `out` and report on these languages; on all when None.

    Raises:
        InputError: as `picture_batches`.
    """
    import pandas as pd

    found: list[dict[str, Any]] = []
    frames = [pd.DataFrame(columns=[*_COMPARED, "flawed"])]
    for batch in picture_batches(out, _COLUMNS, languages):
        found += _findings(batch)
        flawed = pc.fill_null(pc.greater(pc.list_value_length(batch["problems"]), 0), False)
        frame = batch.select(_COMPARED).to_pandas()
        frames.append(frame.assign(flawed=flawed.to_pandas().to_numpy(dtype=bool)))
    pictures = pd.concat(frames[1:] or frames, ignore_index=True)
    table = pd.DataFrame(found, columns=[*_FOUND, "rank", "size"])
    table = table.sort_values(["rank", "size", "meme_id", "language"], ignore_index=True)
    return Review(
        pictures=len(pictures),
        memes=pictures["meme_id"].nunique(),
        flawed=int(pictures["flawed"].sum()),
        findings=table[[*_FOUND]],
        parity=_parity(pictures),
        languages=_languages(pictures),
    )


def _findings(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Return the rows of `Review.findings`, and the rank of each kind and the smallest size."""
    ranks = {kind: rank for rank, kind in enumerate(KINDS)}
    counts = (pc.list_value_length(batch[name]) for name in ("findings", "problems"))
    has_any = pc.or_kleene(*(pc.greater(count, 0) for count in counts))
    for picture in batch.filter(pc.fill_null(has_any, False)).to_pylist():
        which = {name: picture[name] for name in ("meme_id", "template", "language", "path")}
        size = min((size for size in picture["font_size"] if size), default=0.0)
        # Sets made before findings had their column say the kinds only.
        older = [{"kind": kind, "part": "", "detail": ""} for kind in picture["problems"]]
        for item in picture["findings"] or older:
            kind = item["kind"]
            if kind in KINDS:
                yield {**which, **item, "grade": KINDS[kind], "rank": ranks[kind], "size": size}


def _sizes(pictures: pd.DataFrame) -> pd.DataFrame:
    """Return the `size_share` of each part that has text: a row each, with the part's number."""
    sizes = pictures.explode("size_share").astype({"size_share": float})
    sizes["part"] = sizes.groupby(level=0).cumcount()
    return sizes[sizes["size_share"] > 0]


def _parity(pictures: pd.DataFrame) -> pd.DataFrame:
    """Return the memes that have several languages, those that differ most first.

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
    return table.reset_index()


def _languages(pictures: pd.DataFrame) -> pd.DataFrame:
    table = pictures.groupby("language", sort=False).agg(
        pictures=("meme_id", "size"),
        coverage=("coverage", "median"),
        middle_coverage=("middle_coverage", "median"),
        flawed=("flawed", "sum"),
    )
    table["size_share"] = _sizes(pictures).groupby("language")["size_share"].median()
    return table.fillna(0.0).reset_index()


def write_words(out: Path, to: Path, languages: Collection[str] | None = None) -> int:
    """Write the words of the set in `out` as a .csv, .jsonl or .parquet; return their number.

    Raises:
        InputError: no manifest, one without boxes, a language it lacks, or the file cannot be
            written.
    """
    pictures = read_pictures(out, _OF_WORDS, languages)
    return write_table(to, WORD_OF_WORDS, (row for picture in pictures for row in _words(picture)))


def _words(picture: dict[str, Any]) -> Iterator[Sequence[Any]]:
    small = {item["part"] for item in picture["findings"] or () if item["kind"] == "too small"}
    parts = [
        part for part, lines in zip(picture["parts"], picture["lines"], strict=True) for _ in lines
    ]
    words = (picture["words"] or (), picture["word_boxes"] or (), picture["word_lines"] or ())
    about = [picture[name] for name in _PICTURE]
    for order, (text, box, line) in enumerate(zip(*words, strict=True)):
        left, top, right, bottom = box[:4]
        corners = box if len(box) == 8 else (left, top, right, top, right, bottom, left, bottom)
        yield (*about, parts[line], line, order, text, *corners, parts[line] not in small)
