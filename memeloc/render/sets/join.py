"""What is wanted against what is there. In: a captions table, a set's rows. Out: shards of work.

A caption whose hash, path and file are those of a row stays as it is; all others are cut into
shards, in the table's order. How they are cut depends on the table alone, so that the same table
gives the same files whatever makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memeloc.captions import CaptionRow, CaptionsTable
from memeloc.counts import counted
from memeloc.engine import ShardResult
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption, Template
from memeloc.render.sets.inputs import PictureInputs
from memeloc.render.sets.manifest import name_of, table_key
from memeloc.render.sets.out_folder import KeptPictures, RunningMark
from memeloc.render.sets.rows import APART, IN_TABLE, LOST, UNSEEN, ExistingPicture, Rows
from memeloc.render.sets.shards import Item, Made, PictureMaker, Shard, ShardMeme
from memeloc.render.sets.summary import Summary
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


@dataclass(slots=True)
class Join:
    """The join of a captions table and the rows of a set.

    Attributes:
        run: number of the run.
        number: of the next file of the run.
        taken_over: how many pictures of a set made before were taken over.
    """

    table: CaptionsTable
    settings: RenderSettings
    templates: Mapping[str, Template]
    maker: PictureMaker
    inputs: PictureInputs
    rows: Rows
    kept: KeptPictures
    running: RunningMark
    summary: Summary
    run: int
    number: int = 0
    taken_over: int = 0

    def begin(self) -> None:
        """Note that the run writes from now on."""
        self.running.begin(self.run)

    def new_name(self) -> str:
        """Return a name that no file of the set ever had."""
        self.number += 1
        return name_of(self.run, self.number - 1)

    def shards(self, size: int) -> Iterator[Shard]:
        """Read the table, and yield what of it needs work, so many pictures at a time."""
        memes: list[ShardMeme] = []
        pictures = 0
        for row in self.table.rows(self.summary.add_problem):
            meme = self._meme(row)
            if meme.items:
                memes.append(meme)
                pictures += len(meme.items)
            if pictures >= size:
                yield Shard(self.new_name(), memes)
                memes, pictures = [], 0
        if memes:
            yield Shard(self.new_name(), memes)

    def _meme(self, row: CaptionRow) -> ShardMeme:
        """Mark the rows of a meme, and return those of its captions that need work."""
        self.rows.add_meme(row.meme_id)
        existing = self.rows.of_meme(row.meme_id)
        compared = self.inputs.compared(row)
        items: list[Item] = []
        for language in self.table.table.columns:
            picture = existing.get(language)
            if language in row.captions:
                items += self._wanted(row, language, picture, compared)
            elif language in row.others and picture is not None:
                is_there = self._has(picture)
                self.summary.other_languages += is_there
                self.rows.mark(IN_TABLE if is_there else LOST, picture)
        source = (self.table.source.name, row.source.parts) if row.source else None
        captions = row.captions.items() if self.settings.parity and items else ()
        together = [(language, caption.parts) for language, caption in captions]
        return ShardMeme(row.meme_id, row.template, items, source, together)

    def _wanted(
        self, row: CaptionRow, language: str, picture: ExistingPicture | None, compared: bytes
    ) -> Iterator[Item]:
        """Yield a caption that was asked for if it needs work."""
        caption = row.captions[language]
        path = f"{language}/{row.template}/{row.meme_id}.{self.settings.format}"
        if picture is not None:
            self.rows.mark(IN_TABLE, picture)
        try:
            inputs = self.inputs.of_caption(row.template, language, caption, compared)
        except InputError as error:
            self.summary.fail(1, f"{language}/{row.template}/{row.meme_id}: {error}")
            self.summary.advance(1)
            return
        if picture is not None and self._stays(picture, row, caption, path, inputs):
            self.summary.unchanged += 1
            self.summary.add_pictures(
                path, [picture.problems.split("\n") if picture.problems else []]
            )
            self.summary.advance(1)
            return
        if not self.rows.is_empty and not self.running.is_cut_off:
            self._set_aside(path, picture.bytes if picture and picture.path == path else None)
        yield Item(language, caption.parts, inputs)

    def _stays(
        self, picture: ExistingPicture, row: CaptionRow, caption: Caption, path: str, inputs: str
    ) -> bool:
        """Return whether a picture is the one that would be made."""
        if self.settings.force or picture.path != path or not self._has(picture):
            return False
        if picture.inputs or picture.facts is None:
            return picture.inputs == inputs
        # Another version made it, of which nobody knows what made its hash.
        *facts, width, height = json.loads(picture.facts)
        template, locale = self.templates[row.template], self.maker.languages[picture.language]
        size = self.maker.renderer.picture_size(template, locale)
        is_as_high = any(box.bar for box in template.boxes) or height == size[1]
        if facts != [SEPARATOR.join(caption.parts), row.template, locale.tag]:
            return False
        if width != size[0] or not is_as_high:
            return False
        self.rows.take_over(picture, inputs)
        self.taken_over += 1
        return True

    def _has(self, picture: ExistingPicture) -> bool:
        return self.kept.has(picture, self.rows.tables[picture.table])

    def _set_aside(self, path: str, size: int | None) -> None:
        """Keep somebody's own file under another name where a picture is to be made."""
        if aside := self.kept.set_aside(path, size):
            made = "was changed after memeloc made it" if size else "is no picture of this set"
            message = f"{made}; it is {aside.name} now, and the picture stands in its place."
            self.summary.note(message, self.summary.out.address(path))

    def done(self, result: ShardResult[Shard, Made]) -> None:
        """Note the rows of a shard that has ended."""
        self.begin()
        shard, made = result.shard, result.value
        pictures = [(meme.meme_id, item.language) for meme in shard.memes for item in meme.items]
        if made is None:
            reason = f"{counted(len(pictures), 'picture')} from {pictures[0][0]!r} on"
            self.summary.fail(len(pictures), f"{reason}: {result.failure}")
            self._lose_what_is_gone(pictures)
        elif made.rows:
            for meme, language, _, _, inputs, *_ in made.rows:
                old = self.rows.of_meme(meme).get(language)
                self.summary.replaced += old is not None and old.inputs != inputs
            self.rows.replace(table_key(shard.name), made.rows)
            self.summary.rendered += len(made.rows)
            self.summary.add_pictures(made.rows[0][2], made.problems)
        for meme, language, reason in made.failed if made else ():
            self.summary.fail(1, reason)
            self._lose_what_is_gone([(meme, language)])
        self.summary.advance(len(pictures))

    def _lose_what_is_gone(self, keys: Iterable[tuple[str, str]]) -> None:
        """Keep the earlier pictures of what could not be made, while their files are there."""
        for meme, language in keys:
            picture = self.rows.of_meme(meme).get(language)
            if picture is not None and not self._has(picture):
                self.rows.mark(LOST, picture)

    def settle_the_others(self) -> None:
        """Keep or prune what the table has no caption for, and remove what was replaced."""
        for picture in self.rows.pictures(UNSEEN):
            is_there = self._has(picture)
            if is_there and not self.settings.prune:
                self.rows.mark(APART, picture)
                self.summary.not_in_table += 1
                continue
            if is_there:
                self.begin()
            self.rows.mark(LOST, picture)
            if is_there and self.kept.remove(picture):
                self.summary.pruned += 1
            elif file := self.kept.changed(picture):
                message = "was changed after memeloc made it; it stays, but not in the set."
                self.summary.note(message, file)
        for picture, path in self.rows.replaced():
            self.begin()
            self.kept.remove_replaced(picture, path)
