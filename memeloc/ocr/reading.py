"""Many pictures read on all cores. In: files and their languages. Out: a reading each, as it comes.

Pictures of one language go together to one process, for a reader is started once for several. What
cannot be opened or read is a failure with a sentence, and the others go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memeloc.engine import (
    PROCESSES,
    Checked,
    Engine,
    ShardMap,
    ShardResult,
    alike,
    map_shards,
    seeing,
)
from memeloc.errors import MemelocError, ServiceError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.ocr.transcript import Transcript

METHOD = 2
"""Raise it when the same pictures are to be read anew by the same readers."""

_TOGETHER = 8
"""Pictures of a language that are read together."""
_LONGEST = 2500
"""Longer side in pixels that a picture is opened with."""


@dataclass(frozen=True, slots=True)
class ToRead:
    """A picture to be read; `key` is what the caller knows it by, such as an item's id."""

    key: str
    path: Path
    locale: Locale
    reader: str


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """The result of reading one picture: a transcript, or a sentence why there is none."""

    key: str
    transcript: Transcript | None
    failure: str = ""


def read_pictures(
    pictures: Sequence[ToRead],
    *,
    jobs: int,
    on_read: Callable[[list[ReadPicture]], None],
    shard_map: ShardMap = map_shards,
) -> None:
    """Read pictures with `jobs` processes of `shard_map`, which need to see the files.

    `on_read` is called in this process with what was read together, as it comes.

    Raises:
        InputError: a process does not see the files.
        MissingError: what a reader needs is not installed, or is another there than here.
    """

    def done(result: ShardResult[list[ToRead], list[ReadPicture]]) -> None:
        if result.value is not None:
            on_read(result.value)
        else:
            on_read([ReadPicture(picture.key, None, result.failure) for picture in result.shard])

    readers = {(picture.reader, picture.locale.tag): picture.locale for picture in pictures}
    checks = alike(partial(_tools, readers)), seeing(picture.path for picture in pictures[:1])
    shard_map(Checked(_read_shard, checks), _shards(pictures), jobs=jobs, on_done=done)


def _tools(readers: Mapping[tuple[str, str], Locale]) -> dict[str, str]:
    """Return versions of the readers, and what they lack, by their names and those of the
    languages."""
    from memeloc.ocr.readers import reader

    return {
        f"{name} for {locale.name}": f"{reader(name).version} {reader(name).lacks(locale)}"
        for (name, _), locale in readers.items()
    }


def _read_shard(shard: Sequence[ToRead]) -> list[ReadPicture]:
    """`read_together`; readers' own threads only slow each other down when several run."""
    os.environ["OMP_THREAD_LIMIT"] = os.environ["OMP_NUM_THREADS"] = "1"
    return read_together(shard)


def read_together(pictures: Sequence[ToRead]) -> list[ReadPicture]:
    """Read pictures of one language by one reader, in this process."""
    from memeloc.ocr.blocks import arrange
    from memeloc.ocr.failing import find_marks
    from memeloc.ocr.protocol import mean_confidence
    from memeloc.ocr.rapid import exemplars_of
    from memeloc.ocr.readers import reader
    from memeloc.templates.pictures import open_picture

    by = reader(pictures[0].reader)
    locale = pictures[0].locale
    results: dict[str, ReadPicture] = {}
    opened = []
    for picture in pictures:
        try:
            opened.append((picture, open_picture(picture.path, _LONGEST)))
        except MemelocError as error:
            results[picture.key] = ReadPicture(picture.key, None, str(error))
    lines = []
    try:
        lines = by.read([picture for _, picture in opened], locale)
    except ServiceError as error:
        if len(pictures) > 1:  # it may be one picture's fault: each by itself
            return [result for picture in pictures for result in read_together([picture])]
        results[pictures[0].key] = ReadPicture(pictures[0].key, None, str(error))
        opened = []
    letters = exemplars_of(locale)
    for (picture, _), lines_of_picture in zip(opened, lines, strict=True):
        parts = arrange(lines_of_picture, locale)
        transcript = Transcript(
            item=picture.key,
            parts=tuple(part.text for part in parts),
            language=locale.tag,
            reader=f"{by.name} {by.version}",
            confidence=round(min(max(mean_confidence(parts), 0.0), 1.0), 3),
            marks=find_marks(parts, locale, letters),
        )
        results[picture.key] = ReadPicture(picture.key, transcript)
    return [results[picture.key] for picture in pictures]


def _shards(pictures: Iterable[ToRead]) -> Iterator[list[ToRead]]:
    waiting: dict[tuple[str, str], list[ToRead]] = {}
    for picture in pictures:
        key = picture.locale.tag, picture.reader
        shard = waiting.setdefault(key, [])
        shard.append(picture)
        if len(shard) == _TOGETHER:
            yield waiting.pop(key)
    yield from waiting.values()


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The text of a picture file, as a `Transcript` has it, or the `failure`."""

    file: str
    language: str = ""
    parts: tuple[str, ...] = ()
    reader: str = ""
    confidence: float = 0.0
    marks: tuple[str, ...] = ()
    failure: str = ""


def read_files(
    files: Sequence[Path],
    language: str = "en",
    *,
    reader: str = "auto",
    jobs: int | None = None,
    engine: Engine = PROCESSES,
    on_progress: Callable[[str, int, int | None], None] = lambda phase, more, total: None,
) -> list[ReadFile]:
    """Return the text in picture files in one language; nothing is stored."""
    from memeloc.ocr.readers import choose

    locale = default().get(language)
    name = choose(locale, reader).name
    to_read = [ToRead(str(path), path, locale, name) for path in dict.fromkeys(files)]
    read: dict[str, ReadFile] = {}

    def take(pictures: list[ReadPicture]) -> None:
        for picture in pictures:
            read[picture.key] = ReadFile(picture.key, failure=picture.failure)
            if text := picture.transcript:
                of = (text.language, text.parts, text.reader, text.confidence, text.marks)
                read[picture.key] = ReadFile(picture.key, *of)
        on_progress("reading", len(pictures), len(to_read))

    jobs = min(jobs or engine.cpus(), len(to_read))
    read_pictures(to_read, jobs=jobs, on_read=take, shard_map=engine.map_shards)
    return [read[picture.key] for picture in to_read]
