"""Results of an image search. In: requests. Out: a page of results to save, and their pictures.

A browser would save `/results?q=KEYWORD`; `/list.txt?q=KEYWORD` is a list of addresses instead.
"""

from __future__ import annotations

import json
import re

from examples.sites.pictures import meme
from examples.sites.web import Reply, Request, escape, page, picture

RESULTS = {
    "1": ("Rainy Bus Stop", ("bus in two minutes", "since Tuesday")),
    "2": ("Garden Gnome", ("guards the lawn", "grass grows anyway")),
    "3": ("Alarm Clock", ("six o'clock", "we have talked about this")),
    "4": ("Rainy Bus Stop", ("BUS IN TWO MINUTES", "SINCE TUESDAY")),
}
"""By number: the scene and its text. The last one shows the same as the first, only smaller."""


def answer(request: Request) -> Reply | None:
    """The page, the list, and the pictures."""
    keyword = request.query.get("q", "meme")
    if request.path in ("/", "/results"):
        cards = "".join(
            f'<a class="iusc" href="#" m="{escape(card(request.home, key))}">'
            f'<img class="mimg" src="{request.home}/small/{key}.jpg"></a>'
            for key in RESULTS
        )
        box = f'<input type="search" name="q" value="{escape(keyword)}">'
        return page(f"{keyword} - Image Search", f"<form>{box}</form>{cards}")
    if request.path == "/list.txt":
        lines = [f"{request.home}/pictures/{key}.jpg\t{keyword}" for key in RESULTS]
        return Reply(("\n".join(lines) + "\n").encode(), "text/plain; charset=utf-8")
    match = re.fullmatch(r"/(pictures|small)/(\d+)\.jpg", request.path)
    if match is not None and match[2] in RESULTS:
        scene, parts = RESULTS[match[2]]
        width = 160 if match[1] == "small" else 400 if match[2] == "4" else 600
        return picture(meme(scene, parts, "en", width=width))
    return None


def card(home: str, key: str) -> str:
    """What the page knows of a result, as JSON."""
    scene, _ = RESULTS[key]
    return json.dumps(
        {"murl": f"{home}/pictures/{key}.jpg", "purl": f"{home}/pages/{key}", "t": scene}
    )
