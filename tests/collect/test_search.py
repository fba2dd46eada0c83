# ruff: noqa: E501 - markup as pages have it, an element a line
"""Image search results on disk: lists of addresses, saved pages, and what is broken in them."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from memeloc.collect.sources.search import SearchSource, data_url, read_page
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Refusal
from tests.collect.memegen_samples import drawing
from tests.collect.small_server import Answer, Site, serving

PAGE = Path("results.html")


def picture(size: tuple[int, int] = (120, 90), hue: int = 0) -> bytes:
    stream = io.BytesIO()
    drawing(size, hue).save(stream, "PNG")
    return stream.getvalue()


GOOGLE = r"""<!doctype html>
<!-- saved from url=(0060)https://www.google.com/search?q=late+train+meme&udm=2 -->
<html><head><title>late train meme - Google Search</title></head><body>
<img alt="Google" width="92" src="/images/branding/logo.png">
<img src="data:image/gif;base64,R0lGODlhAQABAIAAAP///////yH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
<script nonce="x">AF_initDataCallback({key:'ds:1',data:[null,["https://encrypted-tbn0.gstatic.com/images?q\u003dtbn:1",183,275],
["{address}/full/one.png?a\u003d1\u0026b\u003d2",900,1200],null,["https://encrypted-tbn0.gstatic.com/images?q\u003dtbn:2",1,2],
["{address}/full/two.png",480,640]]});</script>
<a href="/imgres?imgurl=%7Baddress%7D&amp;tbnid=1">bad</a>
</body></html>"""

BING = """<!doctype html><html><head><title>late train - Bing Images</title>
<link rel="canonical" href="https://www.bing.com/images/search?q=late%20train"></head><body>
<a class="iusc" m='{"murl":"https://example.org/a.jpg","turl":"https://tse1.mm.bing.net/th?id=1","t":"A late train","purl":"https://example.org/page"}'><img class="mimg" src="https://tse1.mm.bing.net/th?id=1"></a>
<a class="other" m='{"murl":"https://example.org/b.jpg"}'></a><a m="{broken"></a><a m='[1]'></a>
</body></html>"""

OLD_GOOGLE = """<html><body><div class="rg_meta notranslate">{"ou":"https://example.org/old.jpg",
"ow":800,"pt":"Old","tu":"https://encrypted-tbn0.gstatic.com/images?q=tbn:3"}</div>
<form><input name="q" value="old search"></form></body></html>"""

YANDEX = """<html><body><div class="serp-item" data-bem='{"serp-item":{"img_href":"https://example.org/y.jpg"}}'>
<img src="//avatars.mds.yandex.net/i?id=1"></div></body></html>"""

UNKNOWN = """<html><head><base href="https://pics.example.org/gallery/"></head><body>
<img class="renamed-today" data-src="one.jpg" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="One">
<img src="two.jpg" srcset="two-400.jpg 400w, two-1200.jpg 1200w"><img src="/counter.gif" width="1" height="1">
<a href="three.PNG?full=1">three</a><img src="logo.svg"><img src="javascript:alert(1)"><img>
</body></html>"""


def test_google() -> None:
    page = read_page(GOOGLE.replace("{address}", "https://example.org").encode(), PAGE)
    assert page.keyword == "late train meme"
    assert page.origin.startswith("https://www.google.com/search")
    assert [picture.url for picture in page.pictures] == [
        "https://example.org/full/one.png?a=1&b=2",
        "https://example.org/full/two.png",
    ]


def test_bing() -> None:
    page = read_page(BING.encode(), PAGE)
    assert page.keyword == "late train"
    assert [(picture.url, picture.title, picture.page) for picture in page.pictures] == [
        ("https://example.org/a.jpg", "A late train", "https://example.org/page"),
        ("https://example.org/b.jpg", "", ""),
    ]


def test_older_google_and_yandex() -> None:
    page = read_page(OLD_GOOGLE.encode(), PAGE)
    assert page.keyword == "old search"
    assert [picture.url for picture in page.pictures] == ["https://example.org/old.jpg"]
    assert [picture.url for picture in read_page(YANDEX.encode(), PAGE).pictures] == [
        "https://example.org/y.jpg"
    ]


def test_any_other_page() -> None:
    page = read_page(UNKNOWN.encode(), PAGE)
    assert [picture.url for picture in page.pictures] == [
        "https://pics.example.org/gallery/one.jpg",
        "https://pics.example.org/gallery/two-1200.jpg",
        "https://pics.example.org/gallery/three.PNG?full=1",
    ]
    assert page.pictures[0].title == "One"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1256"])
def test_encodings(encoding: str) -> None:
    text = (
        f'<html><head><meta charset="{encoding}"></head><body><input name="q" value="قطار متأخر">'
        '<img src="https://example.org/a.jpg" alt="قطار"></body></html>'
    )
    page = read_page(text.encode(encoding), PAGE)
    assert page.keyword == "قطار متأخر"
    assert page.pictures[0].title == "قطار"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "web page"),
        (b"   ", "web page"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related", "MHT"),
        (b"From: <Saved by Blink>\r\n", "MHT"),
    ],
)
def test_what_is_no_page_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_page(content, PAGE)


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8"))))
def test_any_bytes_are_a_page_or_refused(content: bytes) -> None:
    try:
        page = read_page(b"<img src=" + content + b"><script>" + content, PAGE)
    except InputError:
        return
    for picture in page.pictures:
        picture.url.encode()
        json.dumps([picture.title, page.keyword], ensure_ascii=False).encode()


@given(st.binary(max_size=60))
def test_data_urls(content: bytes) -> None:
    assert data_url("data:image/png;base64," + base64.b64encode(content).decode()) == content
    assert data_url("DATA:;base64," + base64.urlsafe_b64encode(content).decode().rstrip("=")) == (
        content
    )
    assert data_url("data:," + "".join(f"%{byte:02x}" for byte in content)) == content


def collected(source: SearchSource, site: Site, cache: Path) -> list[FoundPicture | Refusal]:
    options = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
    with Fetcher(cache, options) as fetcher:
        return list(source.collect(fetcher))


def test_relative_addresses_need_the_origin(tmp_path: Path) -> None:
    page = tmp_path / "saved.html"
    page.write_text('<img src="full/one.png"><img src="/full/two.png">')
    answers = {
        "/search/full/one.png": Answer(picture(), "image/png"),
        "/full/two.png": Answer(picture(hue=90), "image/png"),
    }
    with serving(answers) as site:
        without = collected(SearchSource(page), site, tmp_path / "a")
        source = SearchSource(page, origin=f"{site.address}/search/?q=x", keyword="mine")
        result = collected(source, site, tmp_path / "b")
    assert [type(item) for item in without] == [Refusal, Refusal]
    assert [type(item) for item in result] == [FoundPicture, FoundPicture]
    assert isinstance(result[0], FoundPicture)
    assert result[0].details["keyword"] == "mine"
