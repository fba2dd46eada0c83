"""Items for tests of filters and of the selection."""

from __future__ import annotations

from pathlib import Path

from memeloc.items import Item, Origin


def caption(name: str, *parts: str, template: str = "", votes: int | None = None, **more) -> Item:
    """A caption with an id of one's own."""
    origin = Origin("test", name)
    return Item(name, "caption", origin, parent=template, parts=parts, votes=votes, **more)


def template(name: str, title: str = "", **more) -> Item:
    """A template with an id of one's own."""
    return Item(name, "template", Origin("test", name), name=title or name, **more)


def picture(name: str, path: Path, *parts: str, kind="picture", **more) -> Item:
    """A finished meme, or a template, with a stored picture."""
    origin = Origin("test", name)
    return Item(name, kind, origin, name=name, parts=parts, picture=name, path=path, **more)
