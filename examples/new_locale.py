"""Add a language in five lines of Python, and draw a meme in it.

Run `python examples/new_locale.py [FOLDER]`. It writes locales/gd.toml and a picture to FOLDER, by
default a temporary one, and prints the picture's path. What CLDR knows of Scottish Gaelic is in the
TOML; what only its readers know, such as the short words that no line should end with, is for
them to write where a line begins with `#`. `memeloc locales new gd` does the same.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from memeloc.locales import Registry, new_locale
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates


def main() -> None:
    """Write the locale, draw one meme, print where it is."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="memeloc-"))
    registry = Registry.load(new_locale("gd", folder / "locales").parent)
    templates, _ = load_templates()
    caption = Caption.parse("Nuair a dh’obraicheas e // air a’ chiad oidhirp")
    rendered = Renderer().render(templates["cloud-monday"], caption, registry.get("gd-GB"))
    picture = folder / "gd.jpg"
    rendered.image.save(picture, quality=90)
    print(picture)
    for problem in rendered.proof.problems:
        sys.exit(f"the proof says: {problem}")


if __name__ == "__main__":
    main()
