"""Joining the steps. In: a template, a caption, a locale. Out: the picture and its proof."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from PIL import Image

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.fonts import FontLibrary
from memeloc.locales import Registry, default
from memeloc.locales.casing import uppercase
from memeloc.model import Caption, Locale, Template, TextBox
from memeloc.render.background import (
    Background,
    Backgrounds,
    Canvas,
    Canvases,
    as_image,
    contrast,
    relative_luminance,
)
from memeloc.render.bars import NO_BARS, Bars, bars_of, most_height
from memeloc.render.checks import (
    LOW_CONTRAST,
    contrast_behind,
    over_subject,
    overlaps,
    part_findings,
    text_findings,
)
from memeloc.render.encode import Settings, encode, file_format
from memeloc.render.painting.paint import Area, Painted, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.proof import Box, Finding, PartProof, Proof, TextBoxes, prove
from memeloc.render.text_boxes import text_boxes
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import EMPTY, PartLayout, is_legible_unbroken, lay_out
from memeloc.version import __version__


@dataclass(frozen=True)
class Rendered:
    """A finished picture and what is known about it. A notebook shows it.

    Attributes:
        canvas: the rows of the picture that text has touched, on its background.
        proof: see `Proof`.
    """

    canvas: Canvas = field(repr=False)
    proof: Proof

    @cached_property
    def image(self) -> Image.Image:
        """The picture, RGB."""
        return as_image(self.canvas.pixels)

    def save(self, path: str | Path, *, quality: int = 90) -> Path:
        """Write the picture as a file, whole or not at all, and return its path.

        Args:
            path: the suffix says what kind of file: .jpg, .png, .webp or .avif.
            quality: 1 to 100, of JPEG, WebP and AVIF.

        Raises:
            InputError: there is no such kind, or the file cannot be written.
            MissingError: AVIF, and the installed Pillow cannot write it.
        """
        path = Path(path)
        content = encode(self.image, Settings(file_format(path.suffix.lstrip(".")), quality))
        with replacing(path) as temporary:
            temporary.write_bytes(content)
        return path

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        return encode(self.image, Settings("png"))


@dataclass(frozen=True, slots=True)
class _Slot:
    """All that a text box means for one locale on one background, worked out once."""

    box: TextBox
    area: Area
    bounds: Bounds
    ink: Ink
    itemizer: Itemizer
    case: Callable[[str], str] | None
    fill: float
    outline: float


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
        self._template_prints: dict[tuple[Template, Path], str] = {}
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
        """Render one caption.

        Args:
            caption: one part for each box; missing parts at the end are empty. A string is parsed
                as `Caption.parse` does.
            locale: or its tag.
            max_sizes: the largest font size of each part in pixels, to set a meme at one size in
                all languages.
            source: the caption that this one translates; the parts that only it has are found.

        Raises:
            InputError: the template's picture cannot be used, the caption has more parts than the
                template has boxes, or the tag is unknown.
        """
        language = self._locale(locale)
        image = template.image_for(language)
        background = self._backgrounds.get(template, image)
        slots, parts = self._prepare(template, background, caption, language)
        layouts = [
            self._lay_out(slot, parts, index, language, max_sizes)
            for index, slot in enumerate(slots)
        ]
        areas = [slot.area for slot in slots]
        bars, height = NO_BARS, background.height
        if any(slot.box.bar for slot in slots):
            boxes = [slot.box for slot in slots]
            bars = bars_of(zip(boxes, layouts, strict=True), height)
            areas = [_with_bars(slot, bars, height) for slot in slots]
            background = self._backgrounds.get(template, image, bars)
        canvas = self._canvases.canvas_of(background)
        proofs = []
        line_boxes = []
        inks = []
        findings: list[Finding] = []
        for slot, layout, area in zip(slots, layouts, areas, strict=True):
            painted = self._painter.paint(canvas, layout, area, slot.ink)
            part = _prove_part(slot, area, layout, painted, background, language)
            stack = slot.itemizer.stack
            found = part_findings(part, layout, stack, language, background.width)
            findings += [Finding(kind, part.name, detail) for kind, detail in found]
            if painted.clipped:
                findings.append(Finding("clipped", part.name, "ink falls outside the picture"))
            proofs.append(part)
            line_boxes += painted.lines
            inks.append((slot.box.name, painted, area))
        findings += overlaps(inks)
        names = [box.name for box in template.boxes]
        findings += text_findings(names, parts, _parts(source, template), language)
        if template.subject:
            subject = _subject(template, language, background.width, height, bars)
            findings += over_subject(subject, inks)
        families = dict.fromkeys(name for part in proofs for name in part.fonts)
        fonts = {name: self.fonts.sha256(name) for name in families}
        size = background.width, background.height
        proof = prove(size, proofs, line_boxes, findings, fonts)
        return Rendered(canvas, proof)

    def sizes(
        self,
        template: Template,
        caption: Caption | str,
        locale: Locale | str,
        *,
        exact: bool = True,
    ) -> tuple[float, ...]:
        """The font size each part would get, in pixels; 0.0 for an empty part. Paints nothing.

        Unless `exact`, it is infinite for a part that gets a legible one with no word broken.

        Raises:
            InputError: as `render` does.
        """
        language = self._locale(locale)
        background = self._backgrounds.get(template, template.image_for(language))
        slots, parts = self._prepare(template, background, caption, language)
        sizes = []
        for index, slot in enumerate(slots):
            text = "" if exact else _text(slot, parts, index)
            if text and is_legible_unbroken(text, language, slot.itemizer, slot.bounds):
                sizes.append(math.inf)
            else:
                sizes.append(self._lay_out(slot, parts, index, language, None).size)
        return tuple(sizes)

    def picture_size(self, template: Template, locale: Locale) -> tuple[int, int]:
        """Return width and height of a template's pictures in pixels, without bars.

        Raises:
            InputError: the template's picture cannot be used.
        """
        background = self._backgrounds.get(template, template.image_for(locale))
        return background.width, background.height

    def keep_glyphs(self) -> None:
        """Keep the glyphs drawn so far for the next run, in the user's folder for caches."""
        self._painter.glyphs.keep()

    def fingerprint(self, template: Template, locale: Locale) -> str:
        """SHA-256 of everything that makes the picture but the caption and the file format.

        The template's boxes and picture, its source and licence (which the manifest names), the
        locale, the fonts, the size limit, and the versions of memeloc, HarfBuzz, ICU and Skia.

        Raises:
            InputError: the template's picture cannot be read.
        """
        image = template.image_for(locale)
        of_template = self._template_prints.get((template, image))
        if of_template is None:
            of_template = _template_print(template, image)
            self._template_prints[template, image] = of_template
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

    def _locale(self, locale: Locale | str) -> Locale:
        return self.locales.get(locale) if isinstance(locale, str) else locale

    def _prepare(
        self, template: Template, background: Background, caption: Caption | str, language: Locale
    ) -> tuple[list[_Slot], tuple[str, ...]]:
        parts = _parts(caption, template)
        if len(parts) > len(template.boxes):
            raise InputError(
                f"the caption has {counted(len(parts), 'part')} but the template {template.name} "
                f"has {counted(len(template.boxes), 'text box', 'text boxes')}"
            )
        slots = self._slots.get((template, language))
        if slots is None:
            boxes = [box.facing(language.direction) for box in template.boxes]
            slots = [self._slot(box, background, language) for box in boxes]
            self._slots[template, language] = slots
        return slots, parts

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
        bounds = Bounds(
            width=area.right - area.left,
            height=most_height(box, box.bar, height)[1] if box.bar else area.bottom - area.top,
            largest=style.max_size * height,
            margin=style.outline_width,
            line_spacing=style.line_spacing,
            align=box.align,
            picture_width=width,
        )
        stack = self.fonts.stack(locale, style.face)
        itemizer = self._itemizers.setdefault(id(stack), Itemizer(stack))
        case = partial(uppercase, locale=locale) if style.uppercase and locale.uppercase else None
        return _Slot(
            box=box,
            area=area,
            bounds=bounds,
            ink=Ink(style.fill, style.outline),
            itemizer=itemizer,
            case=case,
            fill=relative_luminance(style.fill),
            outline=relative_luminance(style.outline),
        )

    def _lay_out(
        self,
        slot: _Slot,
        parts: tuple[str, ...],
        index: int,
        locale: Locale,
        max_sizes: Sequence[float] | None,
    ) -> PartLayout:
        text = _text(slot, parts, index)
        if not text:
            return EMPTY
        bounds = slot.bounds
        if max_sizes is not None and 0 < max_sizes[index] < bounds.largest:
            bounds = replace(bounds, largest=max_sizes[index])
        return lay_out(text, locale, slot.itemizer, bounds)


