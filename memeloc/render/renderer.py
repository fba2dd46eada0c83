"""Joining the steps. In: a template, a caption, a locale. Out: the picture and its proof."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.fonts import FontLibrary
from memeloc.locales import Registry, default
from memeloc.locales.breaking import uppercase
from memeloc.model import Caption, Locale, Template, TextBox
from memeloc.render import checks
from memeloc.render.background import Background, Backgrounds, Bars, Canvas, Canvases, as_image
from memeloc.render.encode import encode
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.proof import Box, Finding, Proof, prove
from memeloc.render.settings import Settings, file_format
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import EMPTY, PartLayout, is_legible_unbroken, lay_out
from memeloc.version import __version__


@dataclass(frozen=True)
class Rendered:
    """A finished picture and what is known about it. A notebook shows it."""

    canvas: Canvas = field(repr=False)
    proof: Proof

    @cached_property
    def image(self) -> Image.Image:
        """The picture, RGB."""
        return as_image(self.canvas.pixels)

    def save(self, path: str | Path, *, quality: int = 90) -> Path:
        """Write the picture as a file, whole or not at all, and return its path. Raise InputError
        if there is no such kind, or the file cannot be written; MissingError if AVIF, and the
        installed Pillow cannot write it.

        Args:
            path: the suffix says what kind of file: .jpg, .png, .webp or .avif.
            quality: 1 to 100, of JPEG, WebP and AVIF.
        """
        path = Path(path)
        content = encode(self.image, Settings(file_format(path.suffix.lstrip(".")), quality))
        with replacing(path) as temporary:
            temporary.write_bytes(content)
        return path

    def _repr_png_(self) -> bytes:
        return encode(self.image, Settings("png"))


class _Slot(NamedTuple):
    """All that a text box means for one locale on one background, worked out once."""

    box: TextBox
    area: Area
    bounds: Bounds
    itemizer: Itemizer


class Renderer:
    """Renders captions on templates. It keeps fonts, glyph masks and pictures between calls.

    Args:
        fonts: the fonts to draw with; memeloc's own by default.
        max_side: shrinks each picture so that its longer side is at most this many pixels.
        locales: where language tags are looked up; memeloc's own by default.

    A renderer is for one thread; make one for each process.

    >>> renderer = Renderer()
    >>> template = load_templates()[0]["robot-chef"]  # doctest: +SKIP
    >>> renderer.render(template, "two eggs // one segfault", "en").image  # doctest: +SKIP
    """

    def __init__(
        self,
        fonts: FontLibrary | None = None,
        *,
        max_side: int | None = None,
        locales: Registry | None = None,
    ) -> None:
        self.fonts = fonts or FontLibrary()
        self.max_side = max_side
        self.locales = locales or default()
        self._backgrounds = Backgrounds(max_side)
        self._canvases = Canvases()
        self._painter = Painter()
        self._slots: dict[tuple[Template, Locale], list[_Slot]] = {}
        self._itemizers: dict[int, Itemizer] = {}
        self._template_print = cache(_template_print)
        self._locale_prints: dict[Locale, str] = {}

    def render(
        self,
        template: Template,
        caption: Caption | str,
        locale: Locale | str,
        *,
        max_sizes: Sequence[float] | None = None,
        source: Caption | str | None = None,
    ) -> Rendered:
        """Render one caption. Raise InputError if the template's picture cannot be used, the
        caption has more parts than the template has boxes, or the tag is unknown.

        Args:
            caption: one part for each box; missing parts at the end are empty. A string is parsed
                as `Caption.parse` does.
            locale: or its tag.
            max_sizes: the largest font size of each part in pixels, to set a meme at one size in
                all languages.
            source: the caption that this one translates; the parts that only it has are found.
        """
        language, background, slots, parts = self._prepare(template, caption, locale)
        height = background.height
        layouts = [
            _lay_out(slot, text, language, limit)
            for slot, text, limit in zip(
                slots, _texts(slots, parts, language), max_sizes or [0.0] * len(slots), strict=True
            )
        ]
        bars = Bars.of(zip((slot.box for slot in slots), layouts, strict=True), height)
        background = self._backgrounds.get(template, template.image_for(language), bars)
        canvas = self._canvases.canvas_of(background)
        proofs = []
        painted = []
        findings: list[Finding] = []
        for slot, layout in zip(slots, layouts, strict=True):
            top, bottom = bars.span(slot.box.bar, slot.area.top, slot.area.bottom, height)
            area = replace(slot.area, top=top, bottom=bottom)
            style = slot.box.style
            done = self._painter.paint(canvas, layout, area, Ink(style.fill, style.outline))
            part = checks.prove_part(slot.box, layout, done, background, language)
            stack = slot.itemizer.stack
            found = checks.part_findings(part, layout, stack, language, background.width)
            findings += [Finding(kind, part.name, detail) for kind, detail in found]
            if done.clipped:
                findings.append(Finding("clipped", part.name, "ink falls outside the picture"))
            proofs.append(part)
            painted.append((part.name, done))
        findings += checks.overlaps(painted)
        original = _parsed(source, template).parts if source else ()
        findings += checks.text_findings(
            [box.name for box in template.boxes], parts, original, language
        )
        if template.subject:
            subject = _subject(template, language, background.width, height, bars)
            findings += checks.over_subject(subject, painted)
        families = dict.fromkeys(name for part in proofs for name in part.fonts)
        fonts = {name: self.fonts.sha256(name) for name in families}
        size = background.width, background.height
        lines = [box for _, done in painted for box in done.lines]
        return Rendered(canvas, prove(size, proofs, lines, findings, fonts))

    def sizes(
        self,
        template: Template,
        caption: Caption | str,
        locale: Locale | str,
        *,
        exact: bool = True,
    ) -> tuple[float, ...]:
        """Return the font size that each part would get, in pixels; 0.0 for an empty part.

        Unless `exact`, it is infinite for a part that gets a legible one with no word broken.

        Raises:
            InputError: as `render` does.
        """
        language, _, slots, parts = self._prepare(template, caption, locale)
        return tuple(
            math.inf
            if not exact
            and text
            and is_legible_unbroken(text, language, slot.itemizer, slot.bounds)
            else _lay_out(slot, text, language).size
            for slot, text in zip(slots, _texts(slots, parts, language), strict=True)
        )

    def picture_size(self, template: Template, locale: Locale) -> tuple[int, int]:
        """Return width and height of a template's pictures in pixels, without bars. Raise
        InputError if the template's picture cannot be used."""
        background = self._backgrounds.get(template, template.image_for(locale))
        return background.width, background.height

    def lacking(self, template: Template, locale: Locale, text: str) -> list[str]:
        """Return the grapheme clusters of a text that a font of the boxes lacks."""
        stacks = {self.fonts.stack(locale, box.style.face) for box in template.boxes}
        ends = clusters(text)
        pieces = {text[a:b] for a, b in zip([0, *ends], ends, strict=False)}
        return [
            piece
            for piece in pieces
            if piece.strip() and not all(stack.font_for(piece) for stack in stacks)
        ]

    def keep_glyphs(self) -> None:
        """Keep the glyphs drawn so far for the next run, in the user's folder for caches."""
        self._painter.glyphs.keep()

    def fingerprint(self, template: Template, locale: Locale) -> str:
        """Return the SHA-256 of everything that makes the picture but caption and file format.

        The template's boxes and picture, its source and licence (which the manifest names), the
        locale, the fonts, the size limit, and the versions of memeloc, HarfBuzz, ICU and Skia.
        Raise InputError if the template's picture cannot be read.
        """
        of_template = self._template_print(template, template.image_for(locale))
        of_locale = self._locale_prints.get(locale)
        if of_locale is None:
            facts = {
                "locale": asdict(locale),
                "fonts": self.fonts.fingerprint(locale),
                "max_side": self.max_side,
                "versions": versions(),
            }
            of_locale = self._locale_prints[locale] = _hash_of(facts)
        return hashlib.sha256(f"{of_template} {of_locale}".encode()).hexdigest()

    def _prepare(
        self, template: Template, caption: Caption | str, locale: Locale | str
    ) -> tuple[Locale, Background, list[_Slot], tuple[str, ...]]:
        language = self.locales.get(locale) if isinstance(locale, str) else locale
        parts = _parsed(caption, template).parts
        if len(parts) > len(template.boxes):
            raise InputError(
                f"the caption has {counted(len(parts), 'part')} but the template {template.name} "
                f"has {counted(len(template.boxes), 'text box', 'text boxes')}"
            )
        background = self._backgrounds.get(template, template.image_for(language))
        slots = self._slots.get((template, language))
        if slots is None:
            boxes = [box.facing(language.direction) for box in template.boxes]
            slots = [self._slot(box, background, language) for box in boxes]
            self._slots[template, language] = slots
        return language, background, slots, parts

    def _slot(self, box: TextBox, background: Background, locale: Locale) -> _Slot:
        width, height = background.width, background.height
        style = box.style
        area = Area(
            left=math.ceil(box.x * width - 1e-6),
            top=math.ceil(box.y * height - 1e-6),
            right=math.floor((box.x + box.width) * width + 1e-6),
            bottom=math.floor((box.y + box.height) * height + 1e-6),
            angle=box.angle,
            align=box.align,
            valign=box.valign,
            margin=style.outline_width,
        )
        inner = area.bottom - area.top
        if box.bar:
            most, padding = Bars.most(box, box.bar, height)
            inner = most - 2 * padding
        bounds = Bounds(
            width=area.right - area.left,
            height=inner,
            largest=style.max_size * height,
            margin=style.outline_width,
            line_spacing=style.line_spacing,
            align=box.align,
            picture_width=width,
        )
        stack = self.fonts.stack(locale, style.face)
        itemizer = self._itemizers.setdefault(id(stack), Itemizer(stack))
        return _Slot(box, area, bounds, itemizer)


