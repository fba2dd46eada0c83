"""memegen's templates. In: its folders and config.yml. Out: pictures and text boxes.

What tells its folders from others is here; the rest is imported only for them.
"""

from __future__ import annotations

from pathlib import Path

from memeloc.templates.names import visible

CONFIGS = ("config.yml", "config.yaml")
"""How the file is called that makes a folder one of memegen's templates."""


def config_of(folder: Path) -> Path | None:
    """Return the config.yml of a template's folder."""
    return next((folder / name for name in CONFIGS if (folder / name).is_file()), None)


def checkout_entries(folder: Path) -> list[Path]:
    """Return what stands in the folder of templates of a checkout; nothing in other folders.

    A checkout has much else, hidden folders with a config.yml among it (`.circleci`).
    """
    for root in (folder / "templates", folder / "data" / "templates"):
        entries = visible(root) if root.is_dir() else []
        if any(map(config_of, entries)):
            return entries
    return []
