"""What the sites of the example server share. In: a request. Out: what is sent back.

A site is a function from a `Request` to a `Reply`, or None where it has no such page. Validators
(ETag, Last-Modified) and 304 answers are the server's business, see serve.py.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PAGE = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for.

    Attributes:
        path: without the site's prefix and the query, percent-decoded; begins with `/`.
        query: the last value of each key.
        asked: how often this path was asked for before.
        home: the address of the site, without a slash at its end.
        edition: which state of the sites is served: 1, or 2 when something has been added.
    """

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    home: str = ""
    edition: int = 1


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back; `lasting` ones carry validators."""

    body: bytes
    content_type: str = PAGE
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    lasting: bool = True


Site = Callable[[Request], Reply | None]


def page(title: str, body: str, *, head: str = "", language: str = "en") -> Reply:
    """An HTML page; `body` and `head` are HTML already."""
    text = (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return Reply(text.encode("utf-8"))


def as_json(value: Any, status: int = 200) -> Reply:
    """A JSON answer."""
    body = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8")
    return Reply(body, "application/json", status)


def picture(content: bytes) -> Reply:
    """A JPEG or PNG."""
    kind = "image/png" if content.startswith(b"\x89PNG") else "image/jpeg"
    return Reply(content, kind)


def not_here() -> Reply:
    """The page of what there is not."""
    body = page("Not found", "<h1>404</h1><p>There is no such page.</p>").body
    return Reply(body, PAGE, 404, lasting=False)


def moved(address: str) -> Reply:
    """A redirect."""
    return Reply(b"", PAGE, 302, {"Location": address}, lasting=False)


def pages(home: str, number: int, last: int) -> str:
    """A bar of page numbers: `home` and the number make the address."""
    links = [
        f'<li><a href="{home}{n}"{" class=active" if n == number else ""}>{n}</a></li>'
        for n in range(1, last + 1)
    ]
    if number < last:
        links.append(
            f'<li class="next"><a rel="next" href="{home}{number + 1}">Next &rarr;</a></li>'
        )
    return f'<ul class="pagination">{"".join(links)}</ul>'


def escape(text: str) -> str:
    """Text for HTML, in an element or an attribute."""
    return html.escape(text, quote=True)
