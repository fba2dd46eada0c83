"""The ways to a clean picture. In: pictures, templates. Out: sources to ask, the best first.

Hashes say which known templates may be a meme's, as for `memeloc match`; the meme must then lie on
the template's picture, so that two drawings of like tones are not mixed up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from memeloc.curate.duplicates.hashing import bits_between, hash_picture
from memeloc.curate.pictures import map_pictures
from memeloc.engine import usable_cpus
from memeloc.localise.aligning import find_points, group_pictures, same_picture
from memeloc.localise.localise import Restoring
from memeloc.localise.protocol import CleanPicture, CleanPictureSource, FinishedMeme, Mask, Restorer
from memeloc.localise.recover import RecoveredPictures
from memeloc.model import Template
from memeloc.templates import load_templates, open_picture


def clean_picture_sources(
    pictures: Sequence[Path], templates: Sequence[Path], restorer: Restorer, *, alone: bool
) -> list[CleanPictureSource]:
    """Return a known template; then what several of the pictures show together; then painting over.
    Raise MissingError if OpenCV is not installed.

    Args:
        pictures: the memes; those that cannot be read are left out.
        templates: folders of templates besides the built-in ones.
        restorer: paints what nothing shows.
        alone: each picture by itself is only painted over.
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


_DISTANCE = 22
"""Bits of 64 in which a meme and its template may differ: captions change up to 18, see
`memeloc.curate.duplicates.match`."""
_COMPARED = 3
"""Templates that are looked at closely."""


class KnownTemplates:
    """See `memeloc.localise.protocol.CleanPictureSource`: for memes on known templates."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = templates

    @cached_property
    def _hashes(self) -> dict[str, int]:
        files = {name: template.image for name, template in self._templates.items()}
        return map_pictures(hash_picture, files, jobs=usable_cpus())[0]

    def find(self, meme: FinishedMeme, mask: Mask) -> CleanPicture | None:
        """Return the template's own picture, or None where the meme is on no known template."""
        value = hash_picture(meme.path)
        bits = {name: bits_between(value, other) for name, other in self._hashes.items()}
        near = sorted((name for name in bits if bits[name] <= _DISTANCE), key=bits.__getitem__)
        if not near:
            return None
        points = find_points(meme.pixels)
        for name in near[:_COMPARED]:
            template = self._templates[name]
            pixels = np.asarray(open_picture(template.image)).copy()
            if same_picture(find_points(pixels), points):
                return CleanPicture(pixels, "template", name, template)
        return None
