"""Pictures read back. In: a rendered set, its templates. Out: each picture's character error rate.

Every part is cut out, made black on white (`memeloc.render.letters`) and read by Tesseract with the
locale's model; what it read is compared with what was drawn. What Tesseract reads badly although it
is drawn well stands in guides/localising.md. Readings are kept in OUT/.memeloc/ocr.parquet, so
that no picture is read twice.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from memeloc.engine import usable_cpus
from memeloc.errors import InputError, ServiceError
from memeloc.files import replacing
from memeloc.locales import Registry
from memeloc.model import Template, TextBox
from memeloc.object_storage import folder_at
from memeloc.ocr import tesseract
from memeloc.ocr.error_rate import count_errors, normalise
from memeloc.render.sets.manifest import SHARDS
from memeloc.render.sets.reading import read_pictures

if TYPE_CHECKING:
    import pandas as pd

_READINGS = Path(".memeloc", "ocr.parquet")
_METHOD = 2  # raise it when pictures are to be read anew
_CHUNK = 12  # pictures that one start of Tesseract reads
_PLAIN = TextBox("", 0, 0, 1, 1)
_SHOWN = ("meme_id", "template", "language", "path")
_COLUMNS = (*_SHOWN, "locale", "sha256", "font_size", "lines", "ink")
_STORED = pa.schema(
    [
        ("sha256", pa.string()),  # of the picture
        ("reader", pa.string()),  # of everything that reads
        ("errors", pa.int32()),  # edit distance
        ("characters", pa.int32()),  # drawn, after `normalise`
        ("read", pa.string()),  # what Tesseract read, parts and lines by line feeds
    ]
)


_Picture = dict[str, Any]  # a row of the manifest, with its boxes, model, key and text drawn
_Results = dict[tuple[str, str], list[Any]]  # by the first two columns the others


@dataclass(frozen=True, slots=True)
class OcrReport:
    """The report of `memeloc proof --ocr`.

    Attributes:
        readings: a row a picture, worst first: `meme_id`, `template`, `language`, `path`, `cer`
            (character error rate: edit distance over the number of characters drawn, both after
            `normalise`; 0 is right, and more than 1 is possible; NaN without letters), and the
            texts `drawn` and `read`, a line a line.
        languages: a row a language, in the manifest's order: `language`, Tesseract's `model`, how
            many `pictures` have letters, the `median` and `mean` of their error rates, and the
            share `exact` that was read without an error.
        not_read: languages left out, and why, with what to install.
        failed: pictures that could not be read, and why.
        fresh: how many were read now rather than remembered.
    """

    readings: pd.DataFrame
    languages: pd.DataFrame
    not_read: dict[str, str]
    failed: dict[str, str]
    fresh: int


def read_back(
    out: Path,
    templates: Mapping[str, Template],
    registry: Registry,
    *,
    languages: Collection[str] | None = None,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> OcrReport:
    """Read the pictures of the set in `out` and compare them with their captions. Raise
    MissingError if the extra `ocr` or the program is not installed; InputError if there is no
    manifest, or a language that it lacks; or the set is in shards.

    Args:
        templates: by name, for the angle and colours of each box; text of an unknown template is
            taken for upright white letters with a black outline.
        registry: where the locales' Tesseract models stand.
        languages: columns to read; all when None.
        jobs: how many Tesseracts run at once; as many as there are usable cores when None.
        advance: called with the number of pictures done, each time some are.
    """
    import pandas as pd

    place = folder_at(out)
    if place.path is None:
        message = "is in object storage; fetch the set into a folder to read its pictures"
        raise InputError(message, file=place.url)
    if (out / SHARDS).is_dir():
        message = "has its pictures in shards; render them with --to files to read them"
        raise InputError(message, file=out)
    version, models = tesseract.installed_models()
    model_of: dict[str, str] = {}
    not_read: dict[str, str] = {}
    wanted = []
    for picture in read_pictures(out, _COLUMNS, languages):
        language = picture["language"]
        if language not in model_of and language not in not_read:
            model, why = _model(picture["locale"], registry, models)
            (not_read if why else model_of)[language] = why or model
        if language in model_of:
            template = templates.get(picture["template"])
            direction = registry.get(picture["locale"]).direction
            boxes = template.boxes if template else ()
            picture["boxes"] = tuple(box.facing(direction) for box in boxes)
            picture["model"] = model_of[language]
            facts = repr((_METHOD, version, picture["model"], picture["boxes"])).encode()
            picture["key"] = picture["sha256"], hashlib.sha256(facts).hexdigest()[:16]
            picture["drawn"] = "\n".join(line for lines in picture["lines"] for line in lines)
            wanted.append(picture)
        elif advance:
            advance(1)
    try:
        stored = pq.read_table(out / _READINGS, schema=_STORED).to_pydict()
    except (OSError, pa.ArrowException):  # missing, broken or of another kind
        stored = {}
    rows = zip(*stored.values(), strict=True)
    before: _Results = {(sha256, reader): result for sha256, reader, *result in rows}
    fresh, failed = _read(out, wanted, before, jobs, advance or (lambda count: None))
    results = before | fresh
    shown, found = (*_SHOWN, "model", "drawn"), _STORED.names[2:]
    readings = pd.DataFrame(
        [
            (*(picture[name] for name in shown), *results[picture["key"]])
            for picture in wanted
            if picture["key"] in results
        ],
        columns=[*shown, *found],
    )
    # Without letters there is no rate: 0 / 0 is NaN.
    readings["cer"] = readings["errors"] / readings["characters"].where(readings["characters"] > 0)
    readings = readings.sort_values(["cer", "path"], ascending=[False, True], ignore_index=True)
    rates = readings.dropna(subset="cer").groupby(["language", "model"], sort=False)["cer"]
    by_language = rates.agg(
        pictures="size", median="median", mean="mean", exact=lambda rate: (rate == 0).mean()
    ).reset_index()
    order = by_language["language"].map(list(model_of).index)
    return OcrReport(
        readings=readings[[*_SHOWN, "cer", "drawn", "read"]],
        languages=by_language.iloc[order.argsort()].reset_index(drop=True),
        not_read=not_read,
        failed=failed,
        fresh=len(fresh),
    )


def _read(
    out: Path,
    pictures: list[_Picture],
    before: _Results,
    jobs: int | None,
    advance: Callable[[int], None],
) -> tuple[_Results, dict[str, str]]:
    by_model: dict[str, list[_Picture]] = defaultdict(list)
    for picture in pictures:
        if picture["key"] not in before:
            by_model[picture["model"]].append(picture)
    tasks = [
        (model, some[start : start + _CHUNK])
        for model, some in by_model.items()
        for start in range(0, len(some), _CHUNK)
    ]
    advance(len(pictures) - sum(map(len, by_model.values())))
    fresh: _Results = {}
    failed: dict[str, str] = {}
    pool = ThreadPoolExecutor(jobs or usable_cpus())
    try:
        with tesseract.one_thread_each():
            outcomes = pool.map(lambda task: _read_chunk(out, *task), tasks)
            for (_, some), outcome in zip(tasks, outcomes, strict=True):
                for picture, text in zip(some, outcome, strict=True):
                    if isinstance(text, Exception):
                        failed[picture["path"]] = str(text)
                    else:
                        fresh[picture["key"]] = [*count_errors(picture["drawn"], text), text]
                advance(len(some))
    finally:
        pool.shutdown(cancel_futures=True)
        if fresh:
            rows = ((*key, *result) for key, result in (before | fresh).items())
            columns = dict(zip(_STORED.names, zip(*rows, strict=True), strict=True))
            with replacing(out / _READINGS) as temporary:
                pq.write_table(pa.Table.from_pydict(columns, schema=_STORED), temporary)
    return fresh, failed


def _model(tag: str, registry: Registry, models: frozenset[str]) -> tuple[str, str]:
    try:
        model = registry.get(tag).tesseract
    except InputError as error:
        return "", f"{error}; name the folder of its TOML with --locales"
    if not model:
        return "", "Tesseract has no model for this language"
    if model not in models:
        return "", f"Tesseract's data for it is missing: {tesseract.how_to_get(model)}"
    return model, ""


def _read_chunk(out: Path, model: str, pictures: list[_Picture]) -> list[str | Exception]:
    from memeloc.render.letters import Grey, cut_lines, find_letters, on_white

    letters: list[tuple[int, int, Grey]] = []  # picture, number of lines, part
    problems: dict[int, Exception] = {}
    for number, picture in enumerate(pictures):
        try:
            with Image.open(out / picture["path"]) as file:
                image = file.convert("RGB")
        except (OSError, ValueError) as error:
            problems[number] = InputError(f"cannot be opened ({error}); run `memeloc render` again")
            continue
        for part, (size, lines, ink) in enumerate(
            zip(picture["font_size"], picture["lines"], picture["ink"], strict=True)
        ):
            if size and ink and normalise("".join(lines)):
                box = picture["boxes"][part] if part < len(picture["boxes"]) else _PLAIN
                letters.append((number, len(lines), find_letters(image, box, tuple(ink), size)))
    texts = [""] * len(letters)
    try:
        for mode, in_lines in ((tesseract.LINE, False), (tesseract.BLOCK, True)):
            which = [i for i, (_, count, _) in enumerate(letters) if (count > 1) == in_lines]
            pages = [on_white(letters[i][2]) for i in which]
            for i, text in zip(which, tesseract.read_pages(pages, model, mode), strict=True):
                texts[i] = text
        # Tesseract passes over whole lines at times; those it reads when it is given them alone.
        short = [i for i, (_, count, _) in enumerate(letters) if len(texts[i].split("\n")) < count]
        short += [i for i, text in enumerate(texts) if not text and i not in short]
        pages = [on_white(line) for i in short for line in cut_lines(letters[i][2], letters[i][1])]
        again = iter(tesseract.read_pages(pages, model, tesseract.RAW_LINE))
        for i in short:
            texts[i] = "\n".join(next(again) for _ in range(letters[i][1]))
    except ServiceError as error:
        return [error] * len(pictures)
    read: dict[int, list[str]] = defaultdict(list)
    for (number, _, _), text in zip(letters, texts, strict=True):
        read[number].append(text)
    return [problems.get(number, "\n".join(read[number])) for number in range(len(pictures))]
