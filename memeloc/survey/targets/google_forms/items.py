"""What a form is made of. In: items with their options. Out: a `Form`, and the ids of its items."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SUBMIT = "submit"
"""Where an option leads that ends the form."""
STOP = "stop"
"""The option's id by which people stop; no label may have it."""

Kind = Literal["section", "text", "picture", "choice", "choices", "scale", "line", "paragraph"]
QUESTIONS: frozenset[Kind] = frozenset({"choice", "choices", "scale", "line", "paragraph"})


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that can be chosen.

    `id` is an answer's, `yes`, `no`, `send` or `stop`; `goes` the key of the
    section that it leads to, `submit`, or empty for the next section.
    """

    id: str
    text: str
    goes: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a form.

    Attributes:
        key: `consent`, `participant`, `section:...`, or as of `question_key`; unique in its form.
        kind: `choice` is one of several, `choices` any of several; a `scale` has its numbers as
            options.
        title: one line; unique among the form's questions, for a CSV's headers are titles.
        picture, source, alt: a picture's file name in the export, path here, and text; or empty.
        asks: of a question that is in several sections, the key that its answers have; or empty.
    """

    key: str
    kind: Kind
    title: str
    description: str = ""
    options: tuple[Option, ...] = ()
    required: bool = False
    picture: str = ""
    source: Path | None = None
    alt: str = ""
    asks: str = ""

    @property
    def routed(self) -> bool:
        """Whether its options lead to sections; then all of them do."""
        return any(option.goes for option in self.options)


@dataclass(frozen=True, slots=True)
class Form:
    """A sheet as a form; `document` is what it is called in Drive, `thanks` the page at its end."""

    sheet: str
    survey: str
    title: str
    document: str
    description: str
    items: tuple[Item, ...]
    thanks: str

    def ids(self) -> dict[str, str]:
        """An id for each item by its key: eight hexadecimal digits, always the same.

        The API takes ids on creation, so a request that was cut off is not mistaken for one that
        never arrived. A question's id is its item's with the last bit turned.
        """
        keys: dict[int, str] = {}
        for item in self.items:
            name = "\x1f".join((self.survey, self.sheet, item.key, "0"))
            number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
            number = number & 0x7FFFFFFE | 0x10000000
            while number in keys:
                number = number + 2 & 0x7FFFFFFE | 0x10000000
            keys[number] = item.key
        return {key: f"{number:08x}" for number, key in keys.items()}


def question_id(item_id: str) -> str:
    """The id of an item's question.

    >>> question_id("1a2b3c4e")
    '1a2b3c4f'
    """
    return f"{int(item_id, 16) | 1:08x}"
