"""The example server as a program: address, log, validators, robots.txt, and what it holds."""

from __future__ import annotations

import io

from PIL import Image

from examples.sites import memegenerator
from examples.sites.pictures import blank, scene


def test_pictures_are_the_same_in_every_run() -> None:
    names = {template.scene for template in memegenerator.templates()}
    first = {name: blank(name) for name in names}
    assert len(set(first.values())) == len(names)
    blank.cache_clear()
    scene.cache_clear()
    assert {name: blank(name) for name in names} == first
    small = Image.open(io.BytesIO(blank("Sleepy Snail", width=120)))
    assert small.size == (120, 96)
