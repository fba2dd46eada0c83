"""Which template a picture was made from. In: picture files, or a workspace. Out: matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.duplicates.match import DISTANCE, Match, match_pictures, match_verdicts
from memeloc.curate.pictures import map_pictures
from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.items import picture_hash
from memeloc.model import Template
from memeloc.templates import load_templates
from memeloc.workspace.curating.deduplicating import hash_items
from memeloc.workspace.curating.localising import write_matched
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.own_folders import workspace_folder
from memeloc.workspace.part import Part


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
        hashes = _hash_templates(templates, jobs or usable_cpus())
        return _match_files(pictures, hashes, problems, distance, jobs)
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
        values = _hash_templates({**workspace.templates, **templates}, processes)
        collected = list(self._store.items.find("template"))
        hashes, _ = hash_items(workspace, collected, processes)
        for item in collected:
            if item.picture in hashes:
                values.setdefault(item.id, hashes[item.picture])
        if pictures:
            return _match_files(pictures, values, problems, distance, jobs)
        items = list(self._store.items.find("picture"))
        hashes, unreadable = hash_items(workspace, items, processes)
        by_item = {item.id: hashes[item.picture] for item in items if item.picture in hashes}
        matches = match_pictures(by_item, values, distance)
        # A match rests on the picture alone, so that it counts whatever its text becomes.
        shown = {item.id: picture_hash(item) for item in items}
        verdicts = match_verdicts(matches, list(values), distance)
        self._store.curation.add_verdicts(
            [replace(verdict, content=shown[verdict.item]) for verdict in verdicts]
        )
        known = {**workspace.templates, **templates}
        return Matches(
            matches,
            unreadable,
            [str(problem) for problem in problems],
            None if captions is None else write_matched(workspace, captions, known),
        )


def _match_files(
    pictures: Sequence[Path],
    templates: Mapping[str, int],
    problems: Sequence[InputError],
    distance: int,
    jobs: int | None,
) -> Matches:
    hashes, unreadable = map_pictures(
        hash_picture, {str(path): path for path in pictures}, jobs=jobs or usable_cpus()
    )
    matches = match_pictures(hashes, templates, distance)
    return Matches(matches, unreadable, [str(problem) for problem in problems])


def _hash_templates(templates: Mapping[str, Template], jobs: int) -> dict[str, int]:
    files = {name: template.image for name, template in templates.items()}
    return map_pictures(hash_picture, files, jobs=jobs)[0]
