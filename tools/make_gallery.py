"""Writes the documentation's gallery. In: templates, locales, captions. Out: pictures, a page.

Run by `make site`: each template with a caption, and each locale on one template: its caption of
the starter set, or else its own name and the first letters of its alphabet.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from memeloc import Renderer, load_templates
from memeloc.locales import default
from memeloc.model import SEPARATOR, Locale

STARTER = Path(__file__).parents[1] / "examples" / "starter" / "captions.csv"
_TEMPLATE = "cloud-monday"
_IDS = ("meme_id", "template")
_LETTERS = 12

_HEAD = """\
# Gallery

All that memeloc draws out of the box. The pictures are made while this page is built, with the
fonts that pip installs.

"""


def write_gallery(folder: Path) -> Path:
    """Write the gallery's pictures and its page into a folder, and return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "gallery.md"
    page.write_text(_HEAD + "\n".join([*_templates(folder), *_locales(folder)]), encoding="utf-8")
    return page


def _templates(folder: Path) -> Iterator[str]:
    templates, _ = load_templates()
    renderer = Renderer()
    captions = {row["template"]: row["en"] for row in reversed(_starter())}
    yield "## Templates\n"
    for name, template in sorted(templates.items()):
        boxes = ", ".join(box.name for box in template.boxes)
        caption = captions.get(name) or SEPARATOR.join(box.name for box in template.boxes)
        renderer.render(template, caption, "en").save(folder / f"template-{name}.jpg")
        yield f"### `{name}`\n\n{template.title or name}. Parts: {boxes}.\n"
        yield f"![{_alt(caption)}](template-{name}.jpg)\n"


def _locales(folder: Path) -> Iterator[str]:
    template = load_templates()[0][_TEMPLATE]
    renderer = Renderer()
    starter = next(row for row in _starter() if row["template"] == _TEMPLATE)
    captions = {default().get(tag).tag: text for tag, text in starter.items() if tag not in _IDS}
    yield "## Locales\n"
    for locale in sorted(default(), key=lambda each: each.name):
        caption = captions.get(locale.tag) or SEPARATOR.join([locale.native_name, _letters(locale)])
        renderer.render(template, caption, locale).save(folder / f"locale-{locale.tag}.jpg")
        direction = "right to left" if locale.direction == "rtl" else "left to right"
        yield f"### {locale.name} (`{locale.tag}`)\n"
        yield f"{locale.native_name}; script {locale.script}, {direction}.\n"
        yield f"![{_alt(caption)}](locale-{locale.tag}.jpg)\n"


def _letters(locale: Locale) -> str:
    letters = [each for each in default().exemplars(locale.tag) if each.isalpha()]
    return " ".join(letters[:_LETTERS])


def _starter() -> list[dict[str, str]]:
    with STARTER.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _alt(caption: str) -> str:
    return caption.replace("[", "(").replace("]", ")")


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1]))
