"""The API of Imgflip. In: requests. Out: its list of templates, as `get_memes` answers."""

from __future__ import annotations

import re

from examples.sites.pictures import SIDE, blank
from examples.sites.web import Reply, Request, as_json, picture

TEMPLATES = (
    ("181913649", "Two Umbrellas", 2, 1204),
    ("87743020", "Three Doors And A Goat", 3, 905),
    ("112126428", "Serious German Owl", 2, 77),  # the memegenerator-like site has its picture too
    ("131087935", "Balloon Leaving", 2, 640),
)


def answer(request: Request) -> Reply | None:
    """`/get_memes`, and the pictures it names."""
    if request.path == "/get_memes":
        memes = [
            {
                "id": key,
                "name": name,
                "url": f"{request.home}/pictures/{key}.jpg",
                "width": SIDE[0],
                "height": SIDE[1],
                "box_count": boxes,
                "captions": captions,
            }
            for key, name, boxes, captions in TEMPLATES
        ]
        return as_json({"success": True, "data": {"memes": memes}})
    if match := re.fullmatch(r"/pictures/(\d+)\.jpg", request.path):
        for key, name, _, _ in TEMPLATES:
            if key == match[1]:
                return picture(blank(name))
    return None
