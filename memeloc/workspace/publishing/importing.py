"""Published datasets, taken in. In: a folder. Out: captions, collected memes, tables, and notes.

A release of memeloc's comes in whole: its captions as captions, its pictures with all that is known
of them as collected memes, and its tables and other files as they are in `releases/NAME`, where
`memeloc analyze` reads answers and labels. A folder that others made gives collected memes.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memeloc.collect.datasets.layouts import ANY, layout_of
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.reading import PublishedRelease, is_release, open_release
from memeloc.store.records import ImportRecord
from memeloc.tables import write_table
from memeloc.workspace.captions import Captions
from memeloc.workspace.collecting import Collecting, CollectResult
from memeloc.workspace.folder import RELEASES, Phases, WorkspaceFolder, silent


@dataclass(frozen=True, slots=True)
class FolderImport:
    """What came of a published folder.

    Attributes:
        layout: of a release of memeloc's; empty of a folder that others made.
        memes: how many have captions.
        captions: by language those that are new or changed.
        collected: the finished memes, and what was not taken.
        tables: names of the tables that came along.
        kept: where these are, and further files; None where there are none.
        notes: what to know, as sentences.
    """

    folder: Path
    layout: str
    memes: int
    captions: Mapping[str, int]
    collected: CollectResult
    tables: Sequence[str] = ()
    kept: Path | None = None
    notes: list[str] = field(default_factory=list)


def import_folder(
    workspace: WorkspaceFolder,
    folder: str | Path,
    *,
    options: Mapping[str, Any] | None = None,
    on_progress: Phases = silent,
) -> FolderImport:
    """Take in a published dataset; the same folder again changes nothing.

    Args:
        folder: of a release; or with pictures and tables as on the Hugging Face Hub, or in
            WebDataset shards.
        options: of the sources `table` and `huggingface`, where others made the folder, such as
            `language`.

    Raises:
        InputError: nothing in it can be read, a file of a release is missing or changed, or the
            release has no captions in the workspace's source language.
    """
    folder = Path(folder)
    if not is_release(folder):
        collecting = Collecting(workspace)
        source = _source_of(collecting, folder)
        values = {"path": folder, **(options or {})}
        collected = collecting.collect(source, values, on_progress=on_progress)
        return FolderImport(folder, "", 0, {}, collected)
    if options:
        raise InputError(
            f"A release needs no {', '.join(options)}: it says itself what is in it.", file=folder
        )
    release = open_release(folder)
    if workspace.root is None:
        raise InputError(
            "The workspace was opened by its database's URL and has no folder for the release's "
            "tables; open it by its folder."
        )
    captions = _captions(workspace, release, on_progress)
    collected = Collecting(workspace).collect(
        "table", {"path": folder, "layout": "memeloc"}, on_progress=on_progress
    )
    kept = workspace.root / RELEASES / collected.dataset
    for name in release.beside_pictures:
        target = kept / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target)
        on_progress("files", 1, len(release.beside_pictures))
    added = captions.added + captions.changed if captions else {}
    return FolderImport(
        folder,
        release.layout,
        len(release.captions),
        dict(added),
        collected,
        release.tables,
        kept,
        [*(captions.notes if captions else ()), *_notes(added, collected)],
    )


def _source_of(collecting: Collecting, folder: Path) -> str:
    """The source that reads most of a folder: `table` knows layouts, and guesses at last."""
    guessed = layout_of(ANY).title

    def layouts(source: str) -> set[str]:
        try:
            tables = collecting.plan(source, {"path": folder})["tables"]
        except InputError:
            return set()
        return {table.layout for table in tables if not table.problem}

    as_tables = layouts("table")
    if as_tables - {guessed} or (as_tables and not layouts("huggingface")):
        return "table"
    return "huggingface"


def _captions(
    workspace: WorkspaceFolder, release: PublishedRelease, on_progress: Phases
) -> ImportRecord | None:
    if not release.captions:
        return None
    languages = list(dict.fromkeys(tag for row in release.captions.values() for tag in row))
    source = workspace.source.tag
    if source not in languages:
        raise InputError(
            f"The release has captions in {', '.join(languages)}, and the source language of this "
            f"workspace is {source}; `memeloc init DIR --source {languages[0]}` makes another.",
            file=release.folder,
        )
    with TemporaryDirectory(prefix="memeloc-") as name:
        table = Path(name) / "captions.parquet"
        rows = (
            [meme, template, *(texts.get(tag, "") for tag in languages)]
            for (meme, template), texts in release.captions.items()
        )
        write_table(table, ["meme_id", "template", *languages], rows)
        return Captions(workspace).import_table(
            table, on_progress=lambda more, total: on_progress("captions", more, total)
        )


def _notes(added: Mapping[str, int], collected: CollectResult) -> list[str]:
    notes = []
    if added:
        notes.append(
            "Captions come in as given; who or what wrote each stands in the table captions."
        )
    if without := collected.refused.get("no picture"):
        notes.append(
            f"{counted(without, 'picture is', 'pictures are')} not in the release: join them by "
            "its join_pictures.py, and import it again."
        )
    return notes
