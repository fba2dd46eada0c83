"""The text in pictures. In: collected pictures, or files. Out: transcripts, stored, or as they are.

A picture that several items share is read once; what was read of a picture is kept as a feature of
it, so that it is never read again by the same reader in the same language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memeloc.engine import usable_cpus
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.ocr.readers import choose
from memeloc.ocr.reading import METHOD, ReadPicture, ToRead, read_pictures
from memeloc.ocr.transcript import NO_TEXT, UNSURE, Transcript
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Part, Phases, silent


@dataclass(frozen=True, slots=True)
class NotRead:
    """A picture, or pictures of a language, that could not be read, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class ReadResult:
    """How reading collected pictures went.

    Attributes:
        pictures: how many items got a transcript.
        remembered: how many of them were read before.
        changed: transcripts that differ from what was stored.
        no_text, unsure: pictures that are marked so.
        readers: how many each reader read, as `rapidocr 3.4.2 in en`.
        not_read: what was not read.
    """

    pictures: int
    remembered: int
    changed: int
    no_text: int
    unsure: int
    readers: dict[str, int]
    not_read: list[NotRead]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The text of a picture file.

    Attributes:
        file: its path.
        language, parts, reader, confidence, marks: as in `memeloc.ocr.transcript.Transcript`.
        failure: why there is no text; empty when there is.
    """

    file: str
    language: str = ""
    parts: tuple[str, ...] = ()
    reader: str = ""
    confidence: float = 0.0
    marks: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """The texts of picture files."""

    pictures: list[ReadFile]


def read_files(
    files: Sequence[Path],
    language: str = "en",
    *,
    reader: str = "auto",
    jobs: int | None = None,
    on_progress: Phases = silent,
) -> ReadFiles:
    """The text in picture files; nothing is stored.

    Args:
        files: pictures.
        language: tag of the one they are in.
        reader, jobs, on_progress: as in `Collecting.read`.
    """
    locale = default().get(language)
    name = choose(locale, reader).name
    to_read = [ToRead(str(path), path, locale, name) for path in dict.fromkeys(files)]
    read: dict[str, ReadPicture] = {}

    def take(pictures: list[ReadPicture]) -> None:
        read.update((picture.key, picture) for picture in pictures)
        on_progress("reading", len(pictures), len(to_read))

    read_pictures(to_read, jobs=min(jobs or usable_cpus(), len(to_read)), on_read=take)
    return ReadFiles([_read_file(read[one.key]) for one in to_read])


def _read_file(picture: ReadPicture) -> ReadFile:
    text = picture.transcript
    if text is None:
        return ReadFile(picture.key, failure=picture.failure)
    return ReadFile(
        picture.key, text.language, text.parts, text.reader, text.confidence, text.marks
    )


class Reading(Part):
    """Reading the text in collected pictures."""

    def read(
        self,
        languages: Sequence[str] = (),
        *,
        reader: str = "auto",
        only: Literal["new", "textless", "all"] = "new",
        jobs: int | None = None,
        on_progress: Phases = silent,
    ) -> ReadResult:
        """Read the text in collected pictures; store a transcript each.

        Args:
            languages: only pictures in these; one whose source states none is read in the first.
            reader: its name; auto takes for each language the one that was measured to err less.
            only: `new` (not read yet), `textless` (of those, without text from their source) or
                `all`.
            jobs: processes; None is one a usable processor.
            on_progress: gets how many more pictures are read.

        Raises:
            InputError: there is no such language or reader.
            MissingError: what the reader needs is not installed.
        """
        workspace = self._workspace
        plan = _Plan(workspace, [workspace.locale(tag) for tag in languages], reader, only)
        counts: Counter[str] = Counter()
        readers: Counter[str] = Counter()
        changed = 0

        def store(transcripts: Sequence[Transcript]) -> None:
            nonlocal changed
            if transcripts:
                changed += workspace.store.transcripts.add(transcripts)
            for text in transcripts:
                counts.update({"pictures": 1, **dict.fromkeys(text.marks, 1)})
                readers[f"{text.reader} in {text.language}"] += 1
            on_progress("reading", len(transcripts), plan.total)

        remembered = plan.remembered()
        store(remembered)
        to_read = plan.to_read()
        if to_read:
            read_pictures(
                to_read,
                jobs=min(jobs or usable_cpus(), len(to_read)),
                on_read=lambda pictures: store(plan.keep(pictures)),
            )
        return ReadResult(
            counts["pictures"],
            len(remembered),
            changed,
            counts[NO_TEXT],
            counts[UNSURE],
            dict(readers),
            plan.not_read,
        )


class _Plan:
    """What of a workspace is to be read, by which reader, and where what was read goes."""

    def __init__(
        self, workspace: WorkspaceFolder, wanted: Sequence[Locale], reader: str, only: str
    ) -> None:
        self._workspace = workspace
        self.not_read: list[NotRead] = []
        self.total = 0
        self._feature: dict[str, str] = {}  # by language
        self._reader: dict[str, str] = {}
        self._locale: dict[str, Locale] = {}
        self._path: dict[str, Path] = {}
        self._items: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        there = {} if only == "all" else workspace.store.transcripts.all()
        left_out: Counter[tuple[str, str]] = Counter()
        for item in workspace.store.items.find("picture"):
            if item.id in there or (only == "textless" and any(item.parts)):
                continue
            try:
                locale = _language(workspace, item, wanted)
                if locale is None:
                    continue
                if locale.tag not in self._locale:
                    by = choose(locale, reader)
                    self._reader[locale.tag] = by.name
                    feature = f"ocr-{METHOD}-{by.name[:20]}-{by.version[:16]}-{locale.tag}"
                    self._feature[locale.tag] = feature[:60]
                    self._locale[locale.tag] = locale
            except MemelocError as error:
                left_out[item.language or "no language", str(error)] += 1
                continue
            if item.path is None:
                left_out[item.id, "its picture is not stored"] += 1
                continue
            self._path[item.picture] = item.path
            self._items[locale.tag][item.picture].append(item.id)
            self.total += 1
        for (what, why), count in left_out.items():
            self.not_read.append(
                NotRead(f"{what} ({count:,} pictures)" if count > 1 else what, why)
            )

    def remembered(self) -> list[Transcript]:
        """Transcripts of what was read before; it is not to be read again."""
        transcripts = []
        for tag, pictures in self._items.items():
            features = self._workspace.store.computed.features(self._feature[tag], list(pictures))
            for sha, value in features.items():
                transcripts += [_transcript(item, tag, value) for item in pictures.pop(sha)]
        return transcripts

    def to_read(self) -> list[ToRead]:
        """What is left, a picture once a language."""
        return [
            ToRead(f"{tag}|{sha}", self._path[sha], self._locale[tag], self._reader[tag])
            for tag, pictures in self._items.items()
            for sha in pictures
        ]

    def keep(self, pictures: Sequence[ReadPicture]) -> list[Transcript]:
        """Remember what was read; transcripts of its items."""
        transcripts: list[Transcript] = []
        features: dict[str, dict[str, Any]] = defaultdict(dict)
        for picture in pictures:
            tag, _, sha = picture.key.partition("|")
            items = self._items[tag][sha]
            text = picture.transcript
            if text is None:
                self.not_read += [NotRead(item, picture.failure) for item in items]
                continue
            value = {
                "parts": list(text.parts),
                "reader": text.reader,
                "confidence": text.confidence,
                "marks": list(text.marks),
            }
            features[tag][sha] = value
            transcripts += [_transcript(item, tag, value) for item in items]
        for tag, values in features.items():
            self._workspace.store.computed.add_features(self._feature[tag], values)
        return transcripts


def _language(workspace: WorkspaceFolder, item: Item, wanted: Sequence[Locale]) -> Locale | None:
    """The locale to read an item in; None when it is in a language that was not asked for."""
    if not item.language:
        return wanted[0] if wanted else workspace.source
    locale = workspace.locale(item.language)
    return locale if not wanted or locale in wanted else None


def _transcript(item: str, tag: str, value: dict[str, Any]) -> Transcript:
    """A transcript has a part at least, so that people find a place to write on its sheet."""
    return Transcript(
        item=item,
        parts=tuple(value["parts"]) or ("",),
        language=tag,
        reader=value["reader"],
        confidence=value["confidence"],
        marks=tuple(value["marks"]),
    )
