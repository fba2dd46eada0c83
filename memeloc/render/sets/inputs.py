"""What makes a picture, as a hash. In: template, locale, settings, caption. Out: SHA-256, in hex.

A picture of an earlier run with the same hash is the picture that would be made, and its row the
row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from memeloc.captions import CaptionRow
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption, Locale, Template
from memeloc.render.renderer import Renderer
from memeloc.render.settings import Settings


class PictureInputs:
    """Hashes of all that makes pictures.

    Args:
        source: the language that sizes are compared with.

    Attributes:
        notes: once for each template, what of its pictures is not used.
    """

    def __init__(
        self,
        renderer: Renderer,
        settings: Settings,
        templates: Mapping[str, Template],
        locales: Mapping[str, Locale],
        source: str,
    ) -> None:
        self._renderer, self._settings = renderer, settings
        self._templates, self._locales, self._source = templates, locales, source
        self._starts: dict[tuple[str, str], hashlib._Hash | InputError] = {}
        self._used: dict[str, Template] = {}
        self.notes: list[InputError] = []

    @property
    def images(self) -> set[Path]:
        """The files of the templates that were asked for."""
        return {template.image for template in self._used.values()}

    def of_caption(self, template: str, language: str, caption: Caption, compared: bytes) -> str:
        """Return the hash of a picture.

        Args:
            language: the table's column.
            compared: the hash of what its sizes depend on besides, see `compared`.

        Raises:
            InputError: the template cannot be used.
        """
        start = self._start(template, language)
        if isinstance(start, InputError):
            raise start
        digest = start.copy()
        digest.update(SEPARATOR.join(caption.parts).encode())
        digest.update(compared)
        return digest.hexdigest()

    def compared(self, row: CaptionRow) -> bytes:
        """Return a hash of the source caption, and with parity of all captions of a meme."""
        digest = hashlib.sha256()
        captions = [(self._source, row.source)] if row.source else []
        if self._settings.parity:
            captions += row.captions.items()
        for language, caption in captions:
            start = self._start(row.template, language)
            if not isinstance(start, InputError):
                digest.update(start.digest())
                digest.update(SEPARATOR.join(caption.parts).encode() + b"\0")
        return b"\0" + digest.digest()

    def _start(self, template: str, language: str) -> hashlib._Hash | InputError:
        """Return a hash of all that makes a picture but the captions, to be copied and gone on."""
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
