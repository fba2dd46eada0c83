"""APIs that list templates. In: a server's address. Out: templates, example captions, refusals.

memegen.link: `GET /templates/` lists every template (`jsonify` in memegen's
`app/models/template.py`), `GET /templates/<id>` one of them. For the text regions collect a
checkout of its folder (`memegen-folder`).

Imgflip (https://imgflip.com/api): `GET /get_memes` answers without an account: id, name, picture,
size, the number of text boxes and, of late, how many captions a template has. `POST /search_memes`
searches all templates, belongs to Imgflip Premium and may cost something a search. Captions of
users are not in the API. The account is read from the environment only and sent over https only.

Both tell the number of a template's text boxes and not their places.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.collect.page_values import (
    count_of,
    fetch_picture,
    joined_address,
    line_of,
    lines_of,
    refused,
    web_address,
    without_empty,
)
from memeloc.errors import MemelocError, MissingError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal
from memeloc.model import TextBox

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

USERNAME, PASSWORD = "MEMELOC_IMGFLIP_USERNAME", "MEMELOC_IMGFLIP_PASSWORD"
"""The environment variables of the account."""

MAX_BOXES = 50  # boxes that are laid out at most: more is a mistake of the source
_NO_PLACES = (
    "the API tells the number of text boxes and not their places; they are laid out below each "
    "other"
)

Results = Iterator[FoundTemplate | FoundCaption | Refusal]


def even_rows(count: int) -> tuple[TextBox, ...]:
    """Return boxes of the same height from the top of the picture to its bottom.

    Two are none: a template without boxes has one at the top and one at the bottom.

    >>> [round(box.y, 3) for box in even_rows(3)]
    [0.02, 0.347, 0.673]
    """
    count = min(count, MAX_BOXES)
    if count == 2 or count < 1:
        return ()
    if count == 1:
        return (TextBox("caption", 0.03, 0.73, 0.94, 0.25, valign="bottom"),)
    step = 0.98 / count
    height = round(step * 0.94, 6)
    return tuple(
        TextBox(f"text {number + 1}", 0.03, round(0.02 + number * step, 6), 0.94, height)
        for number in range(count)
    )


class _TemplateApi:
    """A source that asks an API for templates; `limit` is how many at most, 0 is all.

    `requests` are addresses that list templates, each with the form that is sent to it, `records`
    the templates in an answer, and `about` what is known of one: its picture's address, page,
    terms, number of boxes and other details.
    """

    name: str
    address: str
    limit: int

    def url(self, path: str) -> str:
        return f"{self.address.rstrip('/')}/{path}"

    def requests(self) -> list[tuple[str, dict[str, str]]]:
        raise NotImplementedError

    def records(self, value: Any) -> list[Any] | str:
        raise NotImplementedError

    def about(
        self, key: str, record: Any, page: Page
    ) -> tuple[str, str, str, int | None, dict[str, Any]]:
        raise NotImplementedError

    def collect(self, fetcher: Fetcher) -> Results:
        seen: set[str] = set()
        for url, form in self.requests():
            try:
                page = fetcher.post(url, form) if form else fetcher.get(url, accept="json")
                records = self.records(page.json())
                if isinstance(records, str):
                    raise FetchRefused(page.url, "not as expected", records)
            except MemelocError as error:
                yield refused(self.name, url, error)
                continue
            for rank, record in enumerate(records, 1):
                key = line_of(record.get("id"), 200) if isinstance(record, dict) else ""
                if not key:
                    sentence = "an entry of the list has no id, so it was left out"
                    yield Refusal(self.name, page.url, "no id", sentence)
                elif key not in seen:
                    seen.add(key)
                    place = {"rank": rank, "query": form.get("query", "")}
                    yield from self._template(fetcher, key, record, page, place)
                    if self.limit and len(seen) >= self.limit:
                        return

    def _template(
        self, fetcher: Fetcher, key: str, record: Any, page: Page, place: dict[str, Any]
    ) -> Results:
        picture, url, terms, boxes, details = self.about(key, record, page)
        details = {"id": key, **place, **details}
        if boxes not in (None, 2):
            details["notes"] = [_NO_PLACES]
        yield FoundTemplate(
            Origin(self.name, key, url, terms, page.fetched),
            line_of(record.get("name"), 500) or key,
            (yield from fetch_picture(fetcher, self.name, picture, url)),
            keywords=tuple(dict.fromkeys(filter(None, lines_of(record.get("keywords"))))),
            boxes=even_rows(2 if boxes is None else boxes),
            details=without_empty(details),
        )
        example = record.get("example")
        texts = lines_of(example.get("text") if isinstance(example, dict) else example)
        if any(texts):
            count = max(len(texts), 2 if boxes is None else boxes)
            origin = Origin(self.name, f"{key}#example", url, "", page.fetched)
            parts = texts + ("",) * (count - len(texts))
            yield FoundCaption(origin, key, parts, details={"kind": "example"})


@dataclass
class MemegenSource(_TemplateApi):
    """Templates of a memegen server.

    Args:
        address: the server's, without `/templates`.
        ids: only these templates; empty is all.
        limit: at most this many templates; 0 is all.
    """

    name = "memegen"
    summary = "the memegen.link API: templates, their pictures and example captions"

    address: str = "https://api.memegen.link"
    _: KW_ONLY
    ids: Sequence[str] = ()
    limit: int = 0

    def requests(self) -> list[tuple[str, dict[str, str]]]:
        return [(self.url(f"templates/{quote(key, safe='')}"), {}) for key in self.ids or ("",)]

    def records(self, value: Any) -> list[Any] | str:
        records = [value] if self.ids else value
        return records if isinstance(records, list) else "the answer is not a list of templates"

    def about(
        self, key: str, record: Any, page: Page
    ) -> tuple[str, str, str, int | None, dict[str, Any]]:
        lines = count_of(record.get("lines"))
        blank = joined_address(page.url, record.get("blank"))
        blank = blank or self.url(f"images/{quote(key)}.png")
        details = {
            "rank": None,
            "lines": lines,
            "overlays": count_of(record.get("overlays")),
            "styles": [style for style in lines_of(record.get("styles")) if style],
            "source": web_address(record.get("source")),
            "blank": blank,
        }
        return blank, self.url(f"templates/{quote(key)}"), "", lines, details


@dataclass
class ImgflipSource(_TemplateApi):
    """Templates of Imgflip.

    Args:
        address: the API's, without `/get_memes`.
        search: words to search all templates for instead; needs an account with Imgflip Premium,
            named by MEMELOC_IMGFLIP_USERNAME and MEMELOC_IMGFLIP_PASSWORD, and may cost something.
        limit: at most this many templates; 0 is all, which are a hundred.
    """

    name = "imgflip"
    summary = "the Imgflip API: the hundred most used templates and their pictures"

    address: str = "https://api.imgflip.com"
    _: KW_ONLY
    search: Sequence[str] = ()
    limit: int = 0

    def requests(self) -> list[tuple[str, dict[str, str]]]:
        if not self.search:
            return [(self.url("get_memes"), {})]
        name, password = os.environ.get(USERNAME, ""), os.environ.get(PASSWORD, "")
        if not name or not password:
            raise MissingError(
                "Imgflip's search needs an account with Imgflip Premium: put its name and password "
                f"in {USERNAME} and {PASSWORD}"
            )
        account = {"username": name, "password": password}
        return [(self.url("search_memes"), account | {"query": query}) for query in self.search]

    def records(self, value: Any) -> list[Any] | str:
        match value:
            case {"success": True, "data": {"memes": [*memes]}}:
                return memes
            case {"success": True}:
                return "the answer has no list of templates"
        message = value.get("error_message") if isinstance(value, dict) else ""
        return f"Imgflip refused: {line_of(message, 200) or 'without a reason'}"

    def about(
        self, key: str, record: Any, page: Page
    ) -> tuple[str, str, str, int | None, dict[str, Any]]:
        boxes, captions = (count_of(record.get(name)) for name in ("box_count", "captions"))
        picture = joined_address(page.url, record.get("url"))
        details = {"box_count": boxes, "captions": captions, "picture": picture}
        url, terms = f"https://imgflip.com/memetemplate/{key}", "https://imgflip.com/terms"
        return picture, url, terms, boxes, details
