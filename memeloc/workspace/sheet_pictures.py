"""Small pictures for sheets. In: captions, pictures. Out: JPEG files in the workspace's images/.

Each is kept under a hash of what it shows, so that no picture is made twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image

from memeloc.correct.model import text_key
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.model import Caption, Locale, Template
from memeloc.store.transcripts import transcript_id
from memeloc.templates.pictures import open_picture
from memeloc.workspace.part import Part

PICTURE_SIDE = 320
"""Longer side of the pictures on a sheet, in pixels."""
_QUALITY = 80


class SheetPictures(Part):
    """Pictures of captions and of collected items, as sheets show them."""

    def of_caption(self, template: Template, parts: Sequence[str], locale: Locale) -> Path:
        """The picture of a caption."""
        renderer = self._workspace.renderer
        shows = f"{renderer.fingerprint(template, locale)}|{PICTURE_SIDE}|{text_key(parts)}"
        path = self._path(shows)
        if not path.is_file():
            image = renderer.render(template, Caption(tuple(parts)), locale).image
            _save_small(image, path, PICTURE_SIDE)
        return path

    def of_transcripts(self, meme_ids: Iterable[str]) -> dict[str, Path]:
        """The pictures that transcripts were read in, by the transcript's id."""
        by_item = {meme_id.removeprefix(transcript_id("")): meme_id for meme_id in meme_ids}
        items = self._store.items.find("picture", ids=list(by_item))
        return {by_item[item.id]: item.path for item in items if item.path is not None}

    def small(self, picture: Path | None, side: int = PICTURE_SIDE) -> Path | None:
        """A picture as a sheet shows it, its longer side at most `side` pixels.

        None when there is no picture, or it cannot be opened.
        """
        if picture is None:
            return None
        path = self._path(f"{picture.stem}|{side}|small")
        if not path.is_file():
            try:
                _save_small(open_picture(picture), path, side)
            except InputError:
                return None
        return path

    def _path(self, shows: str) -> Path:
        name = hashlib.sha256(shows.encode()).hexdigest()[:32]
        return (self._workspace.root or Path()) / "images" / name[:2] / f"{name}.jpg"


def _save_small(image: Image.Image, path: Path, side: int) -> None:
    small = image.convert("RGB")
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    with replacing(path) as temporary:
        small.save(temporary, "JPEG", quality=_QUALITY, dpi=(96, 96))
