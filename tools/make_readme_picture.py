"""Make the picture at the top of the README. In: the starter set. Out: docs/parallel-set.jpg.

python tools/make_readme_picture.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from PIL import Image

from memeloc.render import Renderer
from memeloc.templates import load_templates

TOP = Path(__file__).parent.parent
MEMES = ("summit-snail-01", "protest-hamster-01")
LANGUAGES = ("en", "de", "hi", "zh", "ar", "ja")
SIDE = 260
GAP = 6


def main() -> None:
    """Render MEMES in LANGUAGES and put them side by side."""
    templates, _ = load_templates()
    renderer = Renderer()
    with (TOP / "examples/starter/captions.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["meme_id"]: row for row in csv.DictReader(stream)}
    step = SIDE + GAP
    sheet = Image.new("RGB", (len(LANGUAGES) * step - GAP, len(MEMES) * step - GAP), "#ffffff")
    for down, meme in enumerate(MEMES):
        for across, language in enumerate(LANGUAGES):
            template = templates[rows[meme]["template"]]
            picture = renderer.render(template, rows[meme][language], language).image
            fitted = picture.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
            sheet.paste(fitted, (across * step, down * step))
    sheet.save(TOP / "docs/parallel-set.jpg", quality=85)


if __name__ == "__main__":
    main()
