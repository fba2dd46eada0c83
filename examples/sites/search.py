"""A small image search. In: requests. Out: result pages to be saved, and the pictures they name.

`/images?q=KEYWORD` is a result page: it shows small copies, and a script names the pictures
themselves, as the large engines do. One picture is gone, one is only a small icon.
"""

from __future__ import annotations

import json
from urllib.parse import quote

from examples.sites import pictures
from examples.sites.web import Reply, Request, escape, page, picture

RESULTS: dict[str, tuple[tuple[str, str], ...]] = {
    "late train meme": (
        ("the train is late", "so is my excuse"),
        ("platform nine", "and a half hour"),
        ("mind the gap", "in my calendar"),
    ),
    "monday cat meme": (
        ("it is monday", "the cat took the day off"),
        ("my desk", "is her desk"),
    ),
}
"""The texts of the memes that are found, by keyword."""


def answer(request: Request) -> Reply | None:
    """A page of the site."""
    if request.path == "/images":
        keyword = request.query.get("q", "")
        return _results(request.home, keyword, RESULTS.get(keyword, ()))
    kind, _, name = request.path.strip("/").partition("/")
    keyword, _, number = name.removesuffix(".jpg").rpartition("-")
    found = RESULTS.get(keyword, ())
    if number.isdecimal() and int(number) < len(found):
        width = {"full": pictures.SIDE[0], "small": 120}.get(kind)
        if width is not None:
            parts = found[int(number)]
            return picture(pictures.meme(f"search {name}", parts, "en", width=width))
    if request.path == "/icon.jpg":
        return picture(pictures.blank("icon", width=32))
    return None


def _results(home: str, keyword: str, found: tuple[tuple[str, str], ...]) -> Reply:
    names = [f"{quote(keyword)}-{number}.jpg" for number in range(len(found))]
    width, height = pictures.SIDE
    known = [[f"{home}/full/{name}", height, width] for name in names]
    if found:
        known += [[f"{home}/full/gone.jpg", height, width], [f"{home}/icon.jpg", 26, 32]]
    shown = "".join(
        f'<img class="r8k" alt="{escape(" ".join(parts))}" src="{home}/small/{name}">'
        for name, parts in zip(names, found, strict=True)
    )
    field = f'<form><input name="q" value="{escape(keyword)}"></form>'
    # As in a script of an engine: `=` and `&` of addresses are escaped.
    script = json.dumps(known).replace("=", "\\u003d").replace("&", "\\u0026")
    address = f"{home}/images?q={quote(keyword)}"
    return page(
        f"{keyword} - Image Search",
        f"{field}<div>{shown}</div><script>var results = {script};</script>",
        head=f'<link rel="canonical" href="{escape(address)}">',
    )
