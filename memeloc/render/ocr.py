"""Pictures read back. In: a rendered set, its templates. Out: each picture's character error rate.

Every part is cut out, made black on white (`memeloc.render.letters`) and read by Tesseract with the
locale's model; what it read is compared with what was drawn. What Tesseract reads badly although it
is drawn well stands in guides/ocr.md. Readings are kept in OUT/.memeloc/ocr.parquet, so that no
picture is read twice.
"""

from __future__ import annotations

import hashlib
import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from memeloc.errors import InputError, ServiceError
from memeloc.files import replacing
from memeloc.locales import Registry
from memeloc.model import Template, TextBox
from memeloc.object_storage import LocalFolder, folder_at
from memeloc.ocr.error_rate import count_errors, normalise
from memeloc.ocr.tesseract import (
    BLOCK,
    LINE,
    RAW_LINE,
    installed_models,
    model_package,
    one_thread_each,
    read_pages,
)
from memeloc.render.sets.manifest import SHARDS
from memeloc.render.sets.reading import read_pictures

_METHOD = 2  # raise it when pictures are to be read anew
_CHUNK = 12  # pictures that one start of Tesseract reads
_Picture = dict[str, Any]  # a row of the manifest, with its template's boxes and its reader
_PLAIN = TextBox("", 0, 0, 1, 1)
_COLUMNS = (
    "meme_id",
    "template",
    "language",
    "locale",
    "path",
    "sha256",
    "font_size",
    "lines",
    "ink",
)
_SCHEMA = pa.schema(
    [
        ("sha256", pa.string()),  # of the picture
        ("reader", pa.string()),  # of everything that reads
        ("errors", pa.int32()),  # edit distance
        ("characters", pa.int32()),  # drawn, after `normalise`
        ("read", pa.string()),  # what Tesseract read, parts and lines by line feeds
    ]
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A picture read back.

    Attributes:
        meme_id, template, language, path: which picture.
        cer: character error rate: edit distance over the number of characters drawn, both after
            `normalise`; 0 is right, and more than 1 is possible. None for a picture without
            letters.
        drawn, read: the text, a line a line.
    """

    meme_id: str
    template: str
    language: str
    path: str
    cer: float | None
    drawn: str
    read: str


@dataclass(frozen=True, slots=True)
class LanguageReading:
    """How a language was read.

    Attributes:
        language, model: the column of the captions table, and Tesseract's model.
        pictures: how many have letters.
        median, mean: of their error rates.
        exact: share of them that was read without an error.
    """

    language: str
    model: str
    pictures: int
    median: float
    mean: float
    exact: float


@dataclass(frozen=True, slots=True)
class OcrReport:
    """What `memeloc proof --ocr` reports.

    Attributes:
        readings: worst first.
        languages: in the manifest's order.
        not_read: languages left out, and why, with what to install.
        failed: pictures that could not be read, and why.
        fresh: how many were read now rather than remembered.
    """

    readings: tuple[Reading, ...]
    languages: tuple[LanguageReading, ...]
    not_read: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...]
    fresh: int


@dataclass(frozen=True, slots=True)
class _Result:
    errors: int
    characters: int
    read: str


def read_back(
    out: Path,
    templates: Mapping[str, Template],
    registry: Registry,
    *,
    languages: Collection[str] | None = None,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> OcrReport:
    """Read the pictures of the set in `out` and compare them with their captions.

    Args:
        out: the folder that `memeloc render` wrote.
        templates: by name, for the angle and colours of each box; text of an unknown template is
            taken for upright white letters with a black outline.
        registry: where the locales' Tesseract models stand.
        languages: columns to read; all when None.
        jobs: how many Tesseracts run at once; as many as there are cores when None.
        advance: called with the number of pictures done, each time some are.

    Raises:
        MissingError: the extra `ocr` or the program is not installed.
        InputError: there is no manifest, or a language that it lacks; or the set is in shards.
    """
    place = folder_at(out)
    if not isinstance(place, LocalFolder):
        message = "is in object storage; fetch the set into a folder to read its pictures"
        raise InputError(message, file=place.url)
    if (out / SHARDS).is_dir():
        raise InputError(
            "has its pictures in shards; render them with --to files to read them", file=out
        )
    version, models = installed_models()
    read_before = _load(out)
    model_of: dict[str, str] = {}
    not_read: dict[str, str] = {}
    readings: list[Reading] = []
    failed: list[tuple[str, str]] = []
    results: dict[tuple[str, str], _Result] = {}
    to_read: dict[str, list[_Picture]] = defaultdict(list)
    report_done = advance or (lambda count: None)
    for picture in read_pictures(out, _COLUMNS, languages):
        language = picture["language"]
        if language not in model_of and language not in not_read:
            model, why = _model(picture["locale"], registry, models)
            (not_read if why else model_of)[language] = why or model
        if language in not_read:
            report_done(1)
            continue
        template = templates.get(picture["template"])
        direction = registry.get(picture["locale"]).direction
        boxes = template.boxes if template else ()
        picture["boxes"] = tuple(box.facing(direction) for box in boxes)
        picture["reader"] = _reader(version, model_of[language], picture["boxes"])
        earlier = read_before.get((picture["sha256"], picture["reader"]))
        if earlier is not None:
            readings.append(_reading(picture, earlier))
            report_done(1)
        else:
            to_read[model_of[language]].append(picture)
    tasks = [
        (model, pictures[start : start + _CHUNK])
        for model, pictures in to_read.items()
        for start in range(0, len(pictures), _CHUNK)
    ]
    pool = ThreadPoolExecutor(jobs or os.cpu_count())
    try:
        with one_thread_each():
            for (_, pictures), outcome in zip(
                tasks, pool.map(lambda task: _read_chunk(out, *task), tasks), strict=True
            ):
                for picture, result in zip(pictures, outcome, strict=True):
                    if isinstance(result, str):
                        failed.append((picture["path"], result))
                    else:
                        results[picture["sha256"], picture["reader"]] = result
                        readings.append(_reading(picture, result))
                report_done(len(pictures))
    finally:
        pool.shutdown(cancel_futures=True)
        if results:
            _store(out, read_before | results)
    readings.sort(key=lambda reading: (-(reading.cer or 0), reading.path))
    summaries = [_summary(language, model, readings) for language, model in model_of.items()]
    return OcrReport(
        readings=tuple(readings),
        languages=tuple(summary for summary in summaries if summary is not None),
        not_read=tuple(not_read.items()),
        failed=tuple(failed),
        fresh=len(results),
    )


def _model(tag: str, registry: Registry, models: frozenset[str]) -> tuple[str, str]:
    """The locale's model, or why it cannot be used."""
    try:
        model = registry.get(tag).tesseract
    except InputError as error:
        return "", f"{error}; name the folder of its TOML with --locales"
    if not model:
        return "", "Tesseract has no model for this language"
    if model not in models:
        return "", f"Tesseract's data for it is missing: apt install {model_package(model)}"
    return model, ""


def _reader(version: str, model: str, boxes: tuple[TextBox, ...]) -> str:
    facts = repr((_METHOD, version, model, boxes))
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _read_chunk(out: Path, model: str, pictures: list[_Picture]) -> list[_Result | str]:
    """What was read of each picture, or why it was not."""
    from memeloc.render.letters import Grey, cut_lines, find_letters, on_white

    letters: list[tuple[int, int, Grey]] = []  # picture, number of lines, part
    problems: dict[int, str] = {}
    for number, picture in enumerate(pictures):
        try:
            with Image.open(out / picture["path"]) as file:
                image = file.convert("RGB")
        except (OSError, ValueError) as error:
            problems[number] = f"cannot be opened ({error}); run `memeloc render` again"
            continue
        for part, (size, lines, ink) in enumerate(
            zip(picture["font_size"], picture["lines"], picture["ink"], strict=True)
        ):
            if size and ink and normalise("".join(lines)):
                box = picture["boxes"][part] if part < len(picture["boxes"]) else _PLAIN
                letters.append((number, len(lines), find_letters(image, box, tuple(ink), size)))
    texts = [""] * len(letters)
    try:
        for mode, in_lines in ((LINE, False), (BLOCK, True)):
            which = [i for i, (_, count, _) in enumerate(letters) if (count > 1) == in_lines]
            pages = [on_white(letters[i][2]) for i in which]
            for i, text in zip(which, read_pages(pages, model, mode), strict=True):
                texts[i] = text
        # Tesseract passes over whole lines at times; those it reads when it is given them alone.
        short = [i for i, (_, count, _) in enumerate(letters) if len(texts[i].split("\n")) < count]
        short += [i for i, text in enumerate(texts) if not text and i not in short]
        pages = [on_white(line) for i in short for line in cut_lines(letters[i][2], letters[i][1])]
        again = iter(read_pages(pages, model, RAW_LINE))
        for i in short:
            texts[i] = "\n".join(next(again) for _ in range(letters[i][1]))
    except ServiceError as error:
        return [str(error)] * len(pictures)
    read: dict[int, list[str]] = defaultdict(list)
    for (number, _, _), text in zip(letters, texts, strict=True):
        read[number].append(text)
    return [
        problems.get(number) or _compare(_drawn(picture), "\n".join(read[number]))
        for number, picture in enumerate(pictures)
    ]


def _compare(drawn: str, read: str) -> _Result:
    return _Result(*count_errors(drawn, read), read)


def _drawn(picture: _Picture) -> str:
    return "\n".join(line for lines in picture["lines"] for line in lines)


def _reading(picture: _Picture, result: _Result) -> Reading:
    return Reading(
        meme_id=picture["meme_id"],
        template=picture["template"],
        language=picture["language"],
        path=picture["path"],
        cer=result.errors / result.characters if result.characters else None,
        drawn=_drawn(picture),
        read=result.read,
    )


def _summary(language: str, model: str, readings: list[Reading]) -> LanguageReading | None:
    rates = [r.cer for r in readings if r.language == language and r.cer is not None]
    if not rates:
        return None
    return LanguageReading(
        language=language,
        model=model,
        pictures=len(rates),
        median=statistics.median(rates),
        mean=statistics.fmean(rates),
        exact=rates.count(0) / len(rates),
    )


def _load(out: Path) -> dict[tuple[str, str], _Result]:
    """What was read before; nothing when the file is missing, broken or of another version."""
    try:
        table = pq.read_table(out / ".memeloc" / "ocr.parquet", schema=_SCHEMA).to_pydict()
    except (OSError, pa.ArrowException):
        return {}
    rows = zip(*(table[name] for name in _SCHEMA.names), strict=True)
    return {(sha256, reader): _Result(*result) for sha256, reader, *result in rows}


def _store(out: Path, results: dict[tuple[str, str], _Result]) -> None:
    rows = [(*key, value.errors, value.characters, value.read) for key, value in results.items()]
    table = pa.Table.from_pylist(
        [dict(zip(_SCHEMA.names, row, strict=True)) for row in rows], schema=_SCHEMA
    )
    with replacing(out / ".memeloc" / "ocr.parquet") as temporary:
        pq.write_table(table, temporary)
