"""memeloc: parallel, multilingual meme datasets that can be published.

In: nothing. Out: the names that most scripts need. Each is imported when it is first used, so that
`import memeloc` costs nothing and a script that reads captions never loads a renderer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memeloc.captions import read_captions
    from memeloc.errors import MemelocError
    from memeloc.fonts import FontLibrary
    from memeloc.model import Caption, Locale, Meme, Template, TextBox, TextStyle
    from memeloc.render import Proof, Rendered, Renderer
    from memeloc.render.parallel_set import render_table
    from memeloc.templates import load_templates

__version__ = "0.1.0"

__all__ = [
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
    "__version__",
    "load_templates",
    "read_captions",
    "render_table",
]

_HOMES = {
    "Caption": "memeloc.model",
    "FontLibrary": "memeloc.fonts",
    "Locale": "memeloc.model",
    "Meme": "memeloc.model",
    "MemelocError": "memeloc.errors",
    "Proof": "memeloc.render",
    "Rendered": "memeloc.render",
    "Renderer": "memeloc.render",
    "Template": "memeloc.model",
    "TextBox": "memeloc.model",
    "TextStyle": "memeloc.model",
    "load_templates": "memeloc.templates",
    "read_captions": "memeloc.captions",
    "render_table": "memeloc.render.parallel_set",
}


def __getattr__(name: str) -> Any:
    """Import a name of the public interface when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'memeloc' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
