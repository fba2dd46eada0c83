"""The API of memegen.link. In: its address. Out: its templates, and their examples as captions.

`GET /templates/` lists every template (`jsonify` in memegen's `app/models/template.py`), `GET
/templates/<id>` one of them. The API tells how many lines of text a template has and not where they
are: for the text regions collect a checkout of its folder (`memegen-folder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from memeloc.collect.page_values import count_of, joined_address, lines_of, refused, web_address
from memeloc.collect.sources.template_api import Entry, TemplateApi
from memeloc.errors import MemelocError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

ADDRESS = "https://api.memegen.link"


class MemegenSource(TemplateApi):
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

    def entries(self, fetcher: Fetcher) -> Iterator[Entry | Refusal]:
        """The entries of the list, or of each template that is asked for."""
        urls = [f"{self.address}/templates/{quote(key, safe='')}" for key in self.ids]
        for url in urls or [f"{self.address}/templates/"]:
            try:
                page = fetcher.get(url, accept="json")
                value = page.json()
            except MemelocError as error:
                yield refused(self.name, url, error)
                continue
            records = [value] if self.ids else value
            if isinstance(records, list):
                yield from (Entry(record, page, {}) for record in records)
            else:
                sentence = "the answer is not a list of templates"
                yield Refusal(self.name, url, "not as expected", sentence)

    def template(
        self, fetcher: Fetcher, key: str, entry: Entry
    ) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """An entry's template, and its example."""
        record, page, _ = entry
        lines = count_of(record.get("lines"))
        blank = joined_address(page.url, record.get("blank"))
        blank = blank or f"{self.address}/images/{quote(key)}.png"
        url = f"{self.address}/templates/{quote(key)}"
        details = {
            "lines": lines,
            "overlays": count_of(record.get("overlays")),
            "styles": [style for style in lines_of(record.get("styles")) if style],
            "source": web_address(record.get("source")),
            "blank": blank,
        }
        keywords = tuple(dict.fromkeys(word for word in lines_of(record.get("keywords")) if word))
        origin = Origin(self.name, key, url, "", page.fetched)
        yield from self.build(fetcher, origin, entry, blank, lines, details, keywords)
        example = record.get("example")
        texts = lines_of(example.get("text") if isinstance(example, dict) else example)
        if any(texts):
            count = max(len(texts), 2 if lines is None else lines)
            yield FoundCaption(
                origin=Origin(self.name, f"{key}#example", url, "", page.fetched),
                template=key,
                parts=texts + ("",) * (count - len(texts)),
                details={"kind": "example"},
            )
