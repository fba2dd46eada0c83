"""The API of Imgflip. In: its address. Out: the hundred templates most captioned lately.

`GET /get_memes` answers without an account: id, name, picture, size, the number of text boxes and,
of late, how many captions a template has (https://imgflip.com/api). Where the boxes are it does not
say. `POST /search_memes` searches all templates for those who have an account, see imgflip_account.
Captions of users are not in the API.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memeloc.collect.page_values import count_of, joined_address, line_of, refused
from memeloc.collect.rows import even_rows
from memeloc.collect.sources.imgflip_account import account, search
from memeloc.errors import MemelocError
from memeloc.items import FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

ADDRESS = "https://api.imgflip.com"
TERMS = "https://imgflip.com/terms"


class ImgflipSource:
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

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | Refusal]:
        """Yield each template once; what fails is a refusal.

        Raises:
            MissingError: a search needs an account, and the environment names none.
        """
        seen: set[str] = set()
        for url, word, answer, origin in self._answers(fetcher):
            if isinstance(answer, Refusal):
                yield answer
                continue
            memes = self._memes(answer)
            if isinstance(memes, str):
                yield Refusal(self.name, url, "not as expected", memes)
                continue
            for rank, meme in enumerate(memes, 1):
                key = line_of(meme.get("id"), 200) if isinstance(meme, dict) else ""
                if not key:
                    sentence = f"entry {rank} has no id, so it was left out"
                    yield Refusal(self.name, url, "no id", sentence)
                    continue
                if key in seen:
                    continue
                seen.add(key)
                yield from self._template(fetcher, key, meme, origin, {"rank": rank, **word})
                if self.limit and len(seen) >= self.limit:
                    return

    def _answers(
        self, fetcher: Fetcher
    ) -> Iterator[tuple[str, dict[str, Any], Any, tuple[str, datetime]]]:
        """What the API says: its address, the word searched for, its answer, and where and when."""
        if not self.search:
            url = f"{self.address}/get_memes"
            try:
                page = fetcher.get(url, accept="json")
                yield url, {}, page.json(), (page.url, page.fetched)
            except MemelocError as error:
                yield url, {}, refused(self.name, url, error), (url, datetime.now(UTC))
            return
        account()
        url = f"{self.address}/search_memes"
        for word in self.search:
            moment = datetime.now(UTC)
            try:
                answer = search(self.address, word, fetcher.settings)
            except MemelocError as error:
                answer = refused(self.name, url, error)
            yield url, {"query": word}, answer, (url, moment)

    @staticmethod
    def _memes(answer: Any) -> list[Any] | str:
        """The entries of an answer, or a sentence on why there are none."""
        if not isinstance(answer, dict):
            return "the answer is not an object"
        if answer.get("success") is not True:
            reason = line_of(answer.get("error_message"), 200) or "without a reason"
            return f"Imgflip refused: {reason}"
        data = answer.get("data")
        memes = data.get("memes") if isinstance(data, dict) else None
        return memes if isinstance(memes, list) else "the answer holds no list of templates"

    def _template(
        self,
        fetcher: Fetcher,
        key: str,
        meme: dict[str, Any],
        origin: tuple[str, datetime],
        known: dict[str, Any],
    ) -> Iterator[FoundTemplate | Refusal]:
        boxes = count_of(meme.get("box_count"))
        picture = None
        address = joined_address(origin[0], meme.get("url"))
        if address:
            try:
                picture = fetcher.get(address, accept="picture").body
            except MemelocError as error:
                yield refused(self.name, address, error)
        else:
            sentence = f"the template {key} names no picture; it comes in without one"
            yield Refusal(self.name, origin[0], "no picture", sentence)
        details: dict[str, Any] = {
            "id": key,
            **known,
            "box_count": boxes,
            "captions": count_of(meme.get("captions")),
            "picture": address,
        }
        if boxes not in (None, 2):
            details["notes"] = [
                "Imgflip tells the number of text boxes and not their places; they are laid out "
                "below each other"
            ]
        yield FoundTemplate(
            origin=Origin(
                self.name, key, f"https://imgflip.com/memetemplate/{key}", TERMS, origin[1]
            ),
            name=line_of(meme.get("name"), 500) or key,
            picture=picture,
            boxes=even_rows(2 if boxes is None else boxes),
            details={name: value for name, value in details.items() if value not in (None, "")},
        )
