"""A release, put together. In: a workspace, a rendered set. Out: `Release`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from memeloc.errors import InputError
from memeloc.publish.release import Release, ReleaseSettings, ReleaseTable
from memeloc.splits import split_memes
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Phases, silent
from memeloc.workspace.publishing.answers import SurveyTables, survey_tables
from memeloc.workspace.publishing.captions import TakenCaptions, captions_table, taken_captions
from memeloc.workspace.publishing.collected import CollectedPictures
from memeloc.workspace.publishing.judged import (
    collected_labels,
    duplicates,
    judgements,
    memes_table,
    model_labels,
    templates_table,
)
from memeloc.workspace.publishing.labelled import labelled_rows
from memeloc.workspace.publishing.pictures import Pictures, RenderedSet
from memeloc.workspace.publishing.private import near_captions
from memeloc.workspace.publishing.provenance import provenance, survey_files

RENDERED = "release-pictures"
"""The folder of the workspace into which publishing renders; a later run goes on from it."""


def gather(
    workspace: WorkspaceFolder,
    rendered: str | Path | None = None,
    *,
    with_pictures: bool = True,
    jobs: int = 1,
    on_progress: Phases = silent,
) -> Release:
    """What is published of a workspace, as the section [release] of memeloc.toml says.

    That are its captions with their pictures, and the finished memes that were selected or that
    its surveys ask about; without what is dropped. People go out under keyed hashes, the key of
    which stays in the workspace.

    Args:
        rendered: a folder that `memeloc render` made; None renders the captions as they stand.
        with_pictures: False leaves the pictures' files behind.
        jobs: processes that render.

    Raises:
        InputError: there is nothing to publish, or the set is missing or of other captions.
    """
    settings = workspace.settings.release
    captions = taken_captions(workspace, settings.captions)
    surveys = survey_tables(workspace, settings)
    collected = CollectedPictures.of(workspace, surveys.collected, with_files=with_pictures)
    if not captions.texts and not collected.items:
        raise InputError(
            "There is nothing to publish: the workspace has no captions"
            + (f" that are {settings.captions}" if settings.captions != "any" else "")
            + " and no selected finished memes.",
            file=workspace.root,
        )
    pictures_of = RenderedSet(None, {})
    if captions.texts:
        folder = _rendered(workspace, rendered, settings, jobs, on_progress)
        pictures_of = RenderedSet.open(folder, captions.texts)
    templates = {
        **{meme: captions.templates[meme] for meme in captions.memes},
        **{collected.memes[id]: item.parent for id, item in collected.items.items()},
    }
    of_items = {**_memes_of_items(captions), **collected.memes}
    together = [[of_items.get(item, item) for item in pair] for pair in duplicates(workspace)]
    splits = split_memes(
        templates,
        {of_items.get(item, item): label for item, label in surveys.strata().items()},
        settings.splits,
        seed=settings.seed,
        together=[*together, *collected.near(), *near_captions(_texts(captions, collected))],
    )
    pictures = Pictures(pictures_of, collected, splits, tuple(settings.splits), with_pictures)
    languages = _languages(workspace, captions, collected)
    files, texts = survey_files(workspace, settings, surveys.names)
    notes: list[str] = []
    items = {item: meme for item, meme in of_items.items() if meme in splits}
    tables = _tables(workspace, captions, collected, surveys, splits, templates, items, notes)
    notes += [*surveys.notes, *pictures_of.notes, *collected.notes]
    empty = [name for name in settings.splits if name not in set(splits.values())]
    if empty:
        notes.append(
            f"Nothing is in the split {', '.join(empty)}: all memes of a template are in one, and "
            "there are too few templates."
        )
    return Release(
        about=settings,
        languages=languages,
        pictures=pictures,
        counts=pictures.counts(),
        tables=tables,
        files={**files, **_own_files(workspace, settings.files)},
        provenance=provenance(workspace, settings, captions, pictures_of, surveys, splits),
        unread=captions.unread(),
        unread_texts=surveys.unread_texts(workspace),
        texts=texts,
        notes=tuple(notes),
    )


def _rendered(
    workspace: WorkspaceFolder,
    rendered: str | Path | None,
    settings: ReleaseSettings,
    jobs: int,
    on_progress: Phases,
) -> Path:
    if rendered is not None:
        return Path(rendered)
    if workspace.root is None:
        raise InputError(
            "The workspace was opened by its database's URL and has no folder to render into; "
            "render it, and name the folder of the pictures."
        )
    from memeloc.workspace.rendering import Rendering

    folder = workspace.root / RENDERED
    Rendering(workspace).render(
        folder,
        captions=settings.captions,
        jobs=jobs,
        prune=True,
        on_progress=lambda more, total: on_progress("rendering", more, total),
    )
    return folder


def _memes_of_items(captions: TakenCaptions) -> dict[str, str]:
    frame = captions.memes_frame
    pairs = zip(frame["item"], frame["meme_id"], strict=True)
    return {item: str(meme) for item, meme in pairs if isinstance(item, str)}


def _texts(
    captions: TakenCaptions, collected: CollectedPictures
) -> list[tuple[str, Sequence[str]]]:
    """Return each meme with its parts, in every language that it has."""
    texts: list[tuple[str, Sequence[str]]] = [
        (meme, parts) for (meme, _), parts in captions.texts.items()
    ]
    return texts + [(collected.memes[id], item.parts) for id, item in collected.items.items()]


def _languages(
    workspace: WorkspaceFolder, captions: TakenCaptions, collected: CollectedPictures
) -> tuple[str, ...]:
    tags = [workspace.source.tag, *(locale.tag for locale in workspace.languages)]
    there = {*captions.languages, *collected.languages.values()}
    return tuple(dict.fromkeys([*(tag for tag in tags if tag in there), *sorted(there)]))


def _tables(
    workspace: WorkspaceFolder,
    captions: TakenCaptions,
    collected: CollectedPictures,
    surveys: SurveyTables,
    splits: Mapping[str, str],
    templates: Mapping[str, str],
    items: Mapping[str, str],
    notes: list[str],
) -> dict[str, ReleaseTable]:
    names = workspace.settings.release.model_labels
    model_tables = [_inside(workspace, "model_labels", name) for name in names]
    labelled, remarks = labelled_rows(workspace, items, splits)
    notes += remarks
    tables = [
        memes_table(workspace, templates, splits, items),
        captions_table(captions, collected, splits),
        templates_table(workspace, templates),
        *surveys.tables(splits, items),
        model_labels(workspace, items, splits, model_tables, labelled),
        collected_labels(workspace, items),
        judgements(workspace, items),
    ]
    return {table.name: table for table in tables if len(table.frame)}


def _inside(workspace: WorkspaceFolder, setting: str, name: str) -> Path:
    """A file or folder of the workspace that a setting names.

    Raises:
        InputError: it is not there, or outside the workspace's folder.
    """
    root = (workspace.root or Path()).resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root) or not path.exists():
        raise InputError(
            f"The setting release.{setting} names {name[:80]!r}, which is not in the workspace's "
            "folder.",
            file=workspace.root,
        )
    return path


_HIDDEN = re.compile(r"(^|/)(\.|~\$)")  # the latter are those of Office, with a person's name


def _own_files(workspace: WorkspaceFolder, names: Sequence[str]) -> dict[str, Path]:
    """The team's further files by their paths in the release.

    Raises:
        InputError: one is not there, or outside the workspace's folder.
    """
    files: dict[str, Path] = {}
    root = (workspace.root or Path()).resolve()
    for name in names:
        path = _inside(workspace, "files", name)
        if path != root and _HIDDEN.search(path.relative_to(root).as_posix()):
            raise InputError(
                f"The setting release.files names {name[:80]!r}, and hidden files, where settings "
                "and passwords stand, never go out.",
                file=workspace.root,
            )
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            below = file.relative_to(root).as_posix()
            if file.is_file() and not file.is_symlink() and not _HIDDEN.search(below):
                files[f"files/{below}"] = file
    return files
