"""What a run did. In: its counts as they come. Out: the summary that people and programs read."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from memeloc.captions import CaptionProblem
from memeloc.errors import InputError
from memeloc.model import Acceptance
from memeloc.object_storage import Folder
from memeloc.render.sets.manifest import MANIFEST, SHARDS
from memeloc.render.sets.out_folder import PAGE, SKIPPED, SKIPPED_HEADER

_LISTED = 1000
"""Problems of the table, and failures, that a summary holds; all of the former are in SKIPPED."""

Progress = Callable[[int, int | None], None]
"""Gets how many more pictures are settled, and how many there are in all."""


@dataclass(slots=True)
class Summary:
    """What a run did.

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
        kept = self._empty if problem.kind == "empty caption" else self.input_problems
        if len(kept) < _LISTED:
            kept.append(error)
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
