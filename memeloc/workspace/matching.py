"""Which template a picture was made from. In: picture files, or a workspace. Out: matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.curate.duplicates.match import DISTANCE, Match, match_pictures, match_verdicts
from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.model import Template
from memeloc.templates import load_templates
from memeloc.workspace.deduplicating import hash_files, hash_items
from memeloc.workspace.folder import WorkspaceFolder, workspace_folder
from memeloc.workspace.part import Part


@dataclass(frozen=True, slots=True)
class Matches:
    """The templates of some pictures.

    Attributes:
        pictures: a match each.
        problems: why a picture cannot be read, by its name.
        template_problems: what is wrong with templates that were left out.
    """

    pictures: list[Match]
    problems: dict[str, str]
    template_problems: list[str]


def find_matches(
    pictures: Sequence[Path],
    folders: Sequence[Path] = (),
    *,
    distance: int = DISTANCE,
    jobs: int | None = None,
) -> Matches:
    """The templates of picture files, with or without a workspace; of none, of collected pictures.

    Raises:
        InputError: no files are given, and there is no workspace.
    """
    try:
        folder = workspace_folder()
    except InputError:
        if not pictures:
            raise
        return match_files(pictures, folders, distance=distance, jobs=jobs)
    with WorkspaceFolder.open(folder) as workspace:
        if not pictures:
            return Matching(workspace).match(folders, distance=distance, jobs=jobs)
        return match_files(pictures, folders, workspace=workspace, distance=distance, jobs=jobs)


def match_files(
    pictures: Sequence[Path],
    folders: Sequence[Path] = (),
    *,
    workspace: WorkspaceFolder | None = None,
    distance: int = DISTANCE,
    jobs: int | None = None,
) -> Matches:
    """The templates that picture files were made from; nothing is stored.

    Args:
        pictures: files.
        folders: of templates, besides the built-in ones.
        workspace: whose templates are known too.
        distance: bits of 64 that a caption may change.
        jobs: processes; None is one a usable processor.
    """
    jobs = jobs or usable_cpus()
    templates, problems = load_templates(folders)
    if workspace is None:
        values = _hash_templates(templates, jobs)
    else:
        values = _known(workspace, templates if folders else {}, jobs)
    hashes, unreadable = hash_files({str(path): path for path in pictures}, jobs)
    return Matches(
        match_pictures(hashes, values, distance), unreadable, [str(problem) for problem in problems]
    )


class Matching(Part):
    """Finding the templates of collected pictures."""

    def match(
        self, folders: Sequence[Path] = (), *, distance: int = DISTANCE, jobs: int | None = None
    ) -> Matches:
        """Find the template of each collected picture, and store it.

        Args:
            folders: of templates, besides the built-in, the workspace's and the collected ones.
            distance: bits of 64 that a caption may change.
            jobs: processes; None is one a usable processor.
        """
        workspace = self._workspace
        jobs = jobs or usable_cpus()
        templates, problems = load_templates(folders) if folders else ({}, [])
        values = _known(workspace, templates, jobs)
        items = list(workspace.store.items.find("picture"))
        hashes, unreadable = hash_items(workspace, items, jobs)
        by_item = {item.id: hashes[item.picture] for item in items if item.picture in hashes}
        matches = match_pictures(by_item, values, distance)
        workspace.store.curation.add_verdicts(match_verdicts(matches, list(values), distance))
        return Matches(matches, unreadable, [str(problem) for problem in problems])


def _known(
    workspace: WorkspaceFolder, templates: Mapping[str, Template], jobs: int
) -> dict[str, int]:
    """Hashes of templates by name: the workspace's and others, then collected ones."""
    values = _hash_templates({**workspace.templates, **templates}, jobs)
    items = list(workspace.store.items.find("template"))
    hashes, _ = hash_items(workspace, items, jobs)
    for item in items:
        if item.picture in hashes:
            values.setdefault(item.id, hashes[item.picture])
    return values


def _hash_templates(templates: Mapping[str, Template], jobs: int) -> dict[str, int]:
    return hash_files({name: template.image for name, template in templates.items()}, jobs)[0]
