"""Results of an image search. In: requests. Out: a list of addresses, and their pictures."""

from __future__ import annotations

import re

from examples.sites.pictures import meme
from examples.sites.web import Reply, Request, picture

RESULTS = {
    "1": ("Rainy Bus Stop", ("bus in two minutes", "since Tuesday")),
    "2": ("Garden Gnome", ("guards the lawn", "grass grows anyway")),
    "3": ("Alarm Clock", ("six o'clock", "we have talked about this")),
    "4": ("Rainy Bus Stop", ("BUS IN TWO MINUTES", "SINCE TUESDAY")),
}
"""By number: the scene and its text. The last one shows the same as the first, only smaller."""


def answer(request: Request) -> Reply | None:
    """The list, and the pictures."""
    keyword = request.query.get("q", "meme")
    if request.path in ("/", "/list.txt"):
        lines = [f"{request.home}/pictures/{key}.jpg\t{keyword}" for key in RESULTS]
        return Reply(("\n".join(lines) + "\n").encode(), "text/plain; charset=utf-8")
    match = re.fullmatch(r"/(pictures|small)/(\d+)\.jpg", request.path)
    if match is not None and match[2] in RESULTS:
        scene, parts = RESULTS[match[2]]
        width = 160 if match[1] == "small" else 400 if match[2] == "4" else 600
        return picture(meme(scene, parts, "en", width=width))
    return None
