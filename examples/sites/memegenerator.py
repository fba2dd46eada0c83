"""A site of the memegenerator kind. In: requests. Out: lists of templates, and their captions.

The markup is that of such sites: cards of the class `char-img`, each caption twice (for wide and
for narrow screens), a score beside it, and page numbers below. What it shows stands in
memegenerator.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from examples.sites.pictures import blank
from examples.sites.web import Reply, Request, escape, page, pages, picture

TEMPLATES_A_PAGE = 6
CAPTIONS_A_PAGE = 8


@dataclass(frozen=True, slots=True)
class Told:
    """A caption: its number on the site, its text, its votes, and its language where stated."""

    number: int
    top: str
    bottom: str
    votes: int
    language: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A template and its captions."""

    name: str
    slug: str
    scene: str
    width: int
    quality: int
    blur: float
    captions: tuple[Told, ...]


@cache
def templates(edition: int = 1) -> tuple[Shown, ...]:
    """All templates of the site; edition 2 has one caption more."""
    with Path(__file__).with_suffix(".toml").open("rb") as stream:
        entries = tomllib.load(stream)["template"]
    found = []
    for place, entry in enumerate(entries):
        texts = [(one, True) for one in entry["captions"]]
        for number, one in enumerate(entry.get("unclear", [])):
            texts.insert(3 + 3 * number, (one, False))
        if edition > 1 and place == 0:
            texts.append(("a second gate // a second shift", True))
        captions = []
        for number, (text, clear) in enumerate(texts):
            top, bottom = text.split(" // ")
            # Every other clear caption says its language, as on sites where users choose one.
            language = "en" if clear and number % 2 else ""
            # A number of its own whatever stands before it, so that editions agree.
            name = 7000 + 100 * place + number
            captions.append(Told(name, top, bottom, 1900 - 131 * number, language))
        found.append(
            Shown(
                entry["name"],
                entry["name"].replace(" ", "-"),
                entry.get("picture", entry["name"]),
                entry.get("width", 600),
                entry.get("quality", 88),
                entry.get("blur", 0.0),
                tuple(captions),
            )
        )
    return tuple(found)


def answer(request: Request) -> Reply | None:
    """The site's pages and pictures."""
    path = request.path
    shown = templates(request.edition)
    if path == "/" or (found := re.fullmatch(r"/memes/popular/alltime(?:/page/(\d+))?/?", path)):
        number = int(found[1] or 1) if path != "/" and found else 1
        return listing(request.home, shown, number)
    if found := re.fullmatch(r"/img/images/([^/]+)\.jpg", path):
        for one in shown:
            if one.slug == found[1]:
                return picture(
                    blank(one.scene, width=one.width, quality=one.quality, blur=one.blur)
                )
        return None
    if path.startswith("/private/"):
        return page("Private", "<h1>Robots are not to read this.</h1>")
    if found := re.fullmatch(r"/([^/]+)(?:/images/popular/alltime/page/(\d+))?/?", path):
        for one in shown:
            if one.slug == found[1]:
                return template_page(request.home, one, int(found[2] or 1))
    return None


def listing(home: str, shown: Sequence[Shown], number: int) -> Reply | None:
    """A page of the list of templates."""
    last = -(-len(shown) // TEMPLATES_A_PAGE)
    if not 1 <= number <= last:
        return None
    cards = "\n".join(
        f'<div class="char-img"><a href="{home}/{one.slug}">'
        f'<img class="loading-bg" src="{home}/img/images/{one.slug}.jpg" alt="{escape(one.name)}">'
        f'<span class="display-name">{escape(one.name)}</span></a></div>'
        for one in shown[(number - 1) * TEMPLATES_A_PAGE : number * TEMPLATES_A_PAGE]
    )
    bar = pages(f"{home}/memes/popular/alltime/page/", number, last)
    login = f'<form action="{home}/login"><input type="password" name="password"></form>'
    body = f"<h1>Popular meme characters</h1>\n{login}\n{cards}\n{bar}"
    return page("Popular", body, head='<meta name="language" content="en">')


def template_page(home: str, one: Shown, number: int) -> Reply | None:
    """A page of a template's captions."""
    last = max(1, -(-len(one.captions) // CAPTIONS_A_PAGE))
    if not 1 <= number <= last:
        return None
    part = one.captions[(number - 1) * CAPTIONS_A_PAGE : number * CAPTIONS_A_PAGE]
    address = f"{home}/img/images/{one.slug}.jpg"
    body = (
        f'<h1><a href="{home}/{one.slug}">{escape(one.name)}</a></h1>\n'
        f'<img class="bigger-img" src="{address}" alt="{escape(one.name)}">\n'
        + "\n".join(cards(home, one.name, part))
        + "\n"
        + pages(f"{home}/{one.slug}/images/popular/alltime/page/", number, last)
    )
    head = f'<meta name="language" content="en">\n<meta property="og:image" content="{address}">'
    return page(f"{one.name} Meme Generator", body, head=head)


def cards(home: str, name: str, captions: Sequence[Told]) -> Iterator[str]:
    """A card a caption."""
    for one in captions:
        language = f' lang="{one.language}"' if one.language else ""
        text = (
            f'<div class="optimized-instance-container img"{language}>'
            f'<div class="optimized-instance-text0">{escape(one.top)}</div>'
            f'<div class="optimized-instance-text1">{escape(one.bottom)}</div></div>'
        )
        address = f"{home}/instance/{one.number}/{escape(name.replace(' ', '-'))}"
        yield (
            f'<div class="char-img gallery-img"><a href="{address}">'
            f'<div class="only-above-768">{text}</div><div class="only-below-768">{text}</div></a>'
            f'<div class="vote"><div class="score">{one.votes:,}</div></div></div>'
        )
