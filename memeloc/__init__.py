"""memeloc: parallel, multilingual meme datasets that can be published.

In: nothing. Out: the names that most scripts need. Each is imported when it is first used, so that
`import memeloc` costs nothing and a script that reads captions never loads a renderer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package
from memeloc.version import __version__

if TYPE_CHECKING:
    from memeloc import evaluate
    from memeloc.captions import read_captions
    from memeloc.errors import MemelocError
    from memeloc.fonts import FontLibrary
    from memeloc.model import Bar, Caption, Locale, Meme, Template, TextBox, TextStyle
    from memeloc.render import Proof, Rendered, Renderer
    from memeloc.render.sets.parallel_set import render_table
    from memeloc.templates import load_templates
    from memeloc.workspace.workspace import Workspace

__all__ = [
    "Bar",
    "Caption",
    "FontLibrary",
    "Locale",
    "Meme",
    "MemelocError",
    "Proof",
    "Rendered",
    "Renderer",
    "Template",
    "TextBox",
    "TextStyle",
    "Workspace",
    "__version__",
    "evaluate",
    "load_templates",
    "read_captions",
    "render_table",
]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.captions": ["read_captions"],
        "memeloc.errors": ["MemelocError"],
        "memeloc.fonts": ["FontLibrary"],
        "memeloc.model": ["Bar", "Caption", "Locale", "Meme", "Template", "TextBox", "TextStyle"],
        "memeloc.render": ["Proof", "Rendered", "Renderer"],
        "memeloc.render.sets.parallel_set": ["render_table"],
        "memeloc.templates": ["load_templates"],
        "memeloc.workspace.workspace": ["Workspace"],
    },
    packages=["evaluate"],
)
