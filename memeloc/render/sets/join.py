"""Joining wanted pictures and existing ones. In: a captions table, a set's rows. Out: shards of
work.

A caption whose hash, path and file are those of a row stays as it is; all others are cut into
shards, in the table's order. How they are cut depends on the table alone, so that the same table
gives the same files whatever makes them. In the end tables are written anew without what is lost.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.captions import CaptionProblem, CaptionRow, CaptionsTable
from memeloc.counts import counted
from memeloc.engine import ShardResult
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Acceptance, Template
from memeloc.object_storage import Folder
from memeloc.picture_writers import copy_without
from memeloc.render.sets.manifest import (
    FORMER,
    MANIFEST,
    SCHEMA,
    SHARDS,
    STATE,
    name_of,
    number_of,
    table_key,
    with_all_columns,
    write_table,
)
from memeloc.render.sets.out_folder import PAGE, SKIPPED, SKIPPED_HEADER, OutFolder
from memeloc.render.sets.rows import APART, IN_TABLE, LOST, READ, UNSEEN, ExistingPicture, Rows
from memeloc.render.sets.shards import Made, PictureMaker, Shard

_LISTED = 1000
"""Problems of the table, and failures, that a summary holds; all of the former are in SKIPPED."""

Progress = Callable[[int, int | None], None]
"""Gets how many more pictures are settled, and how many there are in all."""


@dataclass(slots=True)
class Summary:
    """Counts of what a run did.

    Attributes:
        out: the folder, on a disk or in object storage.
        languages: the table's columns that were rendered.
        layout: how its pictures are kept: "files", or the name of a kind of shards.
        rendered: pictures made.
        replaced: those of them that took the place of one with another text, template or settings.
        unchanged: pictures that were there already.
        skipped: captions left out because of what the table has there.
        failed: pictures that could not be made.
        other_languages: pictures of captions in languages that were not asked for, which stay.
        not_in_table: pictures of earlier runs that the table has no caption for; they stay, apart.
        pruned: such pictures that were removed.
        flawed: pictures that have a problem, of those that were asked for.
        problems: they by kind of problem, see `Proof.problems`; a picture may have several.
        input_kinds: problems of the table by kind.
        input_problems: the first thousand of them, empty captions behind all others.
        failures: why pictures failed, the first thousand.
        notes: what was left out without losing a picture: wrong templates, columns of no language,
            pictures of earlier runs that somebody has changed; and warnings of captions.
        seconds: wall time.
        example: one of the pictures, if there is any.
        acceptance: of a workspace's captions, which were taken and left out by their states.
        total: captions in all.
    """

    out: Folder
    languages: tuple[str, ...]
    layout: str = "files"
    rendered: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    other_languages: int = 0
    not_in_table: int = 0
    pruned: int = 0
    flawed: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    input_kinds: Counter[str] = field(default_factory=Counter)
    input_problems: list[InputError] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    notes: list[InputError] = field(default_factory=list)
    seconds: float = 0.0
    example: Path | str | None = None
    acceptance: Acceptance | None = None
    total: int = 0
    progress: Progress | None = field(default=None, repr=False)
    _empty: list[InputError] = field(default_factory=list, repr=False)
    _skipped: StringIO = field(default_factory=lambda: StringIO(newline=""), repr=False)

    @property
    def page(self) -> Path | str | None:
        """The page that shows the set; None of one in shards, which a browser cannot open."""
        return self.out.address(PAGE) if self.layout == "files" else None

    @property
    def shards(self) -> Path | str | None:
        """The folder of the shards, or None."""
        return None if self.layout == "files" else self.out.address(SHARDS)

    @property
    def manifest(self) -> Path | str:
        """The folder of the tables with a row for each picture."""
        return self.out.address(MANIFEST)

    @property
    def skipped_file(self) -> Path | str:
        """The table of what was left out; absent when nothing was."""
        return self.out.address(SKIPPED)

    def note(self, message: str, file: Path | str | None = None) -> None:
        """Keep a note, of a file if one is named."""
        self.notes.append(InputError(message, file=file))

    def advance(self, pictures: int) -> None:
        """Report so many more pictures as settled."""
        if self.progress is not None and pictures:
            self.progress(pictures, self.total)

    def add_pictures(self, path: str, problems: Sequence[str]) -> None:
        """Count pictures by their problems, a line each; name one of them, where it is a file."""
        self.flawed += sum(map(bool, problems))
        for kinds in problems:
            self.problems.update(kinds.splitlines())
        if self.example is None and self.layout == "files":
            self.example = self.out.address(path)

    def fail(self, pictures: int, reason: str) -> None:
        """Count pictures that could not be made."""
        self.failed += pictures
        if len(self.failures) < _LISTED:
            self.failures.append(reason)

    def add_problem(self, problem: CaptionProblem) -> None:
        """Count a problem of the table, and keep it."""
        error, rows = problem.error, csv.writer(self._skipped)
        if not self._skipped.tell():
            rows.writerow(SKIPPED_HEADER)
        rows.writerow((error.row, error.column, problem.kind, error.message))
        self.skipped += problem.captions
        self.input_kinds[problem.kind] += 1
        # Empty captions are mostly of languages that are still to come.
        problems = self._empty if problem.kind == "empty caption" else self.input_problems
        if len(problems) < _LISTED:
            problems.append(error)
        self.advance(problem.captions)

    def end(self, begin: Callable[[], None]) -> None:
        """List empty captions behind all others, and write SKIPPED after `begin` if it changes."""
        self.input_problems += self._empty[: _LISTED - len(self.input_problems)]
        content = self._skipped.getvalue().encode("utf-8", "backslashreplace")
        if content == (self.out.read(SKIPPED) if SKIPPED in self.out.names() else b""):
            return
        begin()
        if content:
            self.out.write(SKIPPED, content)
        else:
            self.out.remove(SKIPPED)


_LEAST, _SHARDS, _MOST = 64, 64, 2048
"""A shard has a 64th of the table's captions, so that processes end at nearly the same time; not
fewer than 64, as each costs a table, and not more than 2048, some 200 MB, which a kill may cost."""
_TABLE = 2048
"""Rows of a table, at most about twice as many."""
_SMALL_TABLES = 8
"""Tables with few rows that a set may have: each run that changes little leaves one more."""


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
        number: of the next file of the run.
        taken_over: how many pictures of a set made before were taken over.
    """

    table: CaptionsTable
    maker: PictureMaker
    rows: Rows
    folder: OutFolder
    summary: Summary
    number: int = 0
    taken_over: int = 0
    _hashes: dict[tuple[str, str], hashlib._Hash | InputError] = field(default_factory=dict)

    def new_name(self) -> str:
        """Return a name that no file of the set ever had."""
        self.number += 1
        return name_of(self.folder.run, self.number - 1)

    def templates(self) -> list[Template]:
        """Return the templates that captions asked for."""
        names = dict.fromkeys(template for template, _ in self._hashes)
        return [self.maker.templates[name] for name in names]

    def shards(self, size: int) -> Iterator[Shard]:
        """Read the table, and yield what of it needs work, so many pictures at a time."""
        memes: list[tuple[CaptionRow, Mapping[str, str]]] = []
        pictures = 0
        for row in self.table.rows(self.summary.add_problem):
            if inputs := dict(self._wanted(row)):
                memes.append((row, inputs))
                pictures += len(inputs)
            if pictures >= size:
                yield Shard(self.new_name(), memes)
                memes, pictures = [], 0
        if memes:
            yield Shard(self.new_name(), memes)

    def _wanted(self, row: CaptionRow) -> Iterator[tuple[str, str]]:
        """Mark the rows of a meme; yield what of it needs work: language, and what it hashes to."""
        self.rows.add_meme(row.meme_id)
        existing = self.rows.of_meme(row.meme_id)
        sized_by = self._sized_by(row)
        for language in self.table.table.columns:
            picture = existing.get(language)
            if language in row.captions:
                if inputs := self._inputs(row, language, picture, sized_by):
                    yield language, inputs
            elif language in row.others and picture is not None:
                is_there = self._has(picture)
                self.summary.other_languages += is_there
                self.rows.mark(IN_TABLE if is_there else LOST, picture)

    def _inputs(
        self, row: CaptionRow, language: str, picture: ExistingPicture | None, sized_by: bytes
    ) -> str:
        """Return the hash of all that makes a picture; empty where it is not to be made."""
        name = f"{language}/{row.template}/{row.meme_id}"
        path = f"{name}.{self.maker.settings.format}"
        if picture is not None:
            self.rows.mark(IN_TABLE, picture)
        hashed = self._hash(row.template, language)
        if isinstance(hashed, InputError):
            self.summary.fail(1, f"{name}: {hashed}")
            self.summary.advance(1)
            return ""
        digest = hashed.copy()
        digest.update(SEPARATOR.join(row.captions[language].parts).encode() + sized_by)
        inputs = digest.hexdigest()
        if picture is not None and self._stays(picture, row, path, inputs):
            self.summary.unchanged += 1
            self.summary.add_pictures(path, [picture.problems])
            self.summary.advance(1)
            return ""
        if not self.rows.is_empty and not self.folder.is_cut_off:
            # Somebody's own file is kept under another name where a picture is to be made.
            size = picture.bytes if picture and picture.path == path else None
            if aside := self.folder.set_aside(path, size):
                made = "was changed after memeloc made it" if size else "is no picture of this set"
                message = f"{made}; it is {aside.name} now, and the picture stands in its place."
                self.summary.note(message, self.summary.out.address(path))
        return inputs

    def _hash(self, template: str, language: str) -> hashlib._Hash | InputError:
        """Return SHA-256 of all that makes a picture but captions, or why nothing can be made."""
        hashed = self._hashes.get((template, language))
        if hashed is None:
            maker = self.maker
            used = (maker.templates[template], maker.languages[language])
            try:
                fingerprint = maker.renderer.fingerprint(*used)
                hashed = hashlib.sha256(f"{fingerprint}\0{maker.settings}\0".encode())
            except InputError as error:
                hashed = error
            self._hashes[template, language] = hashed
        return hashed

    def _sized_by(self, row: CaptionRow) -> bytes:
        """Return a hash of the source caption, and with parity of all captions of a meme."""
        digest = hashlib.sha256()
        captions = [(self.table.source.name, row.source)] if row.source else []
        if self.maker.settings.parity:
            captions += row.captions.items()
        for language, caption in captions:
            hashed = self._hash(row.template, language)
            if not isinstance(hashed, InputError):
                digest.update(hashed.digest())
                digest.update(SEPARATOR.join(caption.parts).encode() + b"\0")
        return b"\0" + digest.digest()

    def _stays(self, picture: ExistingPicture, row: CaptionRow, path: str, inputs: str) -> bool:
        if self.maker.settings.force or picture.path != path or not self._has(picture):
            return False
        if picture.inputs or picture.facts is None:
            return picture.inputs == inputs
        # Another version made it, of which nobody knows what made its hash.
        *facts, width, height = json.loads(picture.facts)
        template = self.maker.templates[row.template]
        locale = self.maker.languages[picture.language]
        size = self.maker.renderer.picture_size(template, locale)
        is_as_high = any(box.bar for box in template.boxes) or height == size[1]
        text = SEPARATOR.join(row.captions[picture.language].parts)
        if facts != [text, row.template, locale.tag] or width != size[0] or not is_as_high:
            return False
        self.rows.take_over(picture, inputs)
        self.taken_over += 1
        return True

    def _has(self, picture: ExistingPicture) -> bool:
        return self.folder.has(picture, self.rows.tables[picture.table])

    def done(self, result: ShardResult[Shard, Made]) -> None:
        """Note the rows of a shard that has ended."""
        self.folder.begin()
        shard, made = result.shard, result.value
        pictures = [(row.meme_id, language) for row, inputs in shard.memes for language in inputs]
        if made is None:
            lost = pictures
            reason = f"{counted(len(pictures), 'picture')} from {pictures[0][0]!r} on"
            self.summary.fail(len(pictures), f"{reason}: {result.failure}")
        else:
            lost = [(meme, language) for meme, language, _ in made.failed]
            for *_, reason in made.failed:
                self.summary.fail(1, reason)
            for meme, language, _, _, inputs, *_ in made.rows:
                old = self.rows.of_meme(meme).get(language)
                self.summary.replaced += old is not None and old.inputs != inputs
            self.summary.rendered += len(made.rows)
            problems = READ.index("problems")
            if made.rows:
                self.rows.replace(table_key(shard.name), made.rows)
                self.summary.add_pictures(made.rows[0][2], [row[problems] for row in made.rows])
        for meme, language in lost:  # what an earlier run made of it stays, if it is there
            picture = self.rows.of_meme(meme).get(language)
            if picture is not None and not self._has(picture):
                self.rows.mark(LOST, picture)
        self.summary.advance(len(pictures))

    def settle_the_others(self) -> None:
        """Keep or prune what the table has no caption for, and remove what was replaced."""
        for picture in self.rows.pictures(UNSEEN):
            is_there = self._has(picture)
            if is_there and not self.maker.settings.prune:
                self.rows.mark(APART, picture)
                self.summary.not_in_table += 1
                continue
            if is_there:
                self.folder.begin()
            self.rows.mark(LOST, picture)
            if is_there and self.folder.remove(picture):
                self.summary.pruned += 1
            elif picture.shard is None and self.folder.entry(picture.path) is not None:
                message = "was changed after memeloc made it; it stays, but not in the set."
                self.summary.note(message, self.summary.out.address(picture.path))
        for picture, path in self.rows.replaced():
            self.folder.begin()
            self.folder.remove_replaced(picture, path)


