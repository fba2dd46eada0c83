"""One run over a table. In: an opened table, templates, settings. Out: pictures and manifest.

The table is read once, a row at a time; what is unchanged is taken off, the rest is cut into shards
and made by whatever spreads them; what comes back fills the plan of the manifest.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.captions import CaptionProblem, CaptionRow, CaptionsTable
from memeloc.engine import ShardMap, ShardResult, prepare
from memeloc.errors import InputError
from memeloc.fonts import FontLibrary
from memeloc.locales import Registry
from memeloc.model import SEPARATOR, Caption, Template
from memeloc.render.encode import Settings
from memeloc.render.manifest import MANIFEST, PARTS, STATE, Earlier, Known
from memeloc.render.merging import NewManifest, Plan
from memeloc.render.out_folder import PAGE, SkippedFile, remove_temporaries
from memeloc.render.renderer import Renderer
from memeloc.render.shards import (
    Item,
    Made,
    PictureFiles,
    Shard,
    ShardMeme,
    begin_process,
    make_shard,
)
from memeloc.render.summary import Summary

if TYPE_CHECKING:
    import pyarrow as pa

    from memeloc.render.page import Page

PRELOADED = ("memeloc.render.shards",)
"""What the processes of a run need."""

_SHARD = 64
"""Pictures of a shard at first; as many more after each `_SHARD` shards, up to `_LARGEST`."""
_LARGEST = 1024
_KEPT = 1000
"""Problems of the table, and failures, that a summary holds; all of the former are in SKIPPED."""

_LAST = 16
"""Pictures of the last shards when there are several jobs, which then end at nearly one time."""

_Share = tuple[tuple[ShardMeme, ...], "array[int]", int]
"""What makes a shard: memes, the slots of their pictures in the plan, and the lane."""

Progress = Callable[[int, int | None], None]
"""Is told how many more pictures are settled, and how many there are in all."""


class _Lane:
    """What is gathered for the next shards of some templates.

    Args:
        index: the lane's number.
        last: pictures of the last shard, at least; 0 for one shard of all that is left.

    Attributes:
        given: captions it was ever given.
    """

    def __init__(self, index: int, last: int) -> None:
        self.index = index
        self.given = 0
        self._last = last
        self._memes: list[ShardMeme] = []
        self._slots: list[array[int]] = []  # of each meme
        self._count = 0

    def add(
        self,
        row: CaptionRow,
        items: Sequence[tuple[int, Item]],
        together: tuple[tuple[str, tuple[str, ...]], ...],
    ) -> None:
        """Add captions of a meme, with their slots in the plan."""
        self._slots.append(array("q", (slot for slot, _ in items)))
        self._count += len(items)
        self.given += len(items)
        made = tuple(item for _, item in items)
        self._memes.append(ShardMeme(row.meme_id, row.template, made, together))

    def full(self, size: int, kept: int) -> Iterator[_Share]:
        """A shard of `size` pictures, once there are `kept` more, which may be the last ones."""
        if self._count >= size + kept:
            yield self._take(size)

    def rest(self) -> Iterator[_Share]:
        """All that is left, in smaller and smaller shards if there are last ones."""
        while self._memes:
            yield self._take(max(self._last, self._count // 4) if self._last else self._count)

    def _take(self, size: int) -> _Share:
        slots, memes = array("q"), 0
        while len(slots) < size and memes < len(self._memes):
            slots.extend(self._slots[memes])
            memes += 1
        taken = tuple(self._memes[:memes])
        del self._memes[:memes], self._slots[:memes]
        self._count -= len(slots)
        return taken, slots, self.index


def _lane(shard: Shard) -> int:
    return shard.lane


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
        self._fonts = tuple(os.fspath(font) for font in fonts)
        self._summary = summary
        self._skipped = skipped
        self._out = summary.out
        self._running = self._out / STATE / "running"
        self._cut_off = self._running.exists()
        if self._cut_off:
            remove_temporaries(self._out)
        self._earlier = Earlier(self._out)
        self._force = force
        self._renderer = Renderer(FontLibrary(self._fonts), max_side=settings.max_side)
        self._locales = {column.name: column.locale for column in (*table.languages, table.source)}
        self._plan = Plan(source_apart=table.source not in table.languages)
        self._manifest = NewManifest(self._plan, self._earlier, self._out, self._show)
        self._registry = registry
        self._made_page: Page | None = None
        self._slots: dict[str, array[int]] = {}
        self._starts: dict[tuple[str, str], hashlib._Hash | InputError] = {}
        self._jobs = 1
        self._prefix = os.path.join(os.fspath(self._out), "")  # noqa: PTH118 - for speed
        self._progress: Progress | None = None
        self._total: int | None = None

    def on_progress(self, progress: Progress | None) -> None:
        """Tell how far it is; the captions are counted first."""
        if progress is not None:
            self._progress, self._total = progress, self._table.count()
            progress(0, self._total)

    def render(self, jobs: int, shard_map: ShardMap) -> None:
        """Make all pictures that are not there yet."""
        self._jobs = jobs
        shards = self._shards()
        first = list(islice(shards, 2))
        if not first:
            return
        if jobs > 1 and len(first) > 1:
            prepare(PRELOADED)
        (self._out / PARTS).mkdir(exist_ok=True)
        self._running.touch()
        arguments = (self._out, self._settings, self._templates, self._locales)
        if jobs == 1 or len(first) == 1:
            files = PictureFiles(self._renderer, *arguments)
            shard_map(files.run, chain(first, shards), jobs=1, on_done=self._done)
        else:
            shard_map(
                make_shard,
                chain(first, shards),
                jobs=jobs,
                on_done=self._done,
                initializer=begin_process,
                initargs=(self._fonts, *arguments),
                lane=_lane,
            )

    def finish(self) -> None:
        """Write manifest and page, unless they say already what they would say."""
        self._skipped.keep()
        there = (self._out / MANIFEST).exists() and (self._out / PAGE).exists()
        if there and not self._cut_off and self._plan.is_what_was(self._earlier):
            return
        self._running.touch()
        self._manifest.finish()
        self._page().write()
        for path in (self._out / PARTS).glob("*"):
            path.unlink()
        self._running.unlink()

    def close(self) -> None:
        """Leave no part of manifest and page behind when `finish` was not reached."""
        self._manifest.drop()

    def _page(self) -> Page:
        """The page to come; it is imported while processes are at work, before the run's end."""
        if self._made_page is None:
            from memeloc.render.page import Page

            self._made_page = Page(self._out, self._registry)
        return self._made_page

    def _show(self, rows: pa.Table) -> None:
        """Show rows of the manifest on the page."""
        self._page().add(rows)

    def _shards(self) -> Iterator[Shard]:
        """Read the table, take what is unchanged off it, and cut the rest into shards.

        The templates are shared out among the lanes, so that a process opens, and has in its
        caches, the pictures of its own templates, and a meme stays whole. Sharing out the languages
        costs more: a process would make fewer glyph masks, but they are few beside the pixels.
        """
        last = _LAST if self._jobs > 1 else 0
        lanes = [_Lane(index, last) for index in range(self._jobs)]
        for number, share in enumerate(self._shares(lanes)):
            memes, slots, lane = share
            part = f"{self._earlier.run:06d}-{number:08d}.parquet"
            self._slots[part] = slots
            yield Shard(part, memes, lane)

    def _shares(self, lanes: Sequence[_Lane]) -> Iterator[_Share]:
        count = 0
        lane_of: dict[str, _Lane] = {}
        for row in self._table.rows(self._note):
            items = self._items(row)
            if not items:
                continue
            together: tuple[tuple[str, tuple[str, ...]], ...] = ()
            if self._settings.parity:
                together = tuple((name, caption.parts) for name, caption in row.captions.items())
            lane = lane_of.get(row.template)
            if lane is None:
                lane = lane_of[row.template] = min(lanes, key=lambda lane: lane.given)
            lane.add(row, items, together)
            size = min(_SHARD * (1 + count // _SHARD), _LARGEST)
            # Processes wait for their first shards, so that these are not put off.
            for share in lane.full(size, size if self._jobs > 1 and count >= len(lanes) else 0):
                count += 1
                yield share
        for shares in zip_longest(*(lane.rest() for lane in lanes)):
            yield from filter(None, shares)

    def _items(self, row: CaptionRow) -> list[tuple[int, Item]]:
        """The captions of a row that need work, with their slots in the plan.

        The others get their places in it at once.
        """
        plan, settings = self._plan, self._settings
        items: list[tuple[int, Item]] = []
        unchanged = 0
        source = None
        together = self._together(row) if settings.parity else b""
        for language, caption in row.captions.items():
            inputs = self._inputs(row, language, caption, together)
            if inputs is None:
                continue
            path = f"{language}/{row.template}/{row.meme_id}.{settings.format}"
            old = self._known(path)
            if old is not None and old.inputs_sha256 == inputs and self._is_there(path, old):
                slot = plan.add(old.place)
                unchanged += 1
                self._summary.problems.update(old.problems)
                self._summary.flawed += bool(old.problems)
                self._example(path)
            else:
                slot = plan.add(None)
                items.append((slot, Item(language, caption.parts, inputs, True)))
            if language == self._table.source.name:
                source = slot
        if plan.source_apart and row.source is not None:
            source = self._source(row, row.source, items)
        plan.end_meme(source)
        if unchanged:
            self._summary.unchanged += unchanged
            self._advance(unchanged)
        return items

    def _source(
        self, row: CaptionRow, caption: Caption, items: list[tuple[int, Item]]
    ) -> int | None:
        """The slot of a source caption that gets no picture."""
        language = self._table.source.name
        inputs = self._inputs(row, language, caption, b"")
        if inputs is None:
            return None
        old = self._known(f"{language}/{row.template}/{row.meme_id}")
        if old is not None and old.inputs_sha256 == inputs:
            return self._plan.add(old.place)
        slot = self._plan.add(None)
        items.append((slot, Item(language, caption.parts, inputs, False)))
        return slot

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
                fingerprint = self._renderer.fingerprint(
                    self._templates[template], self._locales[language]
                )
            except InputError as error:
                start = error
            else:
                start = hashlib.sha256(f"{fingerprint}\0{self._settings}\0".encode())
            self._starts[template, language] = start
        return start

    def _known(self, path: str) -> Known | None:
        return None if self._force else self._earlier.find(path)

    def _is_there(self, path: str, old: Known) -> bool:
        """Whether a picture's file is the one that was recorded.

        Its size tells; but after a run that was cut off a file may be newer than its record, and
        of the same size by chance, so that its bytes are looked at.
        """
        whole = self._prefix + path
        try:
            if not self._cut_off:
                return os.stat(whole).st_size == old.bytes  # noqa: PTH116 - for speed
            with open(whole, "rb") as file:  # noqa: PTH123 - likewise
                return hashlib.file_digest(file, "sha256").hexdigest() == old.sha256
        except OSError:
            return False

    def _done(self, result: ShardResult[Shard, Made]) -> None:
        """Put the rows of a shard that has ended into the plan."""
        slots = self._slots.pop(result.shard.part)
        painted = sum(item.painted for meme in result.shard.memes for item in meme.items)
        made = result.value
        if made is None:
            for slot in slots:
                self._plan.set(slot, None)
            first = result.shard.memes[0].meme_id
            self._fail(
                painted, f"{painted} pictures from {first!r} on: {result.failure}", done=False
            )
        else:
            file = len(self._earlier.files)
            self._earlier.files.append(self._out / PARTS / result.shard.part)
            row = 0
            for number, slot in enumerate(slots):
                if number in made.failed:
                    self._plan.set(slot, None)
                else:
                    self._plan.set(slot, file << 32 | row)
                    row += 1
            self._summary.rendered += made.rendered
            self._summary.problems.update(made.problems)
            self._summary.flawed += made.flawed
            if made.failed or self._summary.example is None:
                self._look_at(result.shard, made)
        self._advance(painted)
        self._page()
        self._manifest.go_on()

    def _look_at(self, shard: Shard, made: Made) -> None:
        """Note what failed in a shard, and a picture that did not."""
        number = 0
        for meme in shard.memes:
            for item in meme.items:
                path = f"{item.language}/{meme.template}/{meme.meme_id}"
                reason = made.failed.get(number)
                number += 1
                if reason is not None:
                    self._fail(int(item.painted), f"{path}: {reason}", done=False)
                elif item.painted:
                    self._example(f"{path}.{self._settings.format}")

    def _fail(self, pictures: int, reason: str, *, done: bool = True) -> None:
        self._summary.failed += pictures
        if len(self._summary.failures) < _KEPT:
            self._summary.failures.append(reason)
        if done:
            self._advance(pictures)

    def _note(self, problem: CaptionProblem) -> None:
        """Keep a problem of the table."""
        self._skipped.add(problem)
        self._summary.skipped += problem.captions
        self._summary.input_kinds[problem.kind] += 1
        if len(self._summary.input_problems) < _KEPT:
            self._summary.input_problems.append(problem.error)
        self._advance(problem.captions)

    def _example(self, path: str) -> None:
        if self._summary.example is None:
            self._summary.example = self._out / path

    def _advance(self, pictures: int) -> None:
        if self._progress is not None and pictures:
            self._progress(pictures, self._total)
