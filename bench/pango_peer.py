"""Pango with Cairo, in process. In: a scene. Out: its picture.

What somebody does who knows both well: one context, layout and surface for everything, template
pictures kept as Cairo wants them, the size found by bisection over whole pixels, and one path a
part that is stroked, then filled.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cairocffi
from fontTools.ttLib import TTFont
from PIL import Image

from bench.peers import PixelBox, Stacks, pixel_boxes
from bench.scenes import LANGUAGES, Scene
from memeloc.fonts import Family, FontStack
from memeloc.locales import default
from memeloc.model import Locale, Template
from memeloc.templates import open_picture

_SMALLEST = 8
_SCALE = 1024
"""Pango units in a pixel."""
_PITCH = {"Latn": 1.0, "Hani": 1.0, "Hans": 1.0, "Deva": 1.3, "Arab": 1.3}
"""Distance of baselines in ems, close to what memeloc finds by the ink: Pango's own is far more."""


class PangoPeer:
    """Draws with Pango and Cairo, with fonts of its own Fontconfig configuration."""

    name = "Pango with Cairo"
    at_least: float | None = 2.5

    def __init__(self, languages: Sequence[str] = LANGUAGES) -> None:
        self._stacks = Stacks()
        self._folder = tempfile.TemporaryDirectory(prefix="memeloc-bench-fonts-")
        import pangocairocffi
        import pangocffi

        self._pango: Any = pangocffi.pango
        self._ffi: Any = pangocffi.ffi
        self._pangocairo: Any = pangocairocffi.pangocairo
        self._layouts: dict[Locale, _Layout] = {}
        self._key_parts: dict[Template, tuple[int, int, bytes]] = {}
        self._surfaces: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self._families: dict[str, str] = {}
        # All of them before the first layout: Pango's font map does not look again.
        with _no_other_fonts(Path(self._folder.name)):
            for language in languages:
                self._register(self._stacks.get(default().get(language)))

    def draw(self, scene: Scene) -> Image.Image:
        """See `Peer.draw`."""
        width, height, background = self._background(scene.template)
        surface, data, context = self._surface(width, height)
        surface.flush()
        data[:] = background
        surface.mark_dirty()
        layout = self._layout(scene.locale, context)
        for text, box in zip(scene.drawn, pixel_boxes(scene.template, width, height), strict=True):
            self._part(context, layout, text, box)
        surface.flush()
        return Image.frombuffer("RGB", (width, height), data, "raw", "BGRX", surface.get_stride())

    def _part(self, context: Any, layout: _Layout, text: str, box: PixelBox) -> None:
        layout.set_text(text)
        low, high = _SMALLEST, int(box.largest)
        at = 0
        while low < high:
            at = (low + high + 1) // 2
            if layout.fits(at, box):
                low = at
            else:
                high = at - 1
        if at != low:
            layout.fits(low, box)
        left, top, width, height = layout.ink
        outline = box.outline * low
        x = box.left + (box.width - width) / 2 - left
        y = box.top + box.height - outline - height - top if box.below else box.top + outline - top
        context.new_path()
        context.move_to(x, y)
        self._pangocairo.pango_cairo_layout_path(context._pointer, layout.pointer)
        context.set_source_rgb(0, 0, 0)
        context.set_line_width(2 * outline)
        context.stroke_preserve()
        context.set_source_rgb(1, 1, 1)
        context.fill()

    def _layout(self, locale: Locale, context: Any) -> _Layout:
        layout = self._layouts.get(locale)
        if layout is None:
            families = [face.source for face in self._stacks.get(locale).preferred]
            layout = _Layout(self._pango, self._ffi, self._pangocairo, context, locale)
            layout.use([self._families[family.name] for family in families], families[0])
            self._layouts[locale] = layout
        return layout

    def _register(self, stack: FontStack) -> None:
        fontconfig = _fontconfig()
        for family in (face.source for face in stack.preferred):
            if family.name not in self._families:
                fontconfig.FcConfigAppFontAddFile(None, os.fsencode(family.path))
                font = TTFont(family.path, fontNumber=family.index, lazy=True)
                self._families[family.name] = str(font["name"].getBestFamilyName())

    def _background(self, template: Template) -> tuple[int, int, bytes]:
        picture = self._key_parts.get(template)
        if picture is None:
            image = open_picture(template.image)
            pixels = image.convert("RGBA").tobytes("raw", "BGRA")
            picture = self._key_parts[template] = (image.width, image.height, pixels)
        return picture

    def _surface(self, width: int, height: int) -> tuple[Any, Any, Any]:
        kept = self._surfaces.get((width, height))
        if kept is None:
            surface = cairocffi.ImageSurface(cairocffi.FORMAT_RGB24, width, height)
            context = cairocffi.Context(surface)
            context.set_line_join(cairocffi.LINE_JOIN_ROUND)
            kept = self._surfaces[width, height] = (surface, surface.get_data(), context)
        return kept