def rewrite(join: Join, size: int) -> None:
    """Write tables, and files of many pictures, anew without the rows that are lost.

    Also tables in which a row says something else now, and small ones, if there are many of them.
    Nothing that is there is changed: what stays is written under a new name, and then what was
    there before is removed. A kill between the two leaves rows twice, which the next run settles.

    Args:
        size: of the shards of this run; a table with less than a quarter of it is small.
    """
    place, rows = join.summary.out, join.rows
    rows.database.execute('CREATE INDEX IF NOT EXISTS by_table ON row ("table", number)')
    emptied = _copy_shards(join)
    counts = rows.database.execute(
        f'SELECT "table", sum(mark<{LOST}), '
        f"sum(mark={LOST} OR changed OR in_table<>(mark={IN_TABLE})) FROM row GROUP BY 1"
    )
    tables = dict.fromkeys(range(len(rows.tables)), (0, 0))
    tables |= {number: (staying, changed) for number, staying, changed in counts}
    old = {
        number
        for number, (staying, changed) in tables.items()
        if changed or not staying or rows.tables[number] == FORMER
    }
    small = {number for number, (staying, _) in tables.items() if 0 < staying < size // 4}
    if len(small) > _SMALL_TABLES:
        old |= small
    if old or emptied:
        join.folder.begin()
    held: list[pa.Table] = []
    ids: list[int] = []
    ended: list[str] = []
    in_order = sorted(old, key=lambda number: number_of(rows.tables[number]))
    for number in in_order:
        for table, staying in _staying(join, number):
            held.append(table)
            ids += staying
            if len(ids) >= _TABLE:
                _write(join, held, ids)
        ended.append(rows.tables[number])
        if not 0 < len(ids) < size // 4 or number == in_order[-1]:
            _write(join, held, ids)
            while ended:
                place.remove(ended.pop(0))
    for shard in emptied:
        place.remove(shard)
    if FORMER in rows.tables:  # what only a set made before has
        for entry in [*place.entries(f"{STATE}/parts"), place.entry(f"{STATE}/sources.parquet")]:
            if entry is not None:
                place.remove(entry.key)


def _write(join: Join, held: list[pa.Table], ids: list[int]) -> None:
    if not ids:
        return
    rows, key = join.rows, table_key(join.new_name())
    write_table(join.summary.out, key, pa.concat_tables(held).combine_chunks())
    places = ((len(rows.tables), at, id) for at, id in enumerate(ids))
    rows.database.executemany('UPDATE row SET "table"=?, number=? WHERE id=?', places)
    rows.tables.append(key)
    held.clear()
    ids.clear()


def _copy_shards(join: Join) -> list[str]:
    place, rows = join.summary.out, join.rows
    lost = f"SELECT DISTINCT shard FROM row WHERE mark={LOST} AND shard IS NOT NULL ORDER BY 1"
    emptied = []
    shards = rows.database.execute(lost).fetchall()
    if shards:
        rows.database.execute("CREATE INDEX IF NOT EXISTS by_shard ON row (shard)")
    for (shard,) in shards:
        # A run that was cut off may have left two rows of a picture.
        paths = "SELECT path FROM row WHERE shard=? AND mark"
        query = f"{paths}={LOST} EXCEPT {paths}<{LOST}"
        going = {path for (path,) in rows.database.execute(query, (shard, shard))}
        if not shard.startswith(f"{SHARDS}/") or not going or place.entry(shard) is None:
            continue
        emptied.append(shard)
        if rows.database.execute(f"{paths}<{LOST} LIMIT 1", (shard,)).fetchone():
            join.folder.begin()
            new = f"{SHARDS}/{join.new_name()}.{shard.rpartition('.')[2]}"
            copy_without(place, shard, new, going)
            rows.database.execute(
                f"UPDATE row SET shard=?, changed=1 WHERE shard=? AND mark<{LOST}", (new, shard)
            )
    return emptied


def _staying(join: Join, number: int) -> Iterator[tuple[pa.Table, list[int]]]:
    """Yield the rows of a table that stay, as they are now, and their ids."""
    rows = join.rows
    if not rows.count(f'"table"={number} AND mark<{LOST}'):
        return
    begin = 0
    with join.summary.out.open(rows.tables[number]) as source, pq.ParquetFile(source) as file:
        for batch in file.iter_batches(_TABLE, use_threads=False):
            end = begin + batch.num_rows
            staying = rows.database.execute(
                f"SELECT number, id, inputs, mark={IN_TABLE}, shard FROM row "
                f'WHERE "table"=? AND number>=? AND number<? AND mark<{LOST} ORDER BY number',
                (number, begin, end),
            ).fetchall()
            at = pa.array([each[0] - begin for each in staying], pa.int64())
            table = with_all_columns(pa.Table.from_batches([batch]).take(at))
            for place, name in enumerate(("inputs_sha256", "in_table", "shard"), 2):
                index = SCHEMA.get_field_index(name)
                values = pa.array([each[place] for each in staying]).cast(SCHEMA.field(index).type)
                table = table.set_column(index, SCHEMA.field(index), values)
            yield table, [each[1] for each in staying]
            begin = end
