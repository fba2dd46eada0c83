"""What makes a picture, as a hash. In: template, locale, settings, caption. Out: SHA-256, in hex.

A picture of an earlier run with the same hash is the picture that would be made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from memeloc.captions import CaptionRow
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption, Locale, Template
from memeloc.render.encode import Settings
from memeloc.render.renderer import Renderer


class PictureInputs:
    """Hashes of all that makes pictures.

    Attributes:
        notes: once for each template, what of its pictures is not used.
    """

    def __init__(
        self,
        renderer: Renderer,
        settings: Settings,
        templates: Mapping[str, Template],
        locales: Mapping[str, Locale],
    ) -> None:
        self._renderer, self._settings = renderer, settings
        self._templates, self._locales = templates, locales
        self._starts: dict[tuple[str, str], hashlib._Hash | InputError] = {}
        self._used: dict[str, Template] = {}
        self.notes: list[InputError] = []

    @property
    def images(self) -> set[Path]:
        """The files of the templates that were asked for."""
        return {template.image for template in self._used.values()}

    def of_caption(self, template: str, language: str, caption: Caption, together: bytes) -> str:
        """The hash of a picture.

        Args:
            language: the table's column.
            together: see there; empty where each language has its own size.

        Raises:
            InputError: the template cannot be used.
        """
        start = self._start(template, language)
        if isinstance(start, InputError):
            raise start
        digest = start.copy()
        digest.update(SEPARATOR.join(caption.parts).encode())
        digest.update(together)
        return digest.hexdigest()

    def together(self, row: CaptionRow) -> bytes:
        """What sets the size of all languages of a meme."""
        digest = hashlib.sha256()
        for language, caption in row.captions.items():
            start = self._start(row.template, language)
            if not isinstance(start, InputError):
                digest.update(start.digest())
                digest.update(SEPARATOR.join(caption.parts).encode())
        return b"\0" + digest.digest()

    def _start(self, template: str, language: str) -> hashlib._Hash | InputError:
        """A hash of all that makes a picture but the captions, to be copied and gone on with."""
        start = self._starts.get((template, language))
        if start is None:
            try:
                fingerprint = self._renderer.fingerprint(
                    self._templates[template], self._locales[language]
                )
            except InputError as error:
                start = error
            else:
                start = hashlib.sha256(f"{fingerprint}\0{self._settings}\0".encode())
            self._starts[template, language] = start
            self._note(self._templates[template])
        return start

    def _note(self, template: Template) -> None:
        if template.name not in self._used:
            self._used[template.name] = template
            folder = template.image.parent
            self.notes += [InputError(note, file=folder) for note in template.notes]