class _Layout:
    """One Pango layout that is used for every text of a locale."""

    def __init__(self, pango: Any, ffi: Any, pangocairo: Any, context: Any, locale: Locale) -> None:
        self._pango, self._ffi = pango, ffi
        self._pitch = _PITCH[locale.script]
        self.pointer = ffi.gc(
            pangocairo.pango_cairo_create_layout(context._pointer), pango.g_object_unref
        )
        inner = pango.pango_layout_get_context(self.pointer)
        language = pango.pango_language_from_string(locale.tag.encode())
        pango.pango_context_set_language(inner, language)
        direction = pango.PANGO_DIRECTION_RTL if locale.direction == "rtl" else None
        if direction is not None:
            pango.pango_context_set_base_dir(inner, direction)
            pango.pango_layout_set_auto_dir(self.pointer, 0)
        pango.pango_layout_set_wrap(self.pointer, pango.PANGO_WRAP_WORD)
        pango.pango_layout_set_alignment(self.pointer, pango.PANGO_ALIGN_CENTER)
        self._font: Any = None
        self._natural = 1.0
        self._ink = ffi.new("PangoRectangle *")
        self._logical = ffi.new("PangoRectangle *")

    def use(self, names: list[str], primary: Family) -> None:
        """Set the families, and the weight and width of the first one's poster face."""
        pango = self._pango
        font = pango.pango_font_description_new()
        self._font = self._ffi.gc(font, pango.pango_font_description_free)
        pango.pango_font_description_set_family(font, ",".join(names).encode())
        settings = dict(primary.poster)
        if settings:
            pango.pango_font_description_set_weight(font, int(settings.get("wght", 400)))
            text = ",".join(f"{axis}={value:g}" for axis, value in settings.items())
            pango.pango_font_description_set_variations(font, text.encode())
        self.set_text("A")
        self._set_size(100)
        pango.pango_layout_get_pixel_extents(self.pointer, self._ink, self._logical)
        self._natural = self._logical.height / 100
        pango.pango_layout_set_line_spacing(self.pointer, self._pitch / self._natural)

    def set_text(self, text: str) -> None:
        """Set the text."""
        encoded = text.encode()
        self._pango.pango_layout_set_text(self.pointer, encoded, len(encoded))

    def fits(self, size: int, box: PixelBox) -> bool:
        """Break the text at a size, in pixels, and say whether its ink fits the box."""
        around = 2 * box.outline * size
        room = int((box.width - around) * _SCALE)
        self._pango.pango_layout_set_width(self.pointer, room)
        self._set_size(size)
        self._pango.pango_layout_get_pixel_extents(self.pointer, self._ink, self._logical)
        return bool(
            self._ink.width + around <= box.width and self._ink.height + around <= box.height
        )

    @property
    def ink(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the ink as it was broken last, in pixels."""
        ink = self._ink
        return ink.x, ink.y, ink.width, ink.height

    def _set_size(self, size: int) -> None:
        pango = self._pango
        pango.pango_font_description_set_absolute_size(self._font, size * _SCALE)
        pango.pango_layout_set_font_description(self.pointer, self._font)


@contextmanager
def _no_other_fonts(folder: Path) -> Iterator[None]:
    """Have Fontconfig, which starts meanwhile, know no font but those that are added to it.

    Only this process may have it so: others would miss the fonts of the system.
    """
    settings = folder / "fonts.conf"
    settings.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig><cachedir>{folder}</cachedir></fontconfig>",
        encoding="utf-8",
    )
    with patch.dict(os.environ, FONTCONFIG_FILE=str(settings)):
        yield


def _fontconfig() -> Any:
    import ctypes

    library = ctypes.CDLL("libfontconfig.so.1")
    library.FcConfigAppFontAddFile.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.FcConfigAppFontAddFile.restype = ctypes.c_int
    return library
