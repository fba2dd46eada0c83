"""A set for its readers. In: its folder or address. Out: its rows as a dataset of pyarrow."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import compute

from memeloc.errors import InputError
from memeloc.locales.tags import listed_tags
from memeloc.object_storage import Folder, folder_at
from memeloc.render.proof import KINDS
from memeloc.render.sets.manifest import MANIFEST, SCHEMA, table_keys
from memeloc.tables import Column, write_table

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import dataset

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
    """The report of `memeloc proof`.

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
    """Write the words of the set in `out` as a .csv, .jsonl or .parquet; return their number. Raise
    InputError if there is no manifest, one without boxes, a language that it lacks, or the file
    cannot be written."""
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


def has_set(out: str | Path | Folder) -> bool:
    """Return whether there is a rendered set."""
    return bool(table_keys(folder_at(out)))


def open_set(out: str | Path | Folder) -> dataset.FileSystemDataset:
    """Return the rows of a set as one dataset; of an address only what is read is fetched.

    Columns that a table of an earlier version lacks are null. Raise InputError if there is no set;
    ServiceError if the storage cannot be reached, or refuses.
    """
    from pyarrow import dataset

    place = folder_at(out)
    keys = table_keys(place)
    if not keys:
        raise InputError(
            f"no {MANIFEST} here; give the folder that `memeloc render --out` wrote",
            file=place.address(""),
        )
    with place.translated():
        return dataset.dataset(keys, schema=SCHEMA, filesystem=place.opened, format="parquet")


def picture_batches(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield a set's rows, of some languages; what the table has no longer is left out. Raise
    InputError if there is no set, one without one of the columns, or a language that it lacks;
    ServiceError if the storage cannot be reached, or refuses."""
    if languages is not None:
        languages = listed_tags(languages)
        batches = set_batches(out, ["language"])
        in_batches = {name for batch in batches for name in batch["language"].unique().to_pylist()}
        for language in languages:
            if language not in in_batches:
                raise InputError(
                    f"no pictures in {language!r}; there are {', '.join(sorted(in_batches))}",
                    file=folder_at(out).address(MANIFEST),
                )
    read = [*{*columns, "in_table"}]
    for batch in set_batches(out, read, required=columns, language=languages):
        in_table = batch.filter(compute.fill_null(batch["in_table"], True))
        if in_table.num_rows:
            yield in_table.select([*columns])


def read_pictures(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a set's rows as dicts of `columns`; see `picture_batches`."""
    for batch in picture_batches(out, columns, languages):
        yield from batch.to_pylist()


def shown_pictures(
    out: str | Path, locales: Collection[str] | None = None
) -> dict[tuple[str, str], tuple[Path, str]]:
    """Return by meme and tag of a locale the picture in a set, and its caption. Raise InputError if
    there is no set, or it is in object storage."""
    folder = folder_at(out).path
    if folder is None:
        raise InputError("is in object storage: fetch it to a disk first", file=folder_at(out).url)
    return {
        (row["meme_id"], row["locale"]): (folder / row["path"], row["text"])
        for batch in set_batches(out, ["meme_id", "locale", "path", "text"], locale=locales)
        for row in batch.to_pylist()
    }


def set_batches(
    out: str | Path | Folder,
    columns: Collection[str] | None = None,
    *,
    required: Collection[str] = (),
    **values: Collection[str] | None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a set, also of what the table has no longer, few of them held. Raise
    InputError if there is no set, one without a required column, or one that cannot be read;
    ServiceError if the storage cannot be reached, or refuses.

    Args:
        columns: names; all when None.
        required: those that the set must have.
        values: by name of a column, what it is to be in the rows that are read.
    """
    from pyarrow import dataset

    place, rows = folder_at(out), open_set(out)
    wanted = dataset.scalar(True)
    for name, some in values.items():
        if some is not None:
            wanted &= dataset.field(name).isin([*some])
    try:
        with place.translated():
            stored = next(rows.get_fragments()).physical_schema.names
            # Sets made before lack findings, whose kinds stand in another column of theirs.
            if absent := {*required} - {*stored, "findings"}:
                raise InputError(
                    f"has no column {sorted(absent)[0]!r}; run `memeloc render` again",
                    file=place.address(MANIFEST),
                )
            # Without these limits pyarrow reads many files ahead.
            ahead = {"batch_size": 2048, "batch_readahead": 1, "fragment_readahead": 1}
            names = [*(columns or SCHEMA.names)]
            yield from rows.to_batches(columns=names, filter=wanted, use_threads=False, **ahead)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot be read as Parquet ({error}); run `memeloc render` again",
            file=place.address(MANIFEST),
        ) from error


def set_sha256(out: str | Path | Folder) -> str:
    """Return SHA-256 over the tables of a set, in their order, in hex."""
    place = folder_at(out)
    digest = hashlib.sha256()
    for key in table_keys(place):
        digest.update(place.read(key))
    return digest.hexdigest()
