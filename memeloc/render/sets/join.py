"""What is wanted against what is there. In: a captions table, a set's rows. Out: shards of work.

A caption whose hash, path and file are those of a row stays as it is; all others are cut into
shards, in the table's order. How they are cut depends on the table alone, so that the same table
gives the same files whatever makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from memeloc.captions import CaptionRow, CaptionsTable
from memeloc.counts import counted
from memeloc.engine import ShardResult
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption, Template
from memeloc.render.sets.inputs import PictureInputs
from memeloc.render.sets.manifest import name_of, table_key
from memeloc.render.sets.out_folder import KeptPictures, RunningMark
from memeloc.render.sets.report import Report
from memeloc.render.sets.rows import APART, IN_TABLE, LOST, UNSEEN, ExistingPicture, Rows
from memeloc.render.sets.shards import Item, Made, PictureMaker, Shard, ShardMeme
from memeloc.render.settings import RenderSettings

_LEAST, _SHARDS, _MOST = 64, 64, 2048
"""A shard has a 64th of the table's captions, so that processes end at nearly the same time; not
fewer than 64, as each costs a table, and not more than 2048, some 200 MB, which a kill may cost."""


def shard_size(captions: int) -> int:
    """Return how many pictures a shard has, of a table with so many captions.

    >>> shard_size(100), shard_size(10_000), shard_size(10_000_000)
    (64, 156, 2048)
    """
    return min(max(captions // _SHARDS, _LEAST), _MOST)


class Join:
    """The join of a captions table and the rows of a set.

    Attributes:
        run: number of the run.
        rows: those of the set; each is marked with what becomes of it.
        taken_over: how many pictures of a set made before were taken over.
        number: of the next file of the run.
    """

    def __init__(
        self,
        table: CaptionsTable,
        settings: RenderSettings,
        templates: Mapping[str, Template],
        maker: PictureMaker,
        inputs: PictureInputs,
        rows: Rows,
        kept: KeptPictures,
        running: RunningMark,
        report: Report,
        run: int,
    ) -> None:
        self._table, self._settings, self._templates = table, settings, templates
        self._maker, self._inputs, self._kept = maker, inputs, kept
        self._running, self._report, self.rows, self.run = running, report, rows, run
        self.number = 0
        self.taken_over = 0
        names = {*(column.name for column in table.languages), *table.noted}
        self._languages = [name for name in table.table.columns if name in names]

    def shards(self, size: int) -> Iterator[Shard]:
        """Read the table, and yield what of it needs work, so many pictures at a time."""
        memes: list[ShardMeme] = []
        pictures = 0
        for row in self._table.rows(self._report.add_problem):
            meme = self._meme(row)
            if meme.items:
                memes.append(meme)
                pictures += len(meme.items)
            if pictures >= size:
                yield self._shard(memes)
                memes, pictures = [], 0
        if memes:
            yield self._shard(memes)

    def _shard(self, memes: list[ShardMeme]) -> Shard:
        self.number += 1
        return Shard(name_of(self.run, self.number - 1), memes)

    def _meme(self, row: CaptionRow) -> ShardMeme:
        """Mark the rows of a meme, and return those of its captions that need work."""
        self.rows.add_meme(row.meme_id)
        existing = self.rows.of_meme(row.meme_id)
        compared = self._inputs.compared(row)
        items: list[Item] = []
        for language in self._languages:
            picture = existing.get(language)
            if language in row.captions:
                items += self._wanted(row, language, picture, compared)
            elif language in row.others and picture is not None:
                is_there = self._has(picture)
                self._report.summary.other_languages += is_there
                self.rows.mark(IN_TABLE if is_there else LOST, [picture.id])
        source = (self._table.source.name, row.source.parts) if row.source else None
        captions = row.captions.items() if self._settings.parity and items else ()
        together = [(language, caption.parts) for language, caption in captions]
        return ShardMeme(row.meme_id, row.template, items, source, together)

    def _wanted(
        self, row: CaptionRow, language: str, picture: ExistingPicture | None, compared: bytes
    ) -> Iterator[Item]:
        """Yield a caption that was asked for if it needs work."""
        caption = row.captions[language]
        path = f"{language}/{row.template}/{row.meme_id}.{self._settings.format}"
        if picture is not None:
            self.rows.mark(IN_TABLE, [picture.id])
        try:
            inputs = self._inputs.of_caption(row.template, language, caption, compared)
        except InputError as error:
            self._report.fail(1, f"{language}/{row.template}/{row.meme_id}: {error}")
            self._report.advance(1)
            return
        if picture is not None and self._stays(picture, row, caption, path, inputs):
            summary = self._report.summary
            summary.unchanged += 1
            kinds = picture.problems.split("\n") if picture.problems else ()
            summary.problems.update(kinds)
            summary.flawed += bool(kinds)
            self._report.example(path)
            self._report.advance(1)
            return
        if not self.rows.is_empty and not self._running.is_cut_off:
            self._set_aside(path, picture.bytes if picture and picture.path == path else None)
        yield Item(language, caption.parts, inputs)

    def _stays(
        self, picture: ExistingPicture, row: CaptionRow, caption: Caption, path: str, inputs: str
    ) -> bool:
        """Return whether a picture is the one that would be made."""
        if self._settings.force or picture.path != path or not self._has(picture):
            return False
        if picture.facts is None or picture.inputs:
            return picture.inputs == inputs
        text, template, tag, width, height = json.loads(picture.facts)
        locale = self._maker.locale(picture.language)
        wanted = SEPARATOR.join(caption.parts), row.template, locale.tag
        size = self._maker.picture_size(row.template, locale)
        has_bars = any(box.bar for box in self._templates[row.template].boxes)
        if (text, template, tag) != wanted or (width, height)[: 2 - has_bars] != size[
            : 2 - has_bars
        ]:
            return False
        self.rows.take_over(picture.id, inputs)
        self.taken_over += 1
        return True

    def _has(self, picture: ExistingPicture) -> bool:
        return self._kept.has(picture, self.rows.tables[picture.table])

    def _set_aside(self, path: str, size: int | None) -> None:
        """Keep somebody's own file under another name where a picture is to be made."""
        if aside := self._kept.set_aside(path, size):
            made = "was changed after memeloc made it" if size else "is no picture of this set"
            message = f"{made}; it is {aside.name} now, and the picture stands in its place."
            file = self._report.summary.out.address(path)
            self._report.summary.notes.append(InputError(message, file=file))

    def done(self, result: ShardResult[Shard, Made]) -> None:
        """Note the rows of a shard that has ended."""
        if self._report.summary.out.path is None:
            self._running.check()
        shard, made, summary = result.shard, result.value, self._report.summary
        pictures = [(meme.meme_id, item) for meme in shard.memes for item in meme.items]
        if made is None:
            reason = f"{counted(len(pictures), 'picture')} from {pictures[0][0]!r} on"
            self._report.fail(len(pictures), f"{reason}: {result.failure}")
            self._lose_what_is_gone((meme, item.language) for meme, item in pictures)
        else:
            summary.replaced += sum(
                old.inputs != new[4]
                for new in made.rows
                for old in [self.rows.of_meme(new[0]).get(new[1])]
                if old is not None
            )
            if made.rows:
                self.rows.replace(table_key(shard.name), made.rows)
                self._report.example(made.rows[0][2])
            summary.rendered += len(made.rows)
            summary.problems.update(made.problems)
            summary.flawed += sum(bool(row[7]) for row in made.rows)
            for _, _, reason in made.failed:
                self._report.fail(1, reason)
            self._lose_what_is_gone((meme, language) for meme, language, _ in made.failed)
        self._report.advance(len(pictures))

    def _lose_what_is_gone(self, keys: Iterator[tuple[str, str]]) -> None:
        """Keep the earlier pictures of what could not be made, while their files are there."""
        for meme, language in keys:
            picture = self.rows.of_meme(meme).get(language)
            if picture is not None and not self._has(picture):
                self.rows.mark(LOST, [picture.id])

    def settle_the_others(self) -> None:
        """Keep or prune what the table has no caption for, and remove what was replaced."""
        summary = self._report.summary
        for picture in self.rows.pictures(UNSEEN):
            is_there = self._has(picture)
            if is_there and self._settings.prune:
                self._running.begin(self.run)
            if is_there and not self._settings.prune:
                self.rows.mark(APART, [picture.id])
                summary.not_in_table += 1
                continue
            self.rows.mark(LOST, [picture.id])
            if is_there and self._kept.remove(picture):
                summary.pruned += 1
            elif file := self._kept.changed(picture):
                message = "was changed after memeloc made it; it stays, but not in the set."
                summary.notes.append(InputError(message, file=file))
        for picture, path in self.rows.replaced():
            self._kept.remove_replaced(picture, path)
