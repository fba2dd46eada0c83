"""Captions in and out. In: a captions table. Out: what was imported, tables, counts by stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.store.caption_import import Columns
from memeloc.store.files import sha256_of
from memeloc.store.records import FileRecord, LanguageStatus
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.captions import CaptionProblem

_EXAMPLES = 100
"""Problems of a table that a result holds one by one."""
_STAGES = ("imported", "collected", "read", "shipped", "translated", "corrected", "settled")


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import of a captions table did.

    Attributes:
        memes: new ones.
        added: captions of new memes or languages, by language.
        changed: captions that differ from what was imported before, by language.
        unchanged: captions that were there already.
        empty: empty cells of languages other than the source, by column: still to translate.
        problems: other problems of the table, by kind.
        left_out: the first hundred of them, as sentences with file, row and column.
        notes: columns and templates that were left out.
    """

    memes: int
    added: Mapping[str, int]
    changed: Mapping[str, int]
    unchanged: int
    empty: Mapping[str, int]
    problems: Mapping[str, int]
    left_out: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A table of the workspace as a file."""

    table: str
    rows: int
    file: Path


@dataclass(frozen=True, slots=True)
class Status:
    """How far a workspace is.

    Attributes:
        collected: items by kind.
        memes: how many there are.
        languages: of the captions, the source first.
        survey_texts: the same of the texts of surveys, where there are any.
        next: the commands that come next, the most urgent first.
    """

    collected: Mapping[str, int]
    memes: int
    languages: Sequence[LanguageStatus]
    survey_texts: Sequence[LanguageStatus]
    next: Sequence[str]


class Captions:
    """Captions in and out, and how far each language is."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace

    def import_table(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportResult:
        """Import a captions table, see `memeloc.captions`; the same table again adds nothing.

        A source caption that differs becomes a new version; a cell of another language becomes the
        caption (stage `imported`) unless it is what was imported last or what stands there now. So
        importing an old table again undoes no correction.

        Args:
            path: CSV, JSON Lines or Parquet.
            languages: tags of the columns to import besides the source; None is all.
            templates: folders of templates besides the workspace's.
            strict: store nothing when anything is wrong in the table.
            on_progress: gets how many more rows are stored, and how many there are.

        Raises:
            InputError: it is not a captions table, or has nothing to import.
        """
        from memeloc.captions import read_captions
        from memeloc.templates import load_templates

        workspace, path = self._workspace, Path(path)
        known, wrong = workspace.templates, workspace.template_problems
        if templates:
            known, wrong = load_templates((*workspace.folders("templates"), *templates))
        source = workspace.source.tag
        if languages is not None:
            languages = [source, *languages]
        table = read_captions(path, known, languages, source=source, locales=workspace.locales)
        if strict:
            table.check()
        empty: Counter[str] = Counter()
        problems: Counter[str] = Counter()
        left_out: list[str] = []

        def note(problem: CaptionProblem) -> None:
            column = problem.error.column
            if problem.kind == "empty caption" and column and column != table.source.name:
                empty[column] += 1
                return
            problems[problem.kind] += 1
            if len(left_out) < _EXAMPLES:
                left_out.append(str(problem.error))

        columns = Columns({column.name: column.locale.tag for column in table.languages}, source)
        rows = table.count() // len(table.languages)
        summary = workspace.store.captions.import_rows(
            table.rows(note),
            columns,
            FileRecord("captions", path.name, sha256_of(path), rows),
            lambda more: on_progress(more, rows) if on_progress else None,
        )
        return ImportResult(
            memes=summary.memes,
            added=dict(summary.added),
            changed=dict(summary.changed),
            unchanged=summary.unchanged,
            empty=dict(empty),
            problems=dict(problems),
            left_out=tuple(left_out),
            notes=tuple(map(str, (*wrong, *table.ignored))),
        )

    def table(self, name: str = "captions") -> pd.DataFrame:
        """A table of the workspace as a frame.

        Args:
            name: captions (a row a meme, a column a language), history (a row for every version),
                memes, corrections, cases, memory, sheets or files.

        Raises:
            InputError: there is no such table.
        """
        return self._workspace.store.exports.frame(name, self._tags())

    def export(self, name: str, to: str | Path) -> ExportResult:
        """Write a table (see `table`) to a .csv, .jsonl or .parquet file.

        Raises:
            InputError: there is no such table, or the file cannot be written.
        """
        rows = self._workspace.store.exports.write(name, Path(to), self._tags())
        return ExportResult(name, rows, Path(to))

    def status(self) -> Status:
        """How far each language is, and what to do next."""
        store, settings = self._workspace.store, self._workspace.settings
        tags = [locale.tag for locale in self._workspace.languages]
        memes = store.captions.count()
        languages = store.captions.status(tags)
        collected: Counter[str] = Counter()
        for (_, kind), count in store.items.count().items():
            collected[kind] += count
        steps = next_steps(languages, memes, settings.correction.rounds)
        if collected and store.curation.selection() is None:
            steps = ["memeloc dedup, memeloc filter, memeloc select", *(steps if memes else [])]
        texts = [row for row in store.captions.status(tags, "survey") if row.stages]
        return Status(dict(collected), memes, languages, texts, steps)

    def _tags(self) -> list[str]:
        return [locale.tag for locale in (self._workspace.source, *self._workspace.languages)]


def stages_of(languages: Sequence[LanguageStatus]) -> list[str]:
    """The stages that texts of these languages are in, in the order of the work."""

    def order(stage: str) -> tuple[int, int]:
        name, _, round_ = stage.partition(" ")
        return (int(round_ or 0), _STAGES.index(name))

    return sorted({stage for language in languages for stage in language.stages}, key=order)


def next_steps(languages: Sequence[LanguageStatus], memes: int, rounds: int) -> list[str]:
    """What to do next, the most urgent first; the last step is to render.

    Args:
        languages: how far each is.
        memes: how many there are.
        rounds: of correction, from the settings.
    """
    if not memes:
        return ["memeloc import TABLE"]
    targets = [language for language in languages if not language.source]
    if not targets:
        return ["name the languages to translate into in memeloc.toml"]
    steps = []
    if new := [target.language for target in targets if target.missing or target.changed_source]:
        steps.append(f"memeloc translate --langs {','.join(new)}")
    for round_ in range(1, rounds + 1):
        before = (f"corrected {round_ - 1}", f"settled {round_ - 1}")
        ready = ("translated",) if round_ == 1 else before
        steps += [
            f"memeloc correct export --lang {target.language} --round {round_} --to NAME"
            for target in targets
            if any(target.stages.get(stage) for stage in ready)
        ]
    steps += [
        f"memeloc correct settle --lang {target.language}" for target in targets if target.to_settle
    ]
    return steps or ["memeloc render --langs all"]
