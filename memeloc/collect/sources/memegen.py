"""The API of memegen.link. In: its address. Out: its templates, and their examples as captions.

`GET /templates/` lists every template (`jsonify` in memegen's `app/models/template.py`), `GET
/templates/<id>` one of them. The API tells how many lines of text a template has and not where they
are: for the text regions collect a checkout of its folder (`memegen-folder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memeloc.collect.page_values import (
    count_of,
    joined_address,
    line_of,
    lines_of,
    refused,
    web_address,
)
from memeloc.collect.rows import even_rows
from memeloc.errors import MemelocError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

ADDRESS = "https://api.memegen.link"


class MemegenSource:
    """Templates of a memegen server.

    Args:
        address: the server's, without `/templates`.
        ids: only these templates; empty is all.
        limit: at most this many templates; 0 is all.
    """

    name = "memegen"
    summary = "the memegen.link API: templates, their pictures and example captions"

    def __init__(self, address: str = ADDRESS, *, ids: Sequence[str] = (), limit: int = 0) -> None:
        self.address = address.rstrip("/")
        self.ids = tuple(ids)
        self.limit = limit

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """Yield each template and its example; what fails is a refusal."""
        seen: set[str] = set()
        for entry, page in self._entries(fetcher):
            if isinstance(entry, Refusal):
                yield entry
                continue
            key = line_of(entry.get("id"), 200) if isinstance(entry, dict) else ""
            if not key:
                sentence = "an entry of the list has no id, so it was left out"
                yield Refusal(self.name, page.url, "no id", sentence)
                continue
            if key in seen:
                continue
            seen.add(key)
            yield from self._template(fetcher, key, entry, page)
            if self.limit and len(seen) >= self.limit:
                return

    def _entries(self, fetcher: Fetcher) -> Iterator[tuple[Any, Any]]:
        """What the server says of each template, with the page that says it, or a refusal."""
        urls = [f"{self.address}/templates/{quote(one, safe='')}" for one in self.ids]
        for url in urls or [f"{self.address}/templates/"]:
            try:
                page = fetcher.get(url, accept="json")
                value = page.json()
            except MemelocError as error:
                yield refused(self.name, url, error), None
                continue
            except (ValueError, RecursionError):
                yield Refusal(self.name, url, "not JSON", "the answer is not JSON"), None
                continue
            entries = [value] if self.ids else value
            if not isinstance(entries, list):
                sentence = "the answer is not a list of templates"
                yield Refusal(self.name, url, "not as expected", sentence), None
                continue
            for entry in entries:
                yield entry, page

    def _template(
        self, fetcher: Fetcher, key: str, entry: dict[str, Any], page: Page
    ) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        lines = count_of(entry.get("lines"))
        picture = None
        blank = joined_address(page.url, entry.get("blank"))
        blank = blank or f"{self.address}/images/{quote(key)}.png"
        try:
            picture = fetcher.get(blank, accept="picture").body
        except MemelocError as error:
            yield refused(self.name, blank, error)
        details: dict[str, Any] = {
            "id": key,
            "lines": lines,
            "overlays": count_of(entry.get("overlays")),
            "styles": [one for one in lines_of(entry.get("styles")) if one],
            "source": web_address(entry.get("source")),
            "blank": blank,
        }
        if lines not in (None, 2):
            details["notes"] = [
                "the API tells the number of text regions and not their places; they are laid out "
                "below each other"
            ]
        origin = Origin(self.name, key, f"{self.address}/templates/{quote(key)}", "", page.fetched)
        yield FoundTemplate(
            origin=origin,
            name=line_of(entry.get("name"), 500) or key,
            picture=picture,
            keywords=tuple(dict.fromkeys(one for one in lines_of(entry.get("keywords")) if one)),
            boxes=even_rows(2 if lines is None else lines),
            details={name: value for name, value in details.items() if value not in (None, "", [])},
        )
        example = entry.get("example")
        texts = lines_of(example.get("text")) if isinstance(example, dict) else lines_of(example)
        if any(texts):
            room = max(len(texts), 2 if lines is None else lines)
            yield FoundCaption(
                origin=Origin(self.name, f"{key}#example", origin.url, "", page.fetched),
                template=key,
                parts=texts + ("",) * (room - len(texts)),
                details={"kind": "example"},
            )
