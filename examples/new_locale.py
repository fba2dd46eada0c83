"""Add a language in five lines of Python, and draw a meme in it.

Run `python examples/new_locale.py [FOLDER]`. It writes a picture to FOLDER, by default a temporary
one, and prints the picture's path. Scottish Gaelic is written with letters that English locales'
fonts have, so it starts from English and says what differs.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from memeloc.locales import Registry
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates


def main() -> None:
    """Add the locale, draw one meme, print where it is."""
    registry = Registry.load()
    gaelic = replace(registry.get("en"), tag="gd", name="Scottish Gaelic", native_name="Gàidhlig")
    gaelic = replace(gaelic, country="GB", line_break="gd", recruitment="Gaelic - Scottish")
    gaelic = replace(gaelic, google="gd", tesseract="gla")
    registry.add(gaelic)

    templates, _ = load_templates()
    caption = Caption.parse("Nuair a dh’obraicheas e // air a’ chiad oidhirp")
    rendered = Renderer().render(templates["cloud-monday"], caption, registry.get("gd-GB"))
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="memeloc-"))
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "gd.jpg"
    rendered.image.save(picture, quality=90)
    print(picture)
    for problem in rendered.proof.problems:
        sys.exit(f"the proof says: {problem}")


if __name__ == "__main__":
    main()
