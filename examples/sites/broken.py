"""What real sites do wrong. In: requests. Out: pages with one fault each.

/broken/memegenerator/FAULT   lists and templates: no-picture, gone-picture, page-as-picture,
                              renamed, empty, endless, endless-new, wall, wall-page, too-many,
                              unavailable, robot-check, doubled, elsewhere, half-renamed
/broken/entry/FAULT           entries: windows-1251, cut-json-ld, deep-json-ld, renamed,
                              gone-pictures, no-text, json
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from examples.sites import encyclopaedia, memegenerator
from examples.sites.pictures import blank
from examples.sites.web import Reply, Request, escape, moved, page, picture


def answer(request: Request) -> Reply | None:
    """A page with the fault that its address names."""
    if request.path == "/picture.jpg":
        return picture(blank("A Plain Scene"))
    if request.path == "/login":
        return wall()
    if match := re.fullmatch(r"/memegenerator/([\w-]+)(/.*)?", request.path):
        return _memegenerator(request, match[1], match[2] or "")
    if match := re.fullmatch(r"/entry/([\w-]+)/?", request.path):
        return _entry(request, match[1])
    return None


def wall() -> Reply:
    """A page that wants people to log in."""
    form = (
        '<form method="post" action="/login"><input name="user">'
        '<input type="password" name="password"><button>Log in</button></form>'
    )
    return page("Log in", f"<h1>Log in to see this page</h1>{form}")


def _memegenerator(request: Request, fault: str, rest: str) -> Reply | None:
    home = f"{request.home}/memegenerator/{fault}"
    template = replace(memegenerator.templates()[0], name="A Plain Scene", slug="A-Plain-Scene")
    if fault in ("endless", "endless-new"):
        return _endless(home, fault, rest)
    if fault == "too-many" and request.asked == 0 and not rest:
        return Reply(b"slow down", "text/plain", 429, {"Retry-After": "1"}, lasting=False)
    if fault == "unavailable" and request.asked < 2 and not rest:
        return Reply(b"later", "text/plain", 503, lasting=False)
    if fault == "wall":
        return moved(f"{request.home}/login")
    if fault == "wall-page":
        return wall()
    if fault == "robot-check":
        return page("Just a moment...", '<form id="challenge-form"><p>Are you human?</p></form>')
    if fault == "empty":
        return page("Nothing", "")
    if rest.startswith("/img/"):
        if fault == "gone-picture":
            return None
        if fault == "page-as-picture":
            return Reply(page("No picture", "<p>Sorry.</p>").body, "image/jpeg")
        return picture(blank("A Plain Scene"))
    match = re.search(r"/page/(\d+)$", rest)
    reply = memegenerator.template_page(home, template, int(match[1]) if match else 1)
    if reply is None:
        return None
    text = reply.body.decode("utf-8")
    if fault == "no-picture":
        text = re.sub(r"<img[^>]*>|<meta property[^>]*>", "", text)
    elif fault in ("renamed", "half-renamed"):
        names = ("optimized-instance", "bigger-img", "score", "char-img", "gallery-img")
        for name in names if fault == "renamed" else names[:3]:
            text = text.replace(name, f"x{abs(hash_of(name)) % 1000}-{name[::-1]}")
    elif fault == "doubled":
        text = re.sub(r"(?s)<body>(.*)</body>", r"<body>\1\1</body>", text)
    elif fault == "elsewhere":
        text = re.sub(r'rel="next" href="[^"]*"', 'rel="next" href="http://192.0.2.1/page/2"', text)
    return Reply(text.encode("utf-8"))


def hash_of(name: str) -> int:
    """A number of a name, the same in every run."""
    return sum(place * ord(letter) for place, letter in enumerate(name, 1))


def _endless(home: str, fault: str, rest: str) -> Reply | None:
    """A template whose pages never end: the same captions for ever, or new ones for ever."""
    if rest.startswith("/img/"):
        return picture(blank("A Plain Scene"))
    match = re.search(r"/page/(\d+)$", rest)
    number = int(match[1]) if match else 1
    first = number if fault == "endless-new" else min(number, 3)
    captions = [
        memegenerator.Told(10 * first + place, f"page {first}", f"caption {place}", place, "en")
        for place in range(5)
    ]
    after = f"{home}/A-Plain-Scene/images/popular/alltime/page/"
    body = (
        f'<h1><a href="{home}/A-Plain-Scene">A Plain Scene</a></h1>'
        f'<img class="bigger-img" src="{home}/img/images/A-Plain-Scene.jpg">'
        + "".join(memegenerator.cards(home, "A Plain Scene", captions))
        + f'<a rel="next" href="{after}{number + 1}">Next</a>'
    )
    return page("A Plain Scene", body)


def _entry(request: Request, fault: str) -> Reply | None:
    if fault == "windows-1251":
        text = encyclopaedia.russian_entry(_russian(request), encyclopaedia.entries("russian")[0])
        body = text.body.decode("utf-8").replace('<meta charset="utf-8">\n', "")
        return Reply(body.encode("windows-1251", "xmlcharrefreplace"), "text/html")
    entry = encyclopaedia.entries("english")[0]
    text = encyclopaedia.english_entry(_english(request), entry)
    body = text.body.decode("utf-8")
    if fault == "cut-json-ld":
        body = re.sub(r"(<script[^>]*>.{60}).*?(</script>)", r"\1\2", body)
    elif fault == "deep-json-ld":
        deep = "[" * 100_000
        body = re.sub(r"(<script[^>]*>).*?(</script>)", rf"\1{deep}\2", body)
    elif fault == "renamed":
        body = re.sub(r'(class|id)="[^"]*"', r'\1="css-1x2y3z"', body)
    elif fault == "gone-pictures":
        body = body.replace("/pictures/", "/gone/")
    elif fault == "no-text":
        body = re.sub(r'(?s)<section class="bodycopy">.*?</section>', "", body)
    elif fault == "json":
        return Reply(json.dumps({"error": escape(fault)}).encode(), "application/json")
    else:
        return None
    return Reply(body.encode("utf-8"))


def _english(request: Request) -> str:
    return request.home.removesuffix("/broken") + "/know-your-meme"


def _russian(request: Request) -> str:
    return request.home.removesuffix("/broken") + "/memepedia"
