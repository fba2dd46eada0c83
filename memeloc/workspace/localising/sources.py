"""The ways to a clean picture. In: pictures, templates. Out: sources to ask, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.pictures import map_pictures
from memeloc.engine import usable_cpus
from memeloc.localise.grouping import group_pictures
from memeloc.localise.localise import Restoring
from memeloc.localise.protocol import CleanPictureSource, Restorer
from memeloc.localise.recovered_pictures import RecoveredPictures
from memeloc.templates import load_templates
from memeloc.workspace.curating.known_templates import KnownTemplates


def clean_picture_sources(
    pictures: Sequence[Path], templates: Sequence[Path], restorer: Restorer, *, alone: bool
) -> list[CleanPictureSource]:
    """A known template; then what several of the pictures show together; then painting over.

    Args:
        pictures: the memes; those that cannot be read are left out.
        templates: folders of templates besides the built-in ones.
        restorer: paints what nothing shows.
        alone: each picture by itself is only painted over.

    Raises:
        MissingError: OpenCV is not installed.
    """
    if alone:
        return [Restoring(restorer)]
    sources: list[CleanPictureSource] = [KnownTemplates(load_templates(templates)[0])]
    if len(pictures) > 1:
        files = {str(path): path for path in pictures}
        hashes = map_pictures(hash_picture, files, jobs=usable_cpus())[0]
        groups = group_pictures({files[name]: value for name, value in hashes.items()})
        sources.append(RecoveredPictures(groups, restorer))
    return [*sources, Restoring(restorer)]
