"""A small survey for tests: two memes, an explicit and an implicit check, in any language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from memeloc.locales import default
from memeloc.model import Template
from memeloc.render import Renderer
from memeloc.survey.model import Check, CompletionCodes, Culture, MemeEntry, Sheet
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
from memeloc.templates import load_templates

CAPTIONS = {
    "en": ("two eggs // one segfault", "Monday again // <b>&amp;</b>"),
    "de": ("zwei Eier // ein Absturz", "Schon wieder Montag // <b>&amp;</b>"),
    "ar": ("بيضتان // وانهيار واحد", "الاثنين مجددًا // <b>&amp;</b>"),
    "bn": ("দুটি ডিম // একটি ক্র্যাশ", "আবার সোমবার // <b>&amp;</b>"),
    "hi": ("दो अंडे // एक क्रैश", "फिर सोमवार // <b>&amp;</b>"),
}
CODES = CompletionCodes("DONE-7", "FAIL-7", "NO-7", "OUT-7")


@cache
def _templates() -> dict[str, Template]:
    return load_templates()[0]


@cache
def _renderer() -> Renderer:
    return Renderer(max_side=320)


def pack(
    folder: Path, tag: str = "en", country: str = "US", *, name: str = "pilot"
) -> SheetsToSend:
    """A survey of one sheet, its pictures rendered into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    locale = default().get(tag)
    taxonomy = load_taxonomy("multi3hate")
    texts = survey_texts(locale)
    first, second = CAPTIONS[tag]

    def picture(file: str, template: str, caption: str) -> Path:
        path = folder / f"{tag}-{file}.jpg"
        made = _renderer().render(_templates()[template], caption, locale)
        made.image.save(path, quality=80)
        return path

    examples = {
        (country, example.id): picture(
            example.id,
            example.template,
            texts.get(f"taxonomy.multi3hate.example.{example.id}.caption"),
        )
        for example in taxonomy.examples
    }
    shown = taxonomy.examples[0]
    entries = (
        MemeEntry("m1", "robot-chef", picture("m1", "robot-chef", first), first),
        Check("check-1", "explicit", "unknown"),
        Check("check-2", "implicit", shown.label, shown.id, examples[country, shown.id]),
        MemeEntry("m2", "cloud-monday", picture("m2", "cloud-monday", second), second),
    )
    culture = Culture(country, locale)
    sheet = Sheet(f"r1-b01-{country}", name, "r1-b01", 1, culture, "multi3hate", entries, 5)
    return SheetsToSend(
        name,
        (sheet,),
        taxonomy,
        {locale.tag: texts},
        {sheet.id: CODES},
        examples,
        "lab@university.example",
        4,
    )


class MemoryState(dict[str, Any]):
    """A target's `State` that lasts as long as the object."""

    def put(self, key: str, value: Any) -> None:
        self[key] = value
