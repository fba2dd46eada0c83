"""Reading untrusted HTML of any encoding: texts, addresses, pictures; nothing raises."""

# ruff: noqa: E501 - pages as they are written

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memeloc.collect.fetching.encodings import DEEPEST, decode
from memeloc.collect.fetching.fetch import FetchRefused, Page
from memeloc.collect.pages import Document, key_of, selectors_of
from memeloc.collect.sources.encyclopaedia import EncyclopaediaSource, is_entry, read_entry
from memeloc.collect.sources.memegenerator import MemegeneratorSource
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Refusal
from tests import growth


def document(html: str | bytes, site: str = "memegenerator", url: str = "") -> Document:
    body = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    page = Page(url or "https://example.org/list", body, "text/html; charset=utf-8", moment)
    return Document(page, selectors_of(site))


@pytest.mark.parametrize(
    ("image", "address"),
    [
        ('<img src="a.jpg">', "https://example.org/a.jpg"),
        ('<img src="data:image/gif;base64,R0" data-src="/b.jpg">', "https://example.org/b.jpg"),
        ('<img src="x.gif" data-original="//cdn.example/c.jpg">', "https://cdn.example/c.jpg"),
        ('<img src="s.jpg" srcset="m.jpg 400w, l.jpg 800w">', "https://example.org/l.jpg"),
        ('<img srcset="one.jpg, two.jpg 2x">', "https://example.org/two.jpg"),
        ('<img src="javascript:alert(1)">', ""),
        ('<img src="http://[broken">', ""),
        ("<img data-src>", ""),
        ('<img src="file:///etc/passwd">', ""),
    ],
)
def test_the_address_of_a_picture(image: str, address: str) -> None:
    page = document(image)
    node = page.tree.css_first("img")
    assert node is not None
    assert page.picture_of(node) == address


@pytest.mark.parametrize(
    ("url", "links", "following"),
    [
        ("https://example.org/list", ["/list/page/2", "/list/page/3"], "/list/page/2"),
        ("https://example.org/list/page/2", ["/list/page/1", "/list/page/3"], "/list/page/3"),
        ("https://example.org/list?page=9", ["/list?page=10"], "/list?page=10"),
        ("https://example.org/list/page/2", ["/other/page/3"], ""),
        ("https://example.org/list/page/2", ["https://elsewhere.example/list/page/3"], ""),
        ("https://example.org/list/page/3", ["/list/page/2"], ""),
        ("https://example.org/list", [], ""),
    ],
)
def test_the_next_page_by_its_number(url: str, links: list[str], following: str) -> None:
    page = document("".join(f'<a href="{link}">x</a>' for link in links), url=url)
    assert page.next_address() == (f"https://example.org{following}" if following else "")


HOST = "https://example.org"