def _parts(caption: Caption | str | None, template: Template) -> tuple[str, ...]:
    if isinstance(caption, str):
        caption = Caption.parse(caption, len(template.boxes))
    return caption.parts if caption else ()


def _subject(template: Template, locale: Locale, width: int, height: int, bars: Bars) -> Box:
    """Return a template's subject in pixels of the picture with its bars."""
    x, y, across, down = template.subject
    if locale.direction == "rtl" and all(box.mirror for box in template.boxes):
        x = 1 - x - across
    top, bottom = bars.span(None, round(y * height), round((y + down) * height), height)
    return round(x * width), top, round((x + across) * width), bottom


def _text(slot: _Slot, parts: tuple[str, ...], index: int) -> str:
    """A slot's text, in the case it is drawn in; empty when the caption has none for it."""
    text = parts[index] if index < len(parts) else ""
    return slot.case(text) if slot.case else text


def _with_bars(slot: _Slot, bars: Bars, picture_height: int) -> Area:
    """Where a slot's text goes in the picture with its bars."""
    area = slot.area
    top, bottom = bars.span(slot.box.bar, area.top, area.bottom, picture_height)
    return replace(area, top=top, bottom=bottom)


def _prove_part(
    slot: _Slot,
    area: Area,
    layout: PartLayout,
    painted: Painted,
    background: Background,
    locale: Locale,
) -> PartProof:
    box = painted.ink
    if box is None:
        return PartProof(slot.box.name, layout.size)
    families = [run.face.family for line in layout.lines for run in line.runs]
    boxes = text_boxes(layout.lines, painted.placed, area, layout.size, locale)
    return PartProof(
        name=slot.box.name,
        font_size=layout.size,
        lines=tuple([line.text for line in layout.lines]),
        ink=box,
        contrast=_contrast(slot, layout.size, boxes, background),
        fonts=tuple(dict.fromkeys(families)),
        boxes=boxes,
    )


def _contrast(slot: _Slot, size: float, boxes: TextBoxes, background: Background) -> float:
    """Return the contrast of letters with their outline, their bar, or the picture behind them."""
    outline, width = slot.outline, slot.bounds.margin * size
    if width < 1 and slot.box.bar:
        behind = relative_luminance(slot.box.bar.colour)
        return contrast(slot.fill, width * outline + (1 - width) * behind)
    if width < 1:
        return contrast_behind(boxes, background, slot.fill, outline, width)
    ratio = contrast(slot.fill, outline)
    # Letters and outline together may stand out, as all light ones on a dark picture.
    return ratio if ratio >= LOW_CONTRAST else contrast_behind(boxes, background, outline)


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
    """The versions of memeloc and of the libraries that decide what a picture looks like."""
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