def _parsed(caption: Caption | str, template: Template) -> Caption:
    return Caption.parse(caption, len(template.boxes)) if isinstance(caption, str) else caption


def _texts(slots: Sequence[_Slot], parts: Sequence[str], locale: Locale) -> list[str]:
    """Return each slot's text in the case it is drawn in, empty where the caption has none."""
    return [
        uppercase(text, locale) if slot.box.style.uppercase and locale.uppercase else text
        for slot, text in zip(slots, [*parts, *[""] * (len(slots) - len(parts))], strict=True)
    ]


def _lay_out(slot: _Slot, text: str, locale: Locale, limit: float = 0.0) -> PartLayout:
    if not text:
        return EMPTY
    bounds = slot.bounds
    if 0 < limit < bounds.largest:
        bounds = replace(bounds, largest=limit)
    return lay_out(text, locale, slot.itemizer, bounds)


def _subject(template: Template, locale: Locale, width: int, height: int, bars: Bars) -> Box:
    x, y, across, down = template.subject
    if locale.direction == "rtl" and all(box.mirror for box in template.boxes):
        x = 1 - x - across
    top, bottom = bars.span(None, round(y * height), round((y + down) * height), height)
    return round(x * width), top, round((x + across) * width), bottom


def _template_print(template: Template, image: Path) -> str:
    try:
        picture = file_sha256(image)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=image) from error
    facts = {
        "boxes": [asdict(box) for box in template.boxes],
        "subject": template.subject,
        "picture": picture,
        "source": template.source,
        "licence": template.licence,
    }
    return _hash_of(facts)


def _hash_of(facts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of memeloc and of the libraries that decide what a picture looks like."""
    import icu
    import PIL
    import skia
    import uharfbuzz

    return {
        "memeloc": __version__,
        "harfbuzz": uharfbuzz.version_string(),
        "icu": icu.ICU_VERSION,
        "skia": skia.__version__,
        "pillow": PIL.__version__,
    }
