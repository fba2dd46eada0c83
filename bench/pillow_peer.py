"""Pillow alone. In: a scene. Out: its picture, as `pillow_script` draws it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from PIL import Image

from bench.peers import Stacks, pixel_boxes
from bench.pillow_script import draw
from bench.scenes import Scene
from memeloc.model import Template
from memeloc.templates import open_picture


class PillowPeer:
    """Draws with ImageDraw alone, with a loop that finds a size that fits, or without."""

    def __init__(self, *, fit: bool = True) -> None:
        self.name = "Pillow with a fit loop" if fit else "Pillow without a fit loop"
        self.at_least = 8.0 if fit else None
        self._fit = fit
        self._stacks = Stacks()
        self._pictures: dict[Template, Image.Image] = {}

    def draw(self, scene: Scene) -> Image.Image:
        """See `Peer.draw`."""
        if scene.template not in self._pictures:
            self._pictures[scene.template] = open_picture(scene.template.image)
        image = self._pictures[scene.template].copy()
        draw(image, self.parts(scene, *image.size), fit=self._fit)
        return image

    def parts(self, scene: Scene, width: int, height: int) -> list[dict[str, Any]]:
        """Return what `pillow_script.draw` takes."""
        family = self._stacks.get(scene.locale).primary.source
        axes = (int(family.poster.get(axis, 0)) for axis in ("wght", "wdth"))
        font = (str(family.path), family.index, *axes)
        between = "" if scene.locale.script in ("Hans", "Hani") else " "
        return [
            {"text": text, "between": between, "font": font, **asdict(box)}
            for text, box in zip(
                scene.drawn, pixel_boxes(scene.template, width, height), strict=True
            )
        ]
