"""A checkout of memegen. In: its folder. Out: its templates' folders and names, `Template`s.

memegen's templates are `templates/<id>/`, in old checkouts `data/templates/<id>/`, with a
config.yml and a picture. A checkout has much else, hidden folders with a config.yml among it
(`.circleci`).
"""

from __future__ import annotations

from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import Template
from memeloc.templates.memegen import CONFIGS, PLACES
from memeloc.templates.memegen.boxes import place
from memeloc.templates.memegen.config import Config, parse_config
from memeloc.templates.memegen.pictures import look_through
from memeloc.templates.pictures import picture_notes, picture_size

_LARGEST_READ = 300_000  # bytes; what is larger than the parser's limit it refuses


def template_folders(path: Path) -> list[Path]:
    """The folders of templates.

    Args:
        path: a checkout of memegen, its folder `templates`, or the folder of one template.

    Raises:
        InputError: there is no such folder, or no template in it.
    """
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "there is no such folder"
        raise InputError(f"{what}; give a checkout of memegen or its folder templates", file=path)
    if config_of(path) is not None:
        return [path.resolve()]
    try:
        for root in (*(path / place for place in PLACES), path):
            folders = sorted(
                entry
                for entry in (root.iterdir() if root.is_dir() else ())
                if entry.is_dir() and not entry.name.startswith(".")
            )
            if any(map(config_of, folders)):
                return folders
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    raise InputError("holds no template: memegen's are folders with a config.yml each", file=path)


def config_of(folder: Path) -> Path | None:
    """The config.yml of a template's folder."""
    return next((folder / name for name in CONFIGS if (folder / name).is_file()), None)


def read_config(folder: Path) -> Config:
    """What the config.yml of a template's folder says.

    Raises:
        InputError: there is none, it leads out of the folder, or it is not readable.
    """
    path = config_of(folder)
    if path is None:
        raise InputError("there is no config.yml in this folder, so it was left out", file=folder)
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError("leads out of the template's own folder", file=path)
        with path.open("rb") as file:
            return parse_config(file.read(_LARGEST_READ), path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def load_template(folder: Path, name: str) -> Template:
    """A template of memegen, rendered on where it lies.

    Its picture is the first of `look_through` that is there and of a kind that is read; of an
    animation it is the first frame.

    Args:
        folder: with the config.yml.
        name: what it is called, see `safe_names`.

    Raises:
        InputError: config.yml or picture are missing or wrong.
    """
    config = read_config(folder)
    pictures = look_through(folder)
    candidates = pictures.stills or pictures.styles
    if not candidates:
        raise InputError(
            "there is no picture in this folder; memegen's is called default.jpg or the like",
            file=folder,
        )
    image = candidates[0]
    if not image.resolve().is_relative_to(folder.resolve()):
        raise InputError("leads out of the template's own folder", file=image)
    return Template(
        name=name,
        image=image,
        boxes=tuple(placed.box for placed in place(config.regions, picture_size(image))),
        title=config.name or folder.name,
        keywords=config.keywords,
        source=config.source,
        notes=tuple(f"{image.name}: {note}" for note in picture_notes(image)),
    )
