"""Messages to a model. In: texts and pictures. Out: messages as the OpenAI protocol writes them.

A picture is sent as a data URL, so that a server needs to fetch nothing. It is opened only when it
is sent: what stands for it in a cache's key is its name, which must change with its content.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture within a message.

    Attributes:
        key: changes whenever the bytes do, such as the SHA-256 of a file and how it was shrunk.
        read: gives the bytes; called when the question is sent.
        media_type: of the bytes, such as `image/jpeg`.
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
        text = whole(self.text)
        if not self.pictures:
            return {"role": self.role, "content": text}
        shown = [
            {"type": "image_url", "image_url": {"url": picture.data_url()}}
            for picture in self.pictures
        ]
        return {"role": self.role, "content": [{"type": "text", "text": text}, *shown]}


def whole(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot hold.

    >>> whole("a\\ud800")
    'a\\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def question_key(
    model: str,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> str:
    """A name for a question by its content: SHA-256 in hex of all that its answer depends on."""
    plain = [
        "memeloc-question-1",
        model,
        [
            [message.role, message.text, [[one.media_type, one.key] for one in message.pictures]]
            for message in messages
        ],
        schema,
        parameters,
    ]
    words = json.dumps(plain, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(words.encode("ascii")).hexdigest()
