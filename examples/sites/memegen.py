"""The API of memegen.link. In: requests. Out: its templates, their pictures and examples."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from examples.sites.pictures import blank, meme
from examples.sites.web import Reply, Request, as_json, picture

TEMPLATES = {
    "lighthouse": ("Lighthouse Keeper", 2, ("one light", "many opinions about it")),
    "hamster": ("Hamster At The Wheel", 2, ("I ran all night", "same place, better view")),
    "teapot": ("Short And Stout", 1, ("I was asked for coffee",)),
}


def answer(request: Request) -> Reply | None:
    """`/templates/`, `/templates/ID` and `/images/...`."""
    path = request.path
    if path in ("/templates", "/templates/"):
        return as_json([entry(request.home, key) for key in TEMPLATES])
    if (match := re.fullmatch(r"/templates/([^/]+)/?", path)) and match[1] in TEMPLATES:
        return as_json(entry(request.home, match[1]))
    if (match := re.fullmatch(r"/images/([^/.]+)\.(?:png|jpg)", path)) and match[1] in TEMPLATES:
        return picture(blank(TEMPLATES[match[1]][0]))
    if (match := re.fullmatch(r"/images/([^/]+)/.+", path)) and match[1] in TEMPLATES:
        name, _, lines = TEMPLATES[match[1]]
        return picture(meme(name, (*lines, "")[:2], "en"))
    return None


def entry(home: str, key: str) -> dict[str, Any]:
    """A template as the API tells it."""
    name, lines, example = TEMPLATES[key]
    text = "/".join(quote(line.replace(" ", "_")) for line in example)
    return {
        "id": key,
        "name": name,
        "lines": lines,
        "overlays": 0,
        "styles": [],
        "blank": f"{home}/images/{key}.png",
        "example": {"text": list(example), "url": f"{home}/images/{key}/{text}.png"},
        "source": None,
        "keywords": name.lower().split(),
        "_self": f"{home}/templates/{key}",
    }
