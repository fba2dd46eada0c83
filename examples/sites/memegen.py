"""A small memegen.link. In: requests. Out: the answers of its API, and pictures.

`/templates/` and `/templates/ID` answer as https://api.memegen.link does; one template has a
picture that is a page.
"""

from __future__ import annotations

from examples.sites import pictures
from examples.sites.web import Reply, Request, as_json, page, picture

TEMPLATES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "tea": ("Tea Kettle", ("the water boils", "nobody watched it"), ("kitchen", "waiting")),
    "ladder": ("Ladder", ("step one", "step two", "step one again"), ("progress",)),
    "bench": ("Bench in the Park", ("", "sit down, they said"), ()),
    "map": ("Map Upside Down", ("we are nearly there",), ("travel", "lost")),
}
"""Name, the lines of the example, and keywords, by id."""

BROKEN = "fog"
"""A template whose picture is a page."""


def answer(request: Request) -> Reply | None:
    """A page of the site."""
    if request.path in ("/templates", "/templates/"):
        return as_json([_entry(key, request.home) for key in (*TEMPLATES, BROKEN)])
    kind, _, rest = request.path.strip("/").partition("/")
    if kind == "templates" and rest in TEMPLATES:
        return as_json(_entry(rest, request.home))
    if kind == "images":
        key = rest.removesuffix(".jpg")
        if key in TEMPLATES:
            return picture(pictures.blank(f"memegen {key}"))
        if key == BROKEN:
            return Reply(page("Fog", "<p>This is a page.</p>").body, "image/jpeg")
    return None


def _entry(key: str, home: str) -> dict[str, object]:
    name, lines, keywords = TEMPLATES.get(key, ("Fog", ("", ""), ()))
    path = "/".join(line.replace(" ", "_") or "_" for line in lines)
    return {
        "id": key,
        "name": name,
        "lines": len(lines),
        "overlays": 0,
        "styles": [],
        "blank": f"{home}/images/{key}.jpg",
        "example": {
            "text": list(lines) if any(lines) else [],
            "url": f"{home}/images/{key}/{path}.jpg",
        },
        "source": f"https://example.org/memes/{key}",
        "keywords": list(keywords),
        "_self": f"{home}/templates/{key}",
    }
