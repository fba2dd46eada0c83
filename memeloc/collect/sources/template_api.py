"""APIs that list templates. In: a server's answers. Out: templates, each once, and refusals.

These APIs give the number of a template's text boxes and not their places.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from memeloc.collect.page_values import fetch_picture, line_of, without_empty
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal
from memeloc.model import TextBox

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

MAX_BOXES = 50  # boxes that are laid out at most: more is a mistake of the source


class Entry(NamedTuple):
    """A template in an answer: its JSON value, the answer, and what is known besides."""

    record: Any
    page: Page
    details: dict[str, Any]


class TemplateApi(ABC):
    """A source that asks an API for templates; `limit` is how many at most, 0 is all."""

    name: str
    limit: int

    @abstractmethod
    def entries(self, fetcher: Fetcher) -> Iterator[Entry | Refusal]:
        """The entries of the API's answers."""

    @abstractmethod
    def template(
        self, fetcher: Fetcher, key: str, entry: Entry
    ) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """What an entry becomes; its record is a mapping with the id `key`."""

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """Yield each template once; what fails is a refusal.

        Raises:
            MissingError: a search needs an account, and the environment names none.
        """
        seen: set[str] = set()
        for entry in self.entries(fetcher):
            if isinstance(entry, Refusal):
                yield entry
                continue
            key = line_of(entry.record.get("id"), 200) if isinstance(entry.record, dict) else ""
            if not key:
                sentence = "an entry of the list has no id, so it was left out"
                yield Refusal(self.name, entry.page.url, "no id", sentence)
            elif key not in seen:
                seen.add(key)
                yield from self.template(fetcher, key, entry)
                if self.limit and len(seen) >= self.limit:
                    return

    def build(
        self,
        fetcher: Fetcher,
        origin: Origin,
        entry: Entry,
        picture: str,
        boxes: int | None,
        details: dict[str, Any],
        keywords: tuple[str, ...] = (),
    ) -> Iterator[FoundTemplate | Refusal]:
        """A template with its picture, at an address that may be empty, and its number of boxes."""
        content = yield from fetch_picture(fetcher, self.name, picture, entry.page.url)
        details = {"id": origin.key, **entry.details, **details}
        if boxes not in (None, 2):
            details["notes"] = [
                "the API tells the number of text boxes and not their places; they are laid out "
                "below each other"
            ]
        yield FoundTemplate(
            origin=origin,
            name=line_of(entry.record.get("name"), 500) or origin.key,
            picture=content,
            keywords=keywords,
            boxes=even_rows(2 if boxes is None else boxes),
            details=without_empty(details),
        )


def even_rows(count: int) -> tuple[TextBox, ...]:
    """Boxes of the same height from the top of the picture to its bottom.

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
