"""How Sphinx makes the documentation site. In: pages and docstrings. Out: Sphinx's settings."""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

project = "memeloc"
author = "the memeloc team"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Pages stand where they are read without a site, too: at the top of a checkout and in guides/.
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "THIRD_PARTY.md",
    "docs/*.md",
    "guides/**",
    "build/gallery/gallery.md",
    "build/api/*.rst",
]

html_theme = "furo"
html_title = "memeloc"
html_last_updated_fmt = None

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# A name that a package offers and its module has is one thing; there is no lexer for CSV.
suppress_warnings = ["ref.python", "misc.highlighting_failure"]

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
napoleon_use_ivar = True


def setup(app: Any) -> None:
    """Docstrings write `names` as Markdown does, a plural's ending right behind them."""
    app.connect("autodoc-process-docstring", _as_literals)
    # Autodoc writes what a class inherits into its annotations; from these pydantic makes no model
    # that comes later, so that all come before.
    for page in sorted((ROOT / "build" / "api").glob("memeloc*.rst")):
        import_module(page.stem)


def _as_literals(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)(\w*)", _literal, "\n".join(lines))
    lines[:] = text.splitlines()


def _literal(match: re.Match[str]) -> str:
    return f"``{match[1].strip()}``" + (rf"\ {match[2]}" if match[2] else "")
