"""Writes the documentation's API pages. In: the packages' docstrings. Out: a page a package.

Run by `make site`. A page has the package's walk and what it offers; the modules of entities and
of the workspace, which users call, are on pages of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LEFT_OUT = ("cli", "studio", "store", "_data")
"""What is no API: commands stand in guides/commands.md, the rest behind `memeloc.workspace`."""
_MODULES = ("", "workspace", "workspace/correcting")
"""Packages whose modules have pages."""


def write_api_pages(folder: Path) -> None:
    """Write the pages, and `index.rst`, which lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted({*_packages(), *_modules()})
    for name in names:
        page = f"{name}\n{'=' * len(name)}\n\n.. automodule:: {name}\n"
        init = ROOT.joinpath(*name.split("."), "__init__.py")
        if init.exists() and "__all__" in init.read_text(encoding="utf-8"):
            page += "   :imported-members:\n"  # of other packages, what it offers as its own
        if name.split(".")[1:2] in ([], ["workspace"], ["analyze"], ["evaluate"]):
            page += "   :no-index:\n"  # what they offer stands on other pages, too
        (folder / f"{name}.rst").write_text(page, encoding="utf-8")
    title = "Python API\n==========\n\n.. toctree::\n   :maxdepth: 1\n\n"
    listed = "".join(f"   {name}\n" for name in names)
    (folder / "index.rst").write_text(title + listed, encoding="utf-8")


def _packages() -> list[str]:
    folders = [init.parent.relative_to(ROOT) for init in (ROOT / "memeloc").rglob("__init__.py")]
    return [".".join(each.parts) for each in folders if not set(each.parts[1:2]) & set(_LEFT_OUT)]


def _modules() -> list[str]:
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for folder in _MODULES
        for path in (ROOT / "memeloc" / folder).glob("[a-z]*.py")
    ]


if __name__ == "__main__":
    write_api_pages(Path(sys.argv[1]))
