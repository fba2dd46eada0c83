"""One run over a table. In: an opened table, templates, settings. Out: pictures and manifest.

The table is read once, a row at a time, and cut into slices of memes that follow each other. What
of a slice is unchanged is taken off, the rest is a shard, made by whatever spreads them. The
slices' rows become the manifest in the table's order, each as soon as those before it are complete.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path

from memeloc.captions import CaptionProblem, CaptionRow, CaptionsTable
from memeloc.engine import ShardMap, ShardResult
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.locales import Registry
from memeloc.model import SEPARATOR, Caption, Template
from memeloc.render.encode import Settings
from memeloc.render.sets.manifest import MANIFEST, PARTS, STATE, Earlier, EarlierPicture, Place
from memeloc.render.sets.merging import MemeRows, NewManifest
from memeloc.render.sets.out_folder import PAGE, SkippedFile, remove_temporaries
from memeloc.render.sets.page import Page
from memeloc.render.sets.shards import Item, Made, PictureFiles, Shard, ShardMeme
from memeloc.render.sets.summary import Summary

_SHARD = 64
"""Pictures of a shard: few enough that several processes end at nearly the same time."""
_SLICE = 256
"""Pictures, made or unchanged, after which a slice ends in any case."""
_LISTED = 1000
"""Problems of the table, and failures, that a summary holds; all of the former are in SKIPPED."""

Progress = Callable[[int, int | None], None]
"""Gets how many more pictures are settled, and how many there are in all."""


class Run:
    """One run: what is planned, and what has become of it."""

    def __init__(
        self,
        table: CaptionsTable,
        templates: Mapping[str, Template],
        settings: Settings,
        fonts: Sequence[str | Path],
        registry: Registry,
        summary: Summary,
        skipped: SkippedFile,
        force: bool,
    ) -> None:
        self._table = table
        self._templates = templates
        self._settings = settings
        self._summary = summary
        self._skipped = skipped
        self._out = summary.out
        self._running = self._out / STATE / "running"
        self._cut_off = self._running.exists()
        if self._cut_off:
            remove_temporaries(self._out)
        self._earlier = Earlier(self._out)
        self._force = force
        self._locales = {column.name: column.locale for column in (*table.languages, table.source)}
        self._files = PictureFiles(self._out, settings, templates, self._locales, fonts)
        self._source_apart = table.source not in table.languages
        self._page = Page(self._out, registry)
        self._manifest = NewManifest(
            self._earlier, self._out, source_apart=self._source_apart, on_rows=self._page.add
        )
        self._slices: deque[tuple[str, list[MemeRows]]] = deque()
        self._awaited: dict[str, list[MemeRows]] = {}  # by the part that will have their rows
        self._starts: dict[tuple[str, str], hashlib._Hash | InputError] = {}
        self._progress: Progress | None = None
        self._total: int | None = None

    def on_progress(self, progress: Progress | None) -> None:
        """Report how far it is; the captions are counted first."""
        if progress is not None:
            self._progress, self._total = progress, self._table.count()
            progress(0, self._total)

    def render(self, jobs: int, shard_map: ShardMap) -> None:
        """Make all pictures that are not there yet."""
        shards = self._shards()
        first = list(islice(shards, 2))
        if not first:
            return
        (self._out / PARTS).mkdir(exist_ok=True)
        self._running.touch()
        jobs = min(jobs, len(first))
        shard_map(self._files.run, chain(first, shards), jobs=jobs, on_done=self._done)

    def finish(self) -> None:
        """Write manifest and page, unless they say already what they would say."""
        self._skipped.keep()
        there = (self._out / MANIFEST).exists() and (self._out / PAGE).exists()
        self._running.touch()
        if self._manifest.finish(anew=self._cut_off or not there):
            self._page.write()
            for path in (self._out / PARTS).glob("*"):
                path.unlink()
        self._running.unlink()

    def close(self) -> None:
        """Leave no part of the manifest behind when `finish` was not reached."""
        self._manifest.drop()

    def _shards(self) -> Iterator[Shard]:
        """Read the table, and yield what of it needs work."""
        numbers = count()
        memes: list[MemeRows] = []
        work: list[ShardMeme] = []

        def end_slice() -> Iterator[Shard]:
            part = f"{self._earlier.run:06d}-{next(numbers):08d}.parquet" if work else ""
            self._slices.append((part, memes.copy()))
            if work:
                self._awaited[part] = self._slices[-1][1]
                yield Shard(part, work.copy())
            else:
                self._write_slices()
            memes.clear()
            work.clear()

        for row in self._table.rows(self._note):
            places, items = self._meme(row)
            memes.append(places)
            if items:
                captions = row.captions.items() if self._settings.parity else ()
                together = [(name, caption.parts) for name, caption in captions]
                work.append(ShardMeme(row.meme_id, row.template, items, together))
            if (
                sum(len(meme.items) for meme in work) >= _SHARD
                or sum(len(meme.places) for meme in memes) >= _SLICE
            ):
                yield from end_slice()
        yield from end_slice()

    def _write_slices(self) -> None:
        """Add to the manifest what has nothing before it that is awaited."""
        while self._slices and self._slices[0][0] not in self._awaited:
            self._manifest.add(self._slices.popleft()[1])

    def _meme(self, row: CaptionRow) -> tuple[MemeRows, list[Item]]:
        """Where the rows of a row's captions are, and those captions that need work."""
        places: list[Place | None] = []
        items: list[Item] = []
        unchanged = 0
        source = None
        together = self._together(row) if self._settings.parity else b""
        for language, caption in row.captions.items():
            inputs = self._inputs(row, language, caption, together)
            if inputs is None:
                continue
            if language == self._table.source.name:
                source = len(places)
            path = f"{language}/{row.template}/{row.meme_id}.{self._settings.format}"
            old = self._unchanged(path, inputs)
            if old is not None and self._is_there(path, old):
                places.append(old.place)
                unchanged += 1
                self._summary.problems.update(old.problems or ())
                self._summary.flawed += bool(old.problems)
                self._example(path)
            else:
                places.append(None)
                items.append(Item(language, caption.parts, inputs, True))
        if self._source_apart and row.source is not None:
            language = self._table.source.name
            inputs = self._inputs(row, language, row.source, b"")
            if inputs is not None:
                source = len(places)
                old = self._unchanged(f"{language}/{row.template}/{row.meme_id}", inputs)
                places.append(old.place if old else None)
                if old is None:
                    items.append(Item(language, row.source.parts, inputs, False))
        self._summary.unchanged += unchanged
        self._advance(unchanged)
        return MemeRows(places, source), items

    def _inputs(
        self, row: CaptionRow, language: str, caption: Caption, together: bytes
    ) -> str | None:
        """SHA-256 of everything that makes a picture; None when its template cannot be used."""
        start = self._start(row.template, language)
        if isinstance(start, InputError):
            if language in row.captions:
                self._fail(1, f"{language}/{row.template}/{row.meme_id}: {start}")
            return None
        digest = start.copy()
        digest.update(SEPARATOR.join(caption.parts).encode())
        digest.update(together)
        return digest.hexdigest()

    def _together(self, row: CaptionRow) -> bytes:
        """What sets the size of all languages of a meme."""
        digest = hashlib.sha256()
        for language, caption in row.captions.items():
            start = self._start(row.template, language)
            if not isinstance(start, InputError):
                digest.update(start.digest())
                digest.update(SEPARATOR.join(caption.parts).encode())
        return b"\0" + digest.digest()

    def _start(self, template: str, language: str) -> hashlib._Hash | InputError:
        """A hash of all that makes a picture but the captions, to be copied and gone on with."""
        start = self._starts.get((template, language))
        if start is None:
            try:
                fingerprint = self._files.renderer.fingerprint(
                    self._templates[template], self._locales[language]
                )
            except InputError as error:
                start = error
            else:
                start = hashlib.sha256(f"{fingerprint}\0{self._settings}\0".encode())
            self._starts[template, language] = start
        return start

    def _unchanged(self, path: str, inputs: str) -> EarlierPicture | None:
        """What is known of a picture that was made of the same."""
        old = None if self._force else self._earlier.find(path)
        return old if old is not None and old.inputs_sha256 == inputs else None

    def _is_there(self, path: str, old: EarlierPicture) -> bool:
        """Whether a picture's file is the one that was recorded.

        Its size is compared; but after a run that was cut off a file may be newer than its record
        and of the same size by chance, so that its bytes are looked at.
        """
        try:
            if not self._cut_off:
                return (self._out / path).stat().st_size == old.bytes
            return file_sha256(self._out / path) == old.sha256
        except OSError:
            return False

    def _done(self, result: ShardResult[Shard, Made]) -> None:
        """Note where the rows of a shard that has ended are, and write what is complete."""
        part = result.shard.part
        memes = self._awaited.pop(part)
        painted = sum(item.painted for meme in result.shard.memes for item in meme.items)
        made = result.value
        if made is None:
            first = result.shard.memes[0].meme_id
            self._fail(
                painted, f"{painted} pictures from {first!r} on: {result.failure}", done=False
            )
        else:
            file = len(self._earlier.files)
            self._earlier.files.append(self._out / PARTS / part)
            made_rows, numbers = count(), count()
            for meme in memes:
                for index, place in enumerate(meme.places):
                    if place is None and next(numbers) not in made.failed:
                        meme.places[index] = file, next(made_rows)
            self._summary.rendered += made.rendered
            self._summary.problems.update(made.problems)
            self._summary.flawed += made.flawed
            self._example(made.example)
            for reason, pictures in made.failed.values():
                self._fail(pictures, reason, done=False)
        self._advance(painted)
        self._write_slices()

    def _fail(self, pictures: int, reason: str, *, done: bool = True) -> None:
        self._summary.failed += pictures
        if len(self._summary.failures) < _LISTED:
            self._summary.failures.append(reason)
        if done:
            self._advance(pictures)

    def _note(self, problem: CaptionProblem) -> None:
        """Keep a problem of the table."""
        self._skipped.add(problem)
        self._summary.skipped += problem.captions
        self._summary.input_kinds[problem.kind] += 1
        if len(self._summary.input_problems) < _LISTED:
            self._summary.input_problems.append(problem.error)
        self._advance(problem.captions)

    def _example(self, path: str) -> None:
        if path and self._summary.example is None:
            self._summary.example = self._out / path

    def _advance(self, pictures: int) -> None:
        if self._progress is not None and pictures:
            self._progress(pictures, self._total)
