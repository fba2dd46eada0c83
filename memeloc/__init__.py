"""memeloc: parallel, multilingual meme datasets that can be published.

In: nothing. Out: the names that most scripts need. Each is imported when it is first used, so that
`import memeloc` costs nothing and a script that reads captions never loads a renderer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc import evaluate as evaluate
    from memeloc.captions import read_captions as read_captions
    from memeloc.errors import MemelocError as MemelocError
    from memeloc.fonts import FontLibrary as FontLibrary
    from memeloc.model import Bar as Bar
    from memeloc.model import Caption as Caption
    from memeloc.model import Locale as Locale
    from memeloc.model import Meme as Meme
    from memeloc.model import Template as Template
    from memeloc.model import TextBox as TextBox
    from memeloc.model import TextStyle as TextStyle
    from memeloc.render import Proof as Proof
    from memeloc.render import Rendered as Rendered
    from memeloc.render import Renderer as Renderer
    from memeloc.render.sets.parallel_set import render_table as render_table
    from memeloc.templates import load_templates as load_templates
    from memeloc.version import __version__ as __version__
    from memeloc.workspace.workspace import Workspace as Workspace

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
