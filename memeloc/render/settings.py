"""Settings of a rendered set. In: what is asked for. Out: `RenderSettings`, declared once.

`render_table`, a workspace's `render` and the command line take the same fields by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from memeloc.errors import InputError, MissingError
from memeloc.files import Paths

if TYPE_CHECKING:
    from memeloc.locales import Registry
    from memeloc.model import Template
    from memeloc.picture_writers import Layout

Format = Literal["jpg", "png", "webp", "avif"]
"""The kinds of file, and their suffixes."""
FORMATS: tuple[Format, ...] = get_args(Format)


def setting(default: Any, help: str, **option: Any) -> Any:
    """Declare a field of settings.

    Args:
        help: what the command line says of it.
        option: further facts for the command line: `name` of the option where it is another than
            the field's, `metavar`, `min` and `max`, `show_default`.
    """
    return field(default=default, metadata={"help": help, **option})


@dataclass(frozen=True)
class Settings:
    """Settings of pictures, besides template, caption, locale and fonts.

    Raises MissingError for AVIF where Pillow was built without it.
    """

    format: Format = setting("jpg", "Picture files: jpg, png, webp or avif.", metavar="KIND")
    quality: int = setting(90, "Of JPEG, WebP and AVIF.", min=1, max=100)
    max_side: int | None = setting(
        None, "Scale larger pictures down to this side.", min=16, metavar="PIXELS"
    )
    parity: bool = setting(False, "Set a meme at one size in all its languages.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "format", file_format(self.format))
        if self.format == "avif":
            from PIL import features

            if not features.check("avif"):
                raise MissingError(
                    "The installed Pillow cannot write AVIF: pip install --upgrade pillow; or "
                    "choose another format."
                )
        if not 1 <= self.quality <= 100:
            raise InputError(f"The quality is 1 to 100, not {self.quality}.")
        if self.max_side is not None and self.max_side < 16:
            raise InputError(f"The longer side has 16 pixels at least, not {self.max_side}.")

    def __str__(self) -> str:
        """Return it as text, equal for equal pictures: part of what a picture's inputs hash to."""
        quality = "" if self.format == "png" else self.quality
        return f"{self.format} {quality} {self.max_side or ''} {'parity' * self.parity}"


@dataclass(frozen=True)
class RenderSettings(Settings):
    """Settings by which a table of captions becomes a set of pictures.

    Attributes:
        languages: tags, one text of tags with commas between, or "all".
        to: "webdataset" and "parquet" have neither single files nor a page.
        templates: folders of templates besides the built-in ones; or templates by name, in the
            place of all others.
        fonts: that come before memeloc's own, see `memeloc.fonts.FontLibrary`.
        locales: folders of locales besides the built-in ones; or a registry, in the place of them.
    """

    languages: str | Sequence[str] = setting(
        "all",
        "Languages to render, as de,es,hi,zh; or all, for every column.",
        name="--langs",
        metavar="TAGS",
    )
    to: Layout = setting(
        "files",
        "files; webdataset: DIR/shards, as tar files; or parquet: there, with pictures in it.",
        metavar="LAYOUT",
    )
    templates: Paths | Mapping[str, Template] = setting(
        (), "A folder of templates or pictures of yours; may be repeated."
    )
    fonts: Paths = setting((), "A font of yours, used first; may be repeated.")
    locales: Paths | Registry = setting(
        (), "A folder of locales of yours (one TOML each); may be repeated."
    )
    source_language: str | None = setting(
        None,
        "The language that sizes are compared with.",
        name="--source",
        metavar="TAG",
        show_default="the table's first",
    )
    jobs: int = setting(1, "Processes.")
    strict: bool = setting(False, "Do nothing if anything in the table is wrong.")
    force: bool = setting(False, "Render what is unchanged, too.")
    prune: bool = setting(
        False, "Remove pictures of earlier runs that the table has no caption for."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.jobs < 1:
            raise InputError(f"There is at least 1 process, not {self.jobs}.")


def file_format(name: str) -> Format:
    """Return the kind of file of that name.

    Raises:
        InputError: there is no such kind.

    >>> file_format("JPEG")
    'jpg'
    """
    wanted = name.lower().replace("jpeg", "jpg")
    if wanted not in FORMATS:
        raise InputError(f"A picture's format is one of {', '.join(FORMATS)}, not {name!r}.")
    return wanted
