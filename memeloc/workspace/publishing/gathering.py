"""A release, put together. In: a workspace, a rendered set. Out: `Release`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.counts import counted
from memeloc.curate.selection import DUPLICATES
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.publish.release import Release, ReleaseSettings
from memeloc.splits import split_memes
from memeloc.workspace.folder import Phases, WorkspaceFolder, silent
from memeloc.workspace.publishing.answers import survey_tables
from memeloc.workspace.publishing.pictures import (
    Key,
    Pictures,
    Text,
    check_rendered,
    current_captions,
    finished_memes,
    shown_captions,
    without_metadata_of,
)
from memeloc.workspace.publishing.private import near_captions, near_pictures
from memeloc.workspace.publishing.provenance import provenance, survey_files
from memeloc.workspace.publishing.tables import release_tables

RENDERED = "release-pictures"
"""The folder of the workspace into which publishing renders; a later run goes on from it."""
CLEANED = "release-pictures-without-metadata"
"""The folder of the workspace for collected pictures without their metadata."""
_BY_MACHINE = ("translated", "read")
_HIDDEN = re.compile(r"(^|/)(\.|~\$)")  # the latter are those of Office, with a person's name
_NEARLY = 0.02
"""How far shares may be from a sum of 1: three of 0.33 are meant as thirds."""


@dataclass(frozen=True)
class Scope:
    """A part of a workspace that is published.

    Attributes:
        survey: the memes of a survey, with its answers and labels alone; empty for all.
        languages: tags; None for all.
        selected: whether only what `memeloc select` chose goes out.
    """

    survey: str = ""
    languages: Sequence[str] | None = None
    selected: bool = False


def gather(
    workspace: WorkspaceFolder,
    rendered: str | Path | None = None,
    *,
    with_pictures: bool = True,
    scope: Scope | None = None,
    jobs: int = 1,
    on_progress: Phases = silent,
) -> Release:
    """Return what is published of a workspace, as the section [release] of memeloc.toml says.

    That are its captions with their pictures, and the finished memes that were selected or that
    its surveys ask about; without what is dropped, and without those of which the captions were
    read. People go out under keyed hashes, the key of which stays in the workspace.

    Args:
        rendered: a folder that `memeloc render` made; None renders the captions as they stand.
        with_pictures: False leaves the pictures' files behind.
        jobs: processes that render.

    Raises:
        InputError: there is nothing to publish, the set is missing or of other captions, or the
            shares of the splits do not sum up to 1.
    """
    folder, scope = check_rendered(rendered), scope or Scope()
    settings = workspace.settings.release
    if scope.survey:
        settings = settings.model_copy(update={"surveys": (scope.survey,)})
    total = sum(settings.splits.values())
    if abs(total - 1) > _NEARLY:
        raise InputError(
            f"The shares of [release.splits] sum up to {total:.4g}, and not to 1; write such as "
            "train = 0.8, validation = 0.1, test = 0.1.",
            file=workspace.root,
        )
    surveys = survey_tables(workspace, settings)
    frame = workspace.store.exports.frame("memes")
    of_items = {
        item: str(meme)
        for item, meme in zip(frame["item"], frame["meme_id"], strict=True)
        if isinstance(item, str)
    }
    notes: list[str] = []
    captions = current_captions(workspace, settings.captions)
    items = _chosen_items(workspace, surveys.collected, captions, of_items, notes)
    texts = captions | finished_memes(workspace, items)
    of_items |= {text.item.id: meme for (meme, _), text in texts.items() if text.item}
    if scope.survey:
        asked = {of_items.get(id, id) for each in surveys.surveys for id in each.survey.memes}
        texts = {key: text for key, text in texts.items() if key[0] in asked}
    if scope.selected:
        selection = workspace.store.curation.selection()
        chosen = {of_items.get(id, id) for id in selection.items} if selection else set()
        texts = {key: text for key, text in texts.items() if key[0] in chosen}
    if scope.languages is not None:
        texts = {key: text for key, text in texts.items() if key[1] in scope.languages}
    if not texts:
        raise InputError(
            "There is nothing to publish: the workspace has no captions"
            + (f" that are {settings.captions}" if settings.captions != "any" else "")
            + " and no selected finished memes"
            + (" of this survey, selection or these languages." if scope != Scope() else "."),
            file=workspace.root,
        )
    if folder is None and any(text.item is None for text in texts.values()):
        folder = _render(workspace, settings, jobs, on_progress)
    finished = {key: text.item for key, text in texts.items() if text.item is not None}
    paths = [path for item in finished.values() if (path := item.path) is not None]
    memes = [meme for meme, _ in finished]
    pairs = [
        (item, str(verdict[DUPLICATES].evidence["kept"]))
        for item, verdict in workspace.store.curation.verdicts(DUPLICATES).items()
        if DUPLICATES in verdict and verdict[DUPLICATES].evidence.get("kept")
    ]
    templates = {meme: text.template for (meme, _), text in texts.items()}
    splits = split_memes(
        templates,
        {of_items.get(item, item): label for item, label in surveys.strata().items()},
        settings.splits,
        seed=settings.seed,
        together=[
            *([of_items.get(item, item) for item in pair] for pair in pairs),
            *((memes[first], memes[second]) for first, second in near_pictures(paths)),
            *near_captions((meme, text.parts) for (meme, _), text in texts.items()),
        ],
    )
    cleaned = {}
    if with_pictures and finished:
        cleaned = without_metadata_of((workspace.root or Path()) / CLEANED, finished.values())
    if cleaned:
        notes.append(
            f"{counted(len(cleaned), 'picture goes', 'pictures go')} out without metadata such as "
            "EXIF; not a pixel is changed."
        )
    pictures = Pictures(
        folder,
        texts,
        shown_captions(folder, texts, notes),
        cleaned,
        workspace.templates,
        splits,
        tuple(settings.splits),
        with_pictures,
    )
    of_items = {item: meme for item, meme in of_items.items() if meme in splits}
    models = {name: _inside(workspace, "model_labels", name) for name in settings.model_labels}
    tables = release_tables(workspace, models, texts, surveys, splits, of_items, notes)
    empty = [name for name in settings.splits if name not in set(splits.values())]
    if empty:
        notes.append(
            f"Nothing is in the split {', '.join(empty)}: all memes of a template are in one, and "
            "there are too few templates."
        )
    tags = [workspace.source.tag, *(locale.tag for locale in workspace.languages)]
    existing = {language for _, language in texts}
    languages = tuple(dict.fromkeys([*(t for t in tags if t in existing), *sorted(existing)]))
    files, guides = survey_files(workspace, surveys.names)
    unread = Counter(
        language
        for (_, language), text in texts.items()
        if text.stage in _BY_MACHINE and text.state not in ("accepted", "corrected")
    )
    return Release(
        about=settings,
        languages=languages,
        pictures=pictures,
        counts=pictures.counts(),
        tables=tables,
        files={**files, **_own_files(workspace, settings.files)},
        provenance=provenance(workspace, settings, pictures, surveys),
        unread=dict(unread),
        unread_texts=surveys.unread_texts(workspace),
        texts=guides,
        notes=tuple(notes),
    )


def _chosen_items(
    workspace: WorkspaceFolder,
    asked_about: Collection[str],
    captions: Mapping[Key, Text],
    of_items: Mapping[str, str],
    notes: list[str],
) -> list[Item]:
    """Return finished memes that were selected or asked about.

    Those of which captions were read that go out stay behind, unless a survey asks about them.
    """
    selection = workspace.store.curation.selection()
    memes = {meme for meme, _ in captions}
    selected = selection.pictures if selection else ()
    read = {id for id in selected if of_items.get(id, id) in memes} - {*asked_about}
    ids = {*asked_about, *selected} - read
    if read:
        notes.append(
            f"{counted(len(read), 'finished meme stays', 'finished memes stay')} behind: the "
            "captions that were read in them go out."
        )
    stored = list(workspace.store.items.find("picture", sorted(ids))) if ids else []
    items = [item for item in stored if item.path is not None and item.path.is_file()]
    if lost := len(ids) - len(items):
        notes.append(
            f"{counted(lost, 'finished meme is', 'finished memes are')} left out: the picture is "
            "not in the workspace."
        )
    return items


def _render(
    workspace: WorkspaceFolder, settings: ReleaseSettings, jobs: int, on_progress: Phases
) -> Path:
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


def _inside(workspace: WorkspaceFolder, setting: str, name: str) -> Path:
    """Return a file or folder of the workspace that a setting names.

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


def _own_files(workspace: WorkspaceFolder, names: Sequence[str]) -> dict[str, Path]:
    """Return the team's further files by their paths in the release.

    Raises:
        InputError: one is not there, hidden, or outside the workspace's folder.
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
