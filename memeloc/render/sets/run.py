"""One run over a table. In: an opened table, templates, settings. Out: pictures and manifest.

The table is read once, a row at a time, and cut into slices of memes that follow each other. What
of a slice is unchanged is taken off, the rest is a shard, made by whatever spreads them. The
slices' rows become the manifest in the table's order, each as soon as those before it are complete.
Then follows what earlier runs made and the table has no caption for, unless it is to go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path

from memeloc.captions import CaptionProblem, CaptionRow, CaptionsTable
from memeloc.counts import counted
from memeloc.engine import ShardMap, ShardResult
from memeloc.engine.machines import alike, seeing
from memeloc.errors import InputError
from memeloc.locales import Registry
from memeloc.model import Caption, Template
from memeloc.render.encode import Settings
from memeloc.render.sets.earlier import Earlier, EarlierPicture, Key, Place
from memeloc.render.sets.inputs import PictureInputs
from memeloc.render.sets.manifest import MANIFEST, PARTS
from memeloc.render.sets.merging import MemeRows, NewManifest
from memeloc.render.sets.out_folder import PAGE, SkippedFile
from memeloc.render.sets.page import Page
from memeloc.render.sets.picture_shards import check_layout
from memeloc.render.sets.set_folder import RUNNING, SetFolder
from memeloc.render.sets.shards import Item, Made, PictureMaker, Shard, ShardMeme
from memeloc.render.sets.storage import Storage
from memeloc.render.sets.summary import Summary

_SLICE = 256
"""Pictures, made or unchanged, after which a slice ends in any case, unless a shard has more."""
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
        folder: SetFolder,
        storage: Storage,
        skipped: SkippedFile,
        force: bool,
        prune: bool,
    ) -> None:
        self._settings = settings
        self._summary = summary
        self._skipped = skipped
        self._empty: list[InputError] = []  # captions: mostly languages that are still to come
        self._folder = folder
        self._out = folder.path
        self._cut_off = (self._out / RUNNING).exists()
        self._earlier = Earlier(self._out)
        self._earlier.run = max(self._earlier.run, folder.last_run + 1)
        self._recorded = {  # files with rows that the run which was cut off wrote after all else
            number
            for number, file in enumerate(self._earlier.files)
            if folder.last_run and file.name.startswith(f"{folder.last_run:06d}-")
        }
        self._storage = storage
        check_layout(summary.layout, self._earlier.pictures, folder.place)
        if self._cut_off:
            storage.clean(self._earlier.pictures)
        self._force, self._prune = force, prune
        self._table = _noting(table, self._earlier)
        self._languages = _in_order(self._table)
        self._in_table = bytearray(len(self._earlier.pictures))  # 1 for each that the table has
        self._made: dict[Key, str] = {}  # paths of those that took the place of earlier ones
        self._locales = {column.name: column.locale for column in (*table.languages, table.source)}
        self._maker = PictureMaker(storage, settings, templates, self._locales, fonts)
        faces = {box.style.face for template in templates.values() for box in template.boxes}
        library = self._maker.renderer.fonts
        library.check(registry, self._locales.values(), faces)
        if "comic" in faces and (plain := library.without_handwriting(self._locales.values())):
            tags = ", ".join(plain)
            note = f"There is no handwriting for comic text in {tags}: it is set in the plain font."
            summary.notes.append(InputError(note))
        self._source_apart = table.source not in table.languages
        self._page = None if storage.suffix else Page(self._out, registry)
        self._manifest = NewManifest(
            self._earlier,
            self._out,
            source_apart=self._source_apart,
            on_rows=self._page.add if self._page else None,
        )
        self._slices: deque[tuple[str, list[MemeRows]]] = deque()
        self._awaited: dict[str, list[MemeRows]] = {}  # by the part that will have their rows
        self._inputs = PictureInputs(self._maker.renderer, settings, templates, self._locales)
        self._progress: Progress | None = None
        self._total: int | None = None

    def on_progress(self, progress: Progress | None) -> None:
        """Report how far it is; the captions are counted first."""
        if progress is not None:
            self._progress, self._total = progress, self._table.count()
            progress(0, self._total)

    def render(self, jobs: int, shard_map: ShardMap) -> None:
        """Make all pictures that are not there yet."""
        shards = self._shards(self._storage.pictures_at_once(self._table.count, jobs))
        first = list(islice(shards, 2))
        if not first:
            return
        (self._out / PARTS).mkdir(exist_ok=True)
        self._folder.begin(self._earlier.run)
        jobs = jobs if len(first) > 1 else 1
        make = alike(self._maker.run, self._maker.tools)
        make = self._folder.seen_by(seeing(make, self._inputs.images))
        shard_map(make, chain(first, shards), jobs=jobs, on_done=self._done)

    def finish(self) -> None:
        """Write manifest and page, unless they say already what they would say."""
        self._summary.notes += self._inputs.notes
        listed = self._summary.input_problems
        listed += self._empty[: _LISTED - len(listed)]
        self._skipped.keep()
        names = [MANIFEST, PAGE] if self._page else [MANIFEST]
        there = all((self._out / name).exists() for name in names)
        self._folder.begin(self._earlier.run)
        self._remove_replaced()
        self._storage.finish(self._earlier.run)
        if self._manifest.finish(anew=self._cut_off or not there):
            if self._page:
                self._page.write()
            self._folder.publish()
            self._folder.remove_parts()
        self._folder.end()

    def close(self) -> None:
        """Leave no part of the manifest behind when `finish` was not reached."""
        self._manifest.drop()

    def _shards(self, most: int) -> Iterator[Shard]:
        """Read the table, and yield what of it needs work, so many pictures at a time."""
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

        to_make = pictures = 0
        for row in self._table.rows(self._note):
            places, items = self._meme(row)
            memes.append(places)
            pictures += len(places.places)
            to_make += len(items)
            if items:
                captions = row.captions.items() if self._settings.parity else ()
                together = [(name, caption.parts) for name, caption in captions]
                work.append(ShardMeme(row.meme_id, row.template, items, together))
            if to_make >= most or pictures >= max(most, _SLICE):
                yield from end_slice()
                to_make = pictures = 0
        yield from end_slice()
        for meme in self._not_in_table():
            memes.append(meme)
            if len(memes) == _SLICE:
                yield from end_slice()
        yield from end_slice()

    def _write_slices(self) -> None:
        """Add to the manifest what has nothing before it that is awaited."""
        while self._slices and self._slices[0][0] not in self._awaited:
            self._manifest.add(self._slices.popleft()[1])

    def _meme(self, row: CaptionRow) -> tuple[MemeRows, list[Item]]:
        """Where the rows of a row's captions are, and those captions that need work."""
        meme = MemeRows([], compared=bool(row.captions))
        items: list[Item] = []
        together = self._inputs.together(row) if self._settings.parity else b""
        for language in self._languages:
            if language in row.captions:
                self._picture(row, language, together, meme, items)
            elif language in row.others:
                self._other_language(row, language, meme)
        if self._source_apart and row.source is not None and row.captions:
            language = self._table.source.name
            inputs = self._inputs_of(row, language, row.source, b"")
            if inputs is not None:
                meme.source = len(meme.places)
                old = self._unchanged(self._earlier.sources.get((row.meme_id, language)), inputs)
                meme.places.append(old.place if old else None)
                if old is None:
                    items.append(Item(language, row.source.parts, inputs, False))
        return meme, items

    def _picture(
        self, row: CaptionRow, language: str, together: bytes, meme: MemeRows, items: list[Item]
    ) -> None:
        """Add a picture that was asked for: where its row is, or what makes it."""
        key = row.meme_id, language
        earlier = self._earlier.pictures.get(key)
        if earlier is not None:
            self._in_table[earlier.number] = 1
        caption = row.captions[language]
        inputs = self._inputs_of(row, language, caption, together)
        if inputs is None:
            return
        if language == self._table.source.name:
            meme.source = len(meme.places)
        path = f"{language}/{row.template}/{row.meme_id}.{self._settings.format}"
        old = self._unchanged(earlier, inputs)
        if old is not None and old.path == path and self._is_there(old):
            meme.places.append(old.place)
            self._summary.unchanged += 1
            self._summary.problems.update(old.problems or ())
            self._summary.flawed += bool(old.problems)
            self._example("" if old.shard else path)
            self._advance(1)
            return
        if earlier is not None:
            meme.earlier[len(meme.places)] = earlier
        if self._earlier.pictures and not self._cut_off:
            self._set_aside(path, earlier.bytes if earlier and earlier.path == path else None)
        meme.places.append(None)
        items.append(Item(language, caption.parts, inputs, True))

    def _set_aside(self, path: str, size: int | None) -> None:
        """Keep somebody's own file under another name where a picture is to be made."""
        if aside := self._storage.set_aside(path, size):
            made = "was changed after memeloc made it" if size else "is no picture of this set"
            message = f"{made}; it is {aside.name} now, and the picture stands in its place."
            file = self._folder.place.address(path)
            self._summary.notes.append(InputError(message, file=file))

    def _other_language(self, row: CaptionRow, language: str, meme: MemeRows) -> None:
        """Keep what an earlier run made of a caption that this run was not asked for."""
        key = row.meme_id, language
        earlier = self._earlier.pictures.get(key)
        if earlier is not None:
            self._in_table[earlier.number] = 1
            if self._is_there(earlier):
                meme.places.append(earlier.place)
                self._summary.other_languages += 1

    def _not_in_table(self) -> Iterator[MemeRows]:
        """What earlier runs made and the table has no caption for, a meme at a time."""
        pictures = self._earlier.pictures
        for number, (meme_id, _) in enumerate(pictures):
            if self._in_table[number]:
                continue
            meme = MemeRows([], in_table=False, compared=False)
            for earlier in pictures.of_meme(meme_id).values():
                if not self._in_table[earlier.number]:
                    self._in_table[earlier.number] = 1
                    self._keep_or_prune(earlier, meme)
            if meme.places:
                yield meme

    def _keep_or_prune(self, earlier: EarlierPicture, meme: MemeRows) -> None:
        """Keep a picture that the table has no caption for, or remove it."""
        if self._prune and self._storage.remove(earlier):
            self._summary.pruned += 1
        elif not self._prune and self._is_there(earlier):
            meme.places.append(earlier.place)
            self._summary.not_in_table += 1
        elif file := self._storage.changed(earlier):
            message = "was changed after memeloc made it; it stays, but not in the set."
            self._summary.notes.append(InputError(message, file=file))

    def _remove_replaced(self) -> None:
        """Remove the files of earlier pictures that newer ones with other names stand for."""
        for key, earlier in self._earlier.replaced:
            path = self._made.get(key) or self._earlier.pictures[key].path or ""
            self._storage.remove_replaced(earlier, path)

    def _inputs_of(
        self, row: CaptionRow, language: str, caption: Caption, together: bytes
    ) -> str | None:
        """The hash of what makes a picture; None when its template cannot be used."""
        try:
            return self._inputs.of_caption(row.template, language, caption, together)
        except InputError as error:
            if language in row.captions:
                self._fail(1, f"{language}/{row.template}/{row.meme_id}: {error}")
            return None

    def _unchanged(self, earlier: EarlierPicture | None, inputs: str) -> EarlierPicture | None:
        """An earlier picture if it was made of the same."""
        if self._force or earlier is None or earlier.inputs_sha256 != inputs:
            return None
        return earlier

    def _is_there(self, earlier: EarlierPicture) -> bool:
        """Whether a picture is there as it was recorded."""
        thoroughly = self._cut_off and earlier.place[0] not in self._recorded
        return self._storage.has(earlier, thoroughly=thoroughly)

    def _done(self, result: ShardResult[Shard, Made]) -> None:
        """Note where the rows of a shard that has ended are, and write what is complete."""
        part = result.shard.part
        memes = self._awaited.pop(part)
        painted = sum(item.painted for meme in result.shard.memes for item in meme.items)
        made = result.value
        if made is None:
            first = result.shard.memes[0].meme_id
            self._fail(
                painted,
                f"{counted(painted, 'picture')} from {first!r} on: {result.failure}",
                done=False,
            )
        else:
            self._folder.fetch_part(part)
            file = len(self._earlier.files)
            self._earlier.files.append(self._out / PARTS / part)
            made_rows, numbers = count(), count()
            for work, meme in zip(
                result.shard.memes, (meme for meme in memes if None in meme.places), strict=True
            ):
                items = iter(work.items)
                for index, place in enumerate(meme.places):
                    if place is not None:
                        continue
                    item = next(items)
                    if next(numbers) not in made.failed:
                        meme.places[index] = file, next(made_rows)
                        self._note_replaced(work, item, meme.earlier.get(index))
                    elif index in meme.earlier:
                        meme.places[index] = self._kept(meme.earlier[index])
            self._summary.rendered += made.rendered
            self._summary.problems.update(made.problems)
            self._summary.flawed += made.flawed
            self._example(made.example)
            for reason, pictures in made.failed.values():
                self._fail(pictures, reason, done=False)
        self._advance(painted)
        self._write_slices()

    def _kept(self, earlier: EarlierPicture) -> Place | None:
        """Where the row of a picture is that could not be made anew, while its file is there."""
        return earlier.place if self._is_there(earlier) else None

    def _note_replaced(self, work: ShardMeme, item: Item, earlier: EarlierPicture | None) -> None:
        """Count a picture that took the place of an earlier one, whose file may have to go."""
        if earlier is not None and item.painted:
            path = f"{item.language}/{work.template}/{work.meme_id}.{self._settings.format}"
            if earlier.shard is not None or earlier.path != path:
                key = work.meme_id, item.language
                self._made[key] = path
                self._earlier.replaced.append((key, earlier))
            self._summary.replaced += item.inputs_sha256 != earlier.inputs_sha256

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
        is_empty = problem.kind == "empty caption"
        listed = self._empty if is_empty else self._summary.input_problems
        if len(listed) < _LISTED:
            listed.append(problem.error)
        self._advance(problem.captions)

    def _example(self, path: str) -> None:
        if path and self._summary.example is None:
            self._summary.example = self._folder.place.address(path)

    def _advance(self, pictures: int) -> None:
        if self._progress is not None and pictures:
            self._progress(pictures, self._total)


def _noting(table: CaptionsTable, earlier: Earlier) -> CaptionsTable:
    """The table, noting also captions in the languages of earlier pictures."""
    noted = [column.name for column in table.others if column.name in earlier.pictures.languages]
    return replace(table, noted=noted)


def _in_order(table: CaptionsTable) -> tuple[str, ...]:
    """The languages that rows have captions or notes of, in the table's order."""
    names = {*(column.name for column in table.languages), *table.noted}
    return tuple(name for name in table.table.columns if name in names)
