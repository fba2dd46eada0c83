"""Messages to a model. In: texts and pictures. Out: messages as the OpenAI protocol writes them.

A picture is sent as a data URL, so that a server needs to fetch nothing. It is opened only when it
is sent: what stands for it in a cache's key is its name, which must change with its content.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture within a message.

    `key` changes whenever the bytes do, such as the SHA-256 of a file and how it was shrunk; `read`
    gives the bytes, and is called when the question is sent.
    """

    key: str
    read: Callable[[], bytes]
    media_type: str = "image/jpeg"

    def data_url(self) -> str:
        """The picture within an address (RFC 2397)."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.read()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str
    pictures: tuple[Picture, ...] = ()

    def wire(self) -> dict[str, Any]:
        """As the protocol writes it."""
        content: list[dict[str, Any]] = [{"type": "text", "text": whole(self.text)}]
        for picture in self.pictures:
            content.append({"type": "image_url", "image_url": {"url": picture.data_url()}})
        return {"role": self.role, "content": content if self.pictures else whole(self.text)}


def whole(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot hold.

    >>> whole("a\\ud800")
    'a\\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
