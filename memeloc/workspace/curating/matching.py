"""Which template a picture was made from. In: picture files, or a workspace. Out: matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.duplicates.local_features import LocalFeatures, local_features, unpack
from memeloc.curate.duplicates.match import (
    DISTANCE,
    Match,
    match_corners,
    match_pictures,
    match_verdicts,
)
from memeloc.curate.pictures import map_pictures
from memeloc.engine import PROCESSES, usable_cpus
from memeloc.errors import InputError, MissingError
from memeloc.items import picture_hash
from memeloc.model import Template
from memeloc.templates import load_templates
from memeloc.workspace.curating.deduplicating import hash_items
from memeloc.workspace.curating.localising import write_matched
from memeloc.workspace.curating.looking import stored_features
from memeloc.workspace.folder import Part, WorkspaceFolder, silent
from memeloc.workspace.own_folders import workspace_folder


@dataclass(frozen=True, slots=True)
class Matches:
    """The templates of some pictures, and by name why a picture or a template was left out.

    `captions` is the captions table that was made of them, where one was asked for.
    """

    pictures: list[Match]
    problems: dict[str, str]
    template_problems: list[str]
    captions: dict[str, Any] | None = None


def find_matches(
    pictures: Sequence[Path],
    folders: Sequence[Path] = (),
    *,
    distance: int = DISTANCE,
    captions: Path | None = None,
    jobs: int | None = None,
) -> Matches:
    """The templates of picture files, with or without a workspace; of none, of collected pictures.

    See `Matching.match`; of files nothing is stored.

    Raises:
        InputError: no files are given, and there is no workspace.
    """
    try:
        folder = workspace_folder()
    except InputError:
        if not pictures or captions:
            raise
        templates, problems = load_templates(folders)
        return _match_files(pictures, templates, {}, problems, distance, jobs)
    with WorkspaceFolder.open(folder) as workspace:
        return Matching(workspace).match(
            folders, pictures=pictures, distance=distance, captions=captions, jobs=jobs
        )


class Matching(Part):
    """Finding the templates of pictures."""

    def match(
        self,
        folders: Sequence[Path] = (),
        *,
        pictures: Sequence[Path] = (),
        distance: int = DISTANCE,
        captions: Path | None = None,
        jobs: int | None = None,
    ) -> Matches:
        """Find the template of each collected picture, and store it; or those of picture files.

        Args:
            folders: of templates, besides the built-in, the workspace's and the collected ones.
            pictures: files; nothing is stored of them.
            distance: bits of 64 that a caption may change.
            captions: a table to write, of the finished memes whose template is known, with their
                transcripts; see `memeloc.workspace.curating.localising.write_matched`.

        Raises:
            InputError: a captions table of picture files is asked for.
        """
        if pictures and captions:
            raise InputError("A captions table is made of collected pictures, not of files")
        workspace, processes = self._workspace, jobs or usable_cpus()
        templates, problems = load_templates(folders) if folders else ({}, [])
        templates = {**workspace.templates, **templates}
        collected = {item.id: item.path for item in self._store.items.find("template") if item.path}
        if pictures:
            return _match_files(pictures, templates, collected, problems, distance, jobs)
        items = list(self._store.items.find("picture"))
        hashes, unreadable = hash_items(workspace, items, processes)
        by_item = {item.id: hashes[item.picture] for item in items if item.picture in hashes}

        def features(names: Sequence[str]) -> dict[str, LocalFeatures]:
            looked_at = [item for item in items if item.id in names]
            found = stored_features(self._store.computed, looked_at, PROCESSES, processes, silent)
            return {item.id: found[item.picture] for item in looked_at if item.picture in found}

        files = _files(templates, collected)
        known = _hashes(files, processes)
        matches, notes = _matched(by_item, known, files, features, distance, processes)
        # A match rests on the picture alone, so that it counts whatever its text becomes.
        shown = {item.id: picture_hash(item) for item in items}
        verdicts = match_verdicts(matches, list(known), distance)
        self._store.curation.add_verdicts(
            [replace(verdict, content=shown[verdict.item]) for verdict in verdicts]
        )
        return Matches(
            matches,
            unreadable,
            [*map(str, problems), *notes],
            None if captions is None else write_matched(workspace, captions, templates),
        )


def _match_files(
    pictures: Sequence[Path],
    templates: Mapping[str, Template],
    collected: Mapping[str, Path],
    problems: Sequence[InputError],
    distance: int,
    jobs: int | None,
) -> Matches:
    processes = jobs or usable_cpus()
    paths = {str(path): path for path in pictures}
    hashes, unreadable = map_pictures(hash_picture, paths, jobs=processes)

    def features(names: Sequence[str]) -> dict[str, LocalFeatures]:
        return _features({name: paths[name] for name in names}, processes)

    files = _files(templates, collected)
    known = _hashes(files, processes)
    matches, notes = _matched(hashes, known, files, features, distance, processes)
    return Matches(matches, unreadable, [*map(str, problems), *notes])


def _files(templates: Mapping[str, Template], collected: Mapping[str, Path]) -> dict[str, Path]:
    files = {name: template.image for name, template in templates.items()}
    return files | {name: path for name, path in collected.items() if name not in files}


def _hashes(files: Mapping[str, Path], jobs: int) -> dict[str, int]:
    return map_pictures(hash_picture, files, jobs=jobs)[0]


def _features(files: Mapping[str, Path], jobs: int) -> dict[str, LocalFeatures]:
    found, _ = map_pictures(local_features, files, jobs=jobs)
    return {name: unpack(value) for name, value in found.items()}


def _matched(
    hashes: Mapping[str, int],
    templates: Mapping[str, int],
    files: Mapping[str, Path],
    features: Callable[[Sequence[str]], Mapping[str, LocalFeatures]],
    distance: int,
    jobs: int,
) -> tuple[list[Match], list[str]]:
    """The matches of pictures by hash, and of those that it does not name by local features."""
    matches = match_pictures(hashes, templates, distance)
    unnamed = [match.picture for match in matches if not match.found]
    if not unnamed or not templates:
        return matches, []
    try:
        known = _features(files, jobs)
        return match_corners(matches, features(unnamed), known, templates, jobs), []
    except MissingError as error:  # the hash alone, as without the extra
        return matches, [f"by hashes alone, which miss cropped and framed memes: {error}"]