@pytest.mark.parametrize(
    ("links", "grows", "read"),
    [
        ({"/list": ""}, True, ["/list"]),
        ({"/list": "/2", "/2": "/list"}, True, ["/list", "/2"]),  # a circle
        ({"/list": "/2", "/2": "/3"}, True, ["/list", "/2", "page limit"]),
        ({"/list": "/2"}, False, ["/list", "endless pages"]),
        ({"/list": "https://elsewhere.example/2"}, True, ["/list", "another host"]),
    ],
)
def test_paging_ends_where_it_should(
    links: dict[str, str], grows: bool, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def page(url: str) -> Document:
        link = links[url.removeprefix(HOST)]
        return document(f'<a rel="next" href="{link}">' if link else "<p>end</p>", url=url)

    seen: list[int] = []
    result = []
    source = MemegeneratorSource(f"{HOST}/list", pages=2)
    monkeypatch.setattr(source, "read", lambda _, url: page(url))
    for item in source.pages_from(None, page(f"{HOST}/list"), seen):  # type: ignore[arg-type]
        seen += [1] if grows else []
        result.append(item.reason if isinstance(item, Refusal) else item.url.removeprefix(HOST))
    assert result == read


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://Example.org/Cat/", "example.org/Cat"),
        ("http://example.org/Cat#x", "example.org/Cat"),
        ("https://example.org/?id=4", "example.org?id=4"),
    ],
)
def test_keys(url: str, key: str) -> None:
    assert key_of(url) == key


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[memegenerator]\ncard = [\n", "not TOML"),
        ("[elsewhere]\ncard = ['a']\n", "has no site"),
        ("[memegenerator]\ncards = ['a']\n", "has no 'cards'"),
        ("[memegenerator]\ncard = ['a[']\n", "no CSS selector"),
        ("[memegenerator]\ncard = 3\n", "no list of selectors"),
        ("memegenerator = 3\n", "no table"),
    ],
)
def test_a_file_of_selectors_with_a_mistake(tmp_path: Path, text: str, sentence: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        selectors_of("memegenerator", own)
    assert caught.value.file == str(own)


TAGS = [
    "<div class='char-img'>", "<div class='char-img gallery-img'>", "</div>", "<a href='/x'>", "</a>",
    "<a href='http://['>", "<img src='/p.jpg'>", "<img data-src>", "<img srcset=', , 9w'>",
    "<div class='optimized-instance-text0'>", "<div class='optimized-instance-text1'>", "text", "\n",
    "<article class='entry'>", "<section class='bodycopy'>", "</section>", "<h1 class=entry-title>",
    "<h2>Origin</h2>", "<h2>Examples</h2>", "<h3>", "first appeared in 2011.", "<dl>", "<dt>Year",
    "<dd>2012", "<aside class=left>", "<script type='application/ld+json'>", "</script>", "{\"a\":[",
    "<div class='js-mediator-article'>", "<sup>", "<div class=references>", "<base href='//['>",
    "<html lang='x y'>", "<div class=score>9999999999999999", "<!--", "-->", "<![CDATA[", "&#0;",
    "&#xD800;", "<table><td>", "<template>", "<svg><p>", "<a rel=next href='/page/2'>", "\x00",
    "<input type=password>", "<a rel=next href='?page=99999999999'>", "<time class=entry-date>",
    "<div id=photo_gallery>", "<a class=photo href='/photos/1'>", "<div id=photo_wrapper>",
    "<a class=gallery href='/memes/x/photos'>", "<div id=media-info><a href='/memes/x'>",
]  # fmt: skip


class OnePage:
    """A fetcher that has one page for every address, and no pictures."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def get(self, url: str, *, accept: str = "page") -> Page:
        if accept == "picture":
            raise InputError("no picture")
        return Page(url, self.body, "text/html", datetime(2026, 1, 1, tzinfo=UTC))

    def get_all(
        self, urls: Iterable[str], *, accept: str = "page"
    ) -> Iterator[Page | FetchRefused]:
        for url in urls:
            try:
                yield self.get(url, accept=accept)
            except InputError:
                yield FetchRefused(url, "not a picture", "no picture")


@given(st.lists(st.sampled_from(TAGS), max_size=60).map("".join))
@example("<base href='//['><div class='char-img'><a href='/x'>")
def test_no_arrangement_of_tags_raises(html: str) -> None:
    sources = (
        MemegeneratorSource("https://example.org/list", pages=3, limit=5),
        EncyclopaediaSource("https://example.org/list", pages=3, limit=5, gallery=4),
    )
    for source in sources:
        matches = list(source.collect(OnePage(html.encode())))  # type: ignore[arg-type]
        assert matches  # at the least a refusal
        for item in matches:
            assert isinstance(item, FoundTemplate | FoundCaption | FoundPicture | Refusal)
            if isinstance(item, Refusal):
                assert item.reason
                assert item.sentence
            else:
                str(item).encode()  # no lone surrogates: it can be stored


@given(st.binary(max_size=2000) | st.text(max_size=1000).map(lambda text: text.encode("utf-16")))
def test_no_bytes_raise(body: bytes) -> None:
    for source in (
        MemegeneratorSource("https://example.org/list"),
        EncyclopaediaSource("https://example.org/list"),
    ):
        matches = list(source.collect(OnePage(body)))  # type: ignore[arg-type]
        assert {type(item) for item in matches} == {Refusal}


@pytest.mark.parametrize("site", ["know-your-meme", "memepedia"])
def test_the_cost_of_a_page_as_deep_as_is_read_is_linear(site: str) -> None:
    wrap = "bodycopy" if site == "know-your-meme" else "js-mediator-article"

    def seconds(depth: int) -> float:
        html = f"<section class='{wrap}'>" + "<div><sup><h2>" * (depth // 3 - 1) + "2011"
        page = document(html, site)  # the parser's own cost is bounded by the depth alone
        assert is_entry(page)
        return growth.cpu(lambda: read_entry(page))

    assert growth.is_linear(seconds, DEEPEST)


MANY = "".join(f"<b id={number}>" for number in range(1000))


@pytest.mark.parametrize(
    "html",
    [
        "<div><sup><h2>" * 30_000,
        "<div></span>" * 30_000,
        f"<p>{MANY}</p>" + "<p>x</p>" * 4000,
        f"<p><svg><style>{MANY}</p>" + "<p>x</p>" * 4000,
    ],
)  # fmt: skip
def test_pages_that_no_parser_should_be_given_are_refused(html: str) -> None:
    with pytest.raises(FetchRefused) as caught:
        document(html)
    assert caught.value.reason == "too costly to parse"
    matches = list(MemegeneratorSource("https://example.org/").collect(OnePage(html.encode())))  # type: ignore[arg-type]
    assert [item.reason for item in matches if isinstance(item, Refusal)] == ["too costly to parse"]


@pytest.mark.parametrize(
    "html",
    [
        "<li>one<p>more" * 50_000,
        "<table>" + "<tr><td><a href=x><b>y</b></a>" * 20_000 + "</table>",
        "<div><b>x</b></div>" * 50_000,
        "<script>" + "document.write('<div>');" * 5000 + "</script><p>x",
    ],
)
def test_long_plain_pages_are_read(html: str) -> None:
    assert document(html).tree.body is not None


RUSSIAN = "Кот смотрит в окно и думает о рыбе, а рыба думает о море и о хорошей погоде."


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (RUSSIAN.encode(), ""),
        (RUSSIAN.encode("utf-8-sig"), "text/html; charset=koi8-r"),
        (RUSSIAN.encode("utf-16"), "text/html"),
        (RUSSIAN.encode("cp1251"), "text/html; charset=windows-1251"),
        (RUSSIAN.encode("cp1251"), 'text/html; charset="Windows-1251"'),
        (b'<meta charset="windows-1251">' + RUSSIAN.encode("cp1251"), "text/html"),
        (RUSSIAN.encode("cp1251") * 5, "text/html"),
        (RUSSIAN.encode("cp1251") * 5, "text/html; charset=utf-8000"),
    ],
)
def test_russian_is_read(body: bytes, content_type: str) -> None:
    assert RUSSIAN in decode(body, content_type)


def test_latin_1_is_read_as_browsers_read_it() -> None:
    text = decode("it\u2019s".encode("cp1252"), "text/html; charset=iso-8859-1")
    assert text == "it\u2019s"


@given(st.binary(max_size=400), st.text(max_size=60))
def test_any_bytes_are_text(body: bytes, content_type: str) -> None:
    assert isinstance(decode(body, content_type), str)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_utf_8_that_says_so_is_itself(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode(), "text/html; charset=utf-8") == text
