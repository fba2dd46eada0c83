"""Posts of different people, as screenshots show them. In: how many. Out: picture files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer

SIZE = 680, 400
NAMES = "Ada Ben Carla Dev Eva Finn Gita Hugo Iris Jon Kim Lea Mo Nia Omar Pia Quim Rosa Sam Tea"
SENTENCES = (
    "My plant sleeps better than I do",
    "Monday called. I let it ring and had another tea instead",
    "Why is the printer always hungry at five",
    "Umbrella: present. Rain: absent. As agreed",
    "Soup again",
)
_PLAIN = TextStyle("plain", "plain", "#808890", outline_width=0, uppercase=False)
_BOXES = (
    TextBox("name", 0.15, 0.05, 0.6, 0.08, align="left", style=_PLAIN),
    TextBox("text", 0.04, 0.28, 0.92, 0.4, align="left", valign="top", style=_PLAIN),
    TextBox("counts", 0.1, 0.86, 0.6, 0.09, align="left", style=_PLAIN),
)


def draw_posts(folder: Path, count: int = 20) -> list[Path]:
    """Draw posts on one plain ground, every fifth on a dark one: avatar, name, text, signs."""
    chance = np.random.default_rng(3)
    renderer = Renderer()
    paths = []
    for number, name in enumerate(NAMES.split()[:count]):
        picture = Image.new("RGB", SIZE, "#15202b" if number % 5 == 4 else "white")
        draw = ImageDraw.Draw(picture)
        colour, shirt = (tuple(map(int, chance.integers(30, 225, 3))) for _ in range(2))
        draw.ellipse((24, 24, 88, 88), fill=colour)
        draw.pieslice((34, 58, 78, 100), 180, 360, fill=shirt)
        draw.line((24, 330, 656, 330), fill="#cfd9de", width=2)
        for place in range(4):
            draw.ellipse((40 + 160 * place, 350, 64 + 160 * place, 374), outline="#6e767d", width=3)
        ground = folder / f"ground-{number}.png"
        picture.save(ground)
        text = f"{SENTENCES[number % 5]}, {name.lower()} wrote {number} times"
        counts = "     ".join(map(str, chance.integers(1, 999, 4)))
        template = Template(f"ground-{number}", ground, _BOXES)
        post = renderer.render(template, f"{name} // {text} // {counts}", "en").image
        paths.append(folder / f"post-{number:02}.jpg")
        post.convert("RGB").save(paths[-1], quality=78 + number % 12)
    return paths
