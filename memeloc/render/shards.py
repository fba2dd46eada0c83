"""The pictures of a shard. In: captions of some memes. Out: files, and a part of the manifest.

This is what runs in each process of a run, and `PictureFiles.make` is all of what is done for a
picture: layout, painting, proof, encoding, both hashes, file and row.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from memeloc.errors import InputError, MissingError
from memeloc.fonts import FontLibrary
from memeloc.model import Caption, Locale, Template
from memeloc.render.encode import Settings, encode, write_whole
from memeloc.render.jpeg import JpegEncoder
from memeloc.render.manifest import PARTS, Rows, leave_out_pandas, write_part
from memeloc.render.parity import common_sizes
from memeloc.render.renderer import Renderer


class Item(NamedTuple):
    """One caption to be made a picture of.

    Attributes:
        language: the table's column.
        parts: of the caption.
        inputs_sha256: of all that makes the picture.
        painted: False for a source caption that is only measured.
    """

    language: str
    parts: tuple[str, ...]
    inputs_sha256: str
    painted: bool


class ShardMeme(NamedTuple):
    """A meme's captions to be made pictures of.

    Attributes:
        meme_id, template: of the table.
        items: the captions.
        together: language and parts of each caption that is to have the same size; empty without
            parity.
    """

    meme_id: str
    template: str
    items: tuple[Item, ...]
    together: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """A slice of the table.

    Attributes:
        part: name of the file of its rows.
        memes: what is to be made.
        lane: which share of the templates it has.
    """

    part: str
    memes: tuple[ShardMeme, ...]
    lane: int


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a shard.

    Attributes:
        rendered: how many pictures were made.
        failed: the number of each item (of all in the shard, from 0) that has none, and why.
        flawed: how many pictures have a problem.
        problems: pictures by kind of problem.
    """

    rendered: int
    failed: Mapping[int, str]
    flawed: int
    problems: Mapping[str, int]


class PictureFiles:
    """Makes pictures as files in a folder.

    Args:
        renderer: paints.
        out: the folder; it exists.
        settings: how.
        templates: by name.
        languages: locales by the table's column.
    """

    def __init__(
        self,
        renderer: Renderer,
        out: Path,
        settings: Settings,
        templates: Mapping[str, Template],
        languages: Mapping[str, Locale],
    ) -> None:
        self._renderer = renderer
        self._out = os.path.join(os.fspath(out), "")  # noqa: PTH118 - a string, for speed
        self._parts = out / PARTS
        self._settings = settings
        self._jpeg = JpegEncoder(settings) if settings.format == "jpg" else None
        self._suffix = f".{settings.format}"
        self._templates = templates
        self._languages = languages
        self._folders: dict[tuple[str, str], tuple[str, str]] = {}

    def make(
        self,
        rows: Rows,
        meme_id: str,
        template: str,
        item: Item,
        max_sizes: Sequence[float] | None = None,
    ) -> tuple[str, ...]:
        """Make one picture, write it, add its row, and return the kinds of its problems."""
        language = item.language
        folder = self._folders.get((language, template)) or self._folder(language, template)
        locale = self._languages[language]
        rendered = self._renderer.render(
            self._templates[template], Caption(item.parts), locale, max_sizes=max_sizes
        )
        if self._jpeg is not None:
            content = self._jpeg.encode(rendered.canvas)
        else:
            content = encode(rendered.image, self._settings)
        name = meme_id + self._suffix
        write_whole(folder[0], name, content)
        rows.add_picture(
            meme_id=meme_id,
            template=template,
            language=language,
            locale=locale.tag,
            parts=item.parts,
            path=folder[1] + name,
            inputs_sha256=item.inputs_sha256,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            proof=rendered.proof,
        )
        return rendered.proof.problems

    def run(self, shard: Shard) -> Made:
        """Make the pictures of a shard and then write its part.

        A picture that cannot be made is left out with its reason, and the others go on; what would
        hold for all of them alike (a full disk, a missing font) is raised.
        """
        rows = Rows()
        problems: Counter[str] = Counter()
        failed: dict[int, str] = {}
        number = rendered = flawed = 0
        for meme in shard.memes:
            sizes: tuple[float, ...] | None = None
            for item in meme.items:
                try:
                    if not item.painted:
                        self._measure(rows, meme, item)
                    else:
                        if meme.together and sizes is None:
                            sizes = self._common_sizes(meme)
                        found = self.make(rows, meme.meme_id, meme.template, item, sizes)
                        problems.update(found)
                        flawed += bool(found)
                        rendered += 1
                except (MissingError, OSError):
                    raise
                except InputError as error:
                    failed[number] = str(error)
                except Exception as error:  # one defect must not cost the other pictures
                    failed[number] = f"unexpected {type(error).__name__}: {error}"
                number += 1
        write_part(rows, self._parts / shard.part)
        return Made(rendered, failed, flawed, problems)

    def _common_sizes(self, meme: ShardMeme) -> tuple[float, ...]:
        """The sizes that fit all languages of a meme."""
        template = self._templates[meme.template]
        return common_sizes(
            self._renderer.sizes(template, Caption(parts), self._languages[language])
            for language, parts in meme.together
        )

    def _measure(self, rows: Rows, meme: ShardMeme, item: Item) -> None:
        template, locale = self._templates[meme.template], self._languages[item.language]
        rows.add_source(
            meme_id=meme.meme_id,
            template=template,
            language=item.language,
            locale=locale.tag,
            parts=item.parts,
            inputs_sha256=item.inputs_sha256,
            sizes=self._renderer.sizes(template, Caption(item.parts), locale),
        )

    def _folder(self, language: str, template: str) -> tuple[str, str]:
        """Make a folder; return it as a string, whole and relative to the output folder."""
        relative = f"{language}/{template}/"
        whole = self._out + relative
        os.makedirs(whole, exist_ok=True)  # noqa: PTH103 - a string, for speed
        self._folders[language, template] = whole, relative
        return whole, relative


_files: list[PictureFiles] = []
"""In a process of its own: what `make_shard` works with."""
_library: list[FontLibrary] = []
"""In a process that waits for a run: the fonts of a run that has none of its own."""


def get_ready() -> None:
    """Do what most runs ask of their processes, before it is known what run this is for."""
    _library[:] = [FontLibrary()]
    Image.preinit()
    import budoux  # noqa: F401


def begin_process(
    fonts: tuple[str, ...],
    out: Path,
    settings: Settings,
    templates: Mapping[str, Template],
    languages: Mapping[str, Locale],
) -> None:
    """Make a process ready for `make_shard`."""
    leave_out_pandas()
    library = _library[0] if _library and not fonts else FontLibrary(fonts)
    renderer = Renderer(library, max_side=settings.max_side)
    _files[:] = [PictureFiles(renderer, out, settings, templates, languages)]


def make_shard(shard: Shard) -> Made:
    """`PictureFiles.run`, in a process that `begin_process` made ready."""
    return _files[0].run(shard)
