"""The API of Imgflip. In: its address. Out: the hundred templates most captioned lately.

`GET /get_memes` answers without an account: id, name, picture, size, the number of text boxes and,
of late, how many captions a template has. `POST /search_memes` searches all templates, belongs to
Imgflip Premium and may cost something a search (https://imgflip.com/api). Captions of users are not
in the API. The account is read from the environment only and sent over https only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.collect.page_values import count_of, joined_address, line_of, refused
from memeloc.collect.sources.template_api import Entry, TemplateApi
from memeloc.errors import MemelocError, MissingError
from memeloc.items import FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

ADDRESS = "https://api.imgflip.com"
TERMS = "https://imgflip.com/terms"
USERNAME, PASSWORD = "MEMELOC_IMGFLIP_USERNAME", "MEMELOC_IMGFLIP_PASSWORD"
"""The environment variables of the account."""


class ImgflipSource(TemplateApi):
    """Templates of Imgflip.

    Args:
        address: the API's, without `/get_memes`.
        search: words to search all templates for instead; needs an account with Imgflip Premium,
            named by MEMELOC_IMGFLIP_USERNAME and MEMELOC_IMGFLIP_PASSWORD, and may cost something.
        limit: at most this many templates; 0 is all, which are a hundred.
    """

    name = "imgflip"
    summary = "the Imgflip API: the hundred most used templates and their pictures"

    def __init__(
        self, address: str = ADDRESS, *, search: Sequence[str] = (), limit: int = 0
    ) -> None:
        self.address = address.rstrip("/")
        self.search = tuple(search)
        self.limit = limit

    def entries(self, fetcher: Fetcher) -> Iterator[Entry | Refusal]:
        """The entries of the list, or of each search."""
        account = _account() if self.search else {}
        for query in self.search or ("",):
            url = f"{self.address}/{'search_memes' if self.search else 'get_memes'}"
            try:
                if self.search:
                    page = fetcher.post(url, {**account, "query": query})
                else:
                    page = fetcher.get(url, accept="json")
                memes = _memes(page)
            except MemelocError as error:
                yield refused(self.name, url, error)
                continue
            for rank, meme in enumerate(memes, 1):
                yield Entry(meme, page, {"rank": rank, "query": query})

    def template(
        self, fetcher: Fetcher, key: str, entry: Entry
    ) -> Iterator[FoundTemplate | Refusal]:
        """An entry's template."""
        url = f"https://imgflip.com/memetemplate/{key}"
        boxes = count_of(entry.record.get("box_count"))
        picture = joined_address(entry.page.url, entry.record.get("url"))
        captions = count_of(entry.record.get("captions"))
        details = {"box_count": boxes, "captions": captions, "picture": picture}
        origin = Origin(self.name, key, url, TERMS, entry.page.fetched)
        yield from self.build(fetcher, origin, entry, picture, boxes, details)


def _account() -> dict[str, str]:
    name, password = os.environ.get(USERNAME, ""), os.environ.get(PASSWORD, "")
    if not name or not password:
        raise MissingError(
            "Imgflip's search needs an account with Imgflip Premium: put its name and password in "
            f"{USERNAME} and {PASSWORD}"
        )
    return {"username": name, "password": password}


def _memes(page: Page) -> list[Any]:
    answer = page.json()
    answer = answer if isinstance(answer, dict) else {}
    if answer.get("success") is not True:
        reason = line_of(answer.get("error_message"), 200) or "without a reason"
        raise FetchRefused(page.url, "not as expected", f"Imgflip refused: {reason}")
    data = answer.get("data")
    memes = data.get("memes") if isinstance(data, dict) else None
    if not isinstance(memes, list):
        raise FetchRefused(page.url, "not as expected", "the answer has no list of templates")
    return memes
