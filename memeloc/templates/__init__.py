"""Templates: a picture and its boxes. In: folders. Out: `Template`s, pictures, and what is wrong.

`load_templates` and `load_template` read template.toml files and folders of plain pictures;
`open_picture` reads the picture itself; `preview` shows the boxes, `add_template` makes a template
of a picture, `write_template` of one that was collected, and `copy_template` copies one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.templates.loading import find_template as find_template
    from memeloc.templates.loading import load_template as load_template
    from memeloc.templates.loading import load_templates as load_templates
    from memeloc.templates.pictures import MAX_BYTES as MAX_BYTES
    from memeloc.templates.pictures import MAX_PIXELS as MAX_PIXELS
    from memeloc.templates.pictures import open_picture as open_picture
    from memeloc.templates.pictures import picture_size as picture_size
    from memeloc.templates.writing import LAYOUTS as LAYOUTS
    from memeloc.templates.writing import add_template as add_template
    from memeloc.templates.writing import copy_template as copy_template
    from memeloc.templates.writing import is_same_template as is_same_template
    from memeloc.templates.writing import preview as preview
    from memeloc.templates.writing import write_preview as write_preview
    from memeloc.templates.writing import write_template as write_template

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
