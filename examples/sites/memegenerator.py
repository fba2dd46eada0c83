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
    templates_shown = []
    for place, entry in enumerate(entries):
        texts = [(text, True) for text in entry["captions"]]
        for number, text in enumerate(entry.get("unclear", [])):
            texts.insert(3 + 3 * number, (text, False))
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
        templates_shown.append(
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
    return tuple(templates_shown)


def answer(request: Request) -> Reply | None:
    """The site's pages and pictures."""
    path = request.path
    shown = templates(request.edition)
    if path == "/" or (match := re.fullmatch(r"/memes/popular/alltime(?:/page/(\d+))?/?", path)):
        number = int(match[1] or 1) if path != "/" and match else 1
        return listing(request.home, shown, number)
    if match := re.fullmatch(r"/img/images/([^/]+)\.jpg", path):
        for template in shown:
            if template.slug == match[1]:
                return picture(
                    blank(
                        template.scene,
                        width=template.width,
                        quality=template.quality,
                        blur=template.blur,
                    )
                )
        return None
    if path.startswith("/private/"):
        return page("Private", "<h1>Robots are not to read this.</h1>")
    if match := re.fullmatch(r"/([^/]+)(?:/images/popular/alltime/page/(\d+))?/?", path):
        for template in shown:
            if template.slug == match[1]:
                return template_page(request.home, template, int(match[2] or 1))
    return None


def listing(home: str, shown: Sequence[Shown], number: int) -> Reply | None:
    """A page of the list of templates."""
    last = -(-len(shown) // TEMPLATES_A_PAGE)
    if not 1 <= number <= last:
        return None
    cards = "\n".join(
        f'<div class="char-img"><a href="{home}/{template.slug}">'
        f'<img class="loading-bg" src="{home}/img/images/{template.slug}.jpg" '
        f'alt="{escape(template.name)}">'
        f'<span class="display-name">{escape(template.name)}</span></a></div>'
        for template in shown[(number - 1) * TEMPLATES_A_PAGE : number * TEMPLATES_A_PAGE]
    )
    bar = pages(f"{home}/memes/popular/alltime/page/", number, last)
    login = f'<form action="{home}/login"><input type="password" name="password"></form>'
    body = f"<h1>Popular meme characters</h1>\n{login}\n{cards}\n{bar}"
    return page("Popular", body, head='<meta name="language" content="en">')


def template_page(home: str, template: Shown, number: int) -> Reply | None:
    """A page of a template's captions."""
    last = max(1, -(-len(template.captions) // CAPTIONS_A_PAGE))
    if not 1 <= number <= last:
        return None
    part = template.captions[(number - 1) * CAPTIONS_A_PAGE : number * CAPTIONS_A_PAGE]
    address = f"{home}/img/images/{template.slug}.jpg"
    body = (
        f'<h1><a href="{home}/{template.slug}">{escape(template.name)}</a></h1>\n'
        f'<img class="bigger-img" src="{address}" alt="{escape(template.name)}">\n'
        + "\n".join(cards(home, template.name, part))
        + "\n"
        + pages(f"{home}/{template.slug}/images/popular/alltime/page/", number, last)
    )
    head = f'<meta name="language" content="en">\n<meta property="og:image" content="{address}">'
    return page(f"{template.name} Meme Generator", body, head=head)


def cards(home: str, name: str, captions: Sequence[Told]) -> Iterator[str]:
    """A card a caption."""
    for caption in captions:
        language = f' lang="{caption.language}"' if caption.language else ""
        text = (
            f'<div class="optimized-instance-container img"{language}>'
            f'<div class="optimized-instance-text0">{escape(caption.top)}</div>'
            f'<div class="optimized-instance-text1">{escape(caption.bottom)}</div></div>'
        )
        address = f"{home}/instance/{caption.number}/{escape(name.replace(' ', '-'))}"
        yield (
            f'<div class="char-img gallery-img"><a href="{address}">'
            f'<div class="only-above-768">{text}</div><div class="only-below-768">{text}</div></a>'
            f'<div class="vote"><div class="score">{caption.votes:,}</div></div></div>'
        )
