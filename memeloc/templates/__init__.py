"""Templates: a picture and its boxes. In: folders. Out: `Template`s, pictures, and what is wrong.

`load_templates` and `load_template` read template.toml files and folders of plain pictures;
`open_picture` reads the picture itself; `preview` shows the boxes, `add_template` makes a template
of a picture, `write_template` of one that was collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.templates.loading import find_template, load_template, load_templates
    from memeloc.templates.making import LAYOUTS, add_template, preview, write_preview
    from memeloc.templates.pictures import MAX_BYTES, MAX_PIXELS, open_picture, picture_size
    from memeloc.templates.writing import write_template

__all__ = [
    "LAYOUTS",
    "MAX_BYTES",
    "MAX_PIXELS",
    "add_template",
    "find_template",
    "load_template",
    "load_templates",
    "open_picture",
    "picture_size",
    "preview",
    "write_preview",
    "write_template",
]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.templates.loading": ["find_template", "load_template", "load_templates"],
        "memeloc.templates.making": ["LAYOUTS", "add_template", "preview", "write_preview"],
        "memeloc.templates.pictures": ["MAX_BYTES", "MAX_PIXELS", "open_picture", "picture_size"],
        "memeloc.templates.writing": ["write_template"],
    },
)
