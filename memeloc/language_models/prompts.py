"""Prompts, as text files. In: a TOML of texts. Out: `Prompt`, filled in and checked.

A prompt's file has a `system` text and one or more texts that are asked, with names in braces where
values go. A value is put in as it is and never searched for names again: it is untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from memeloc.errors import InputError
from memeloc.language_models.questions import Message, Picture
from memeloc.settings import parse_toml, read_toml

Input = Literal["picture", "text", "both"]
"""What a model is given of a meme."""


@dataclass(frozen=True, slots=True)
class MemeInput:
    """A meme that a model is asked about.

    Attributes:
        id: of the item or meme.
        content: SHA-256 of what the model is given; labels of another content do not count.
        text: its text, parts joined by ` // `; empty where the model is given the picture alone.
        language: of the text, a tag; empty where it is not known.
        version: language of the meme itself, whatever of it the model is given; empty where it is
            not known.
        picture: None where the model is given the text alone.
    """

    id: str
    content: str
    text: str = ""
    language: str = ""
    picture: Picture | None = None
    version: str = ""

    @property
    def input(self) -> Input:
        """Return what the model is given of it."""
        if self.picture is None:
            return "text"
        return "both" if self.text else "picture"


_NAME = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The order to a model, and the texts that it is asked, by name."""

    system: str
    asks: Mapping[str, str]

    def fill(
        self, ask: str, values: Mapping[str, str], pictures: tuple[Picture, ...] = ()
    ) -> tuple[Message, ...]:
        """Return the messages of one question.

        >>> prompt = Prompt("Be short.", {"one": "Is {thing} warm?"})
        >>> prompt.fill("one", {"thing": "a {thing}"})[1].text
        'Is a {thing} warm?'
        """
        text = _NAME.sub(lambda name: values[name[1]], self.asks[ask])
        return Message("system", self.system), Message("user", text, pictures)

    def texts(self) -> dict[str, str]:
        """Return all texts by name, for hashes and evidence."""
        return {"system": self.system, **self.asks}


def read_prompt(
    file: Path | Traversable | str, needs: Mapping[str, frozenset[str] | set[str]]
) -> Prompt:
    """Read a prompt's file, a TOML; a text is taken for a path.

    `needs` are the names of the texts that it must have, and which names in braces each must hold.
    Raise InputError if it cannot be read, or a text or name is missing or unknown.
    """
    path = Path(str(file)).expanduser()
    if isinstance(file, str | Path):
        values = read_toml(path)
    else:
        values = parse_toml(file.read_text("utf-8"), file=path)
    names = ("system", *needs)
    for name in values.keys() - set(names):
        raise InputError(f"has {name[:60]!r}, but only {', '.join(names)} are read", file=path)
    for name in names:
        text = values.get(name)
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"needs a text named {name}", file=path)
        held, wanted = set(_NAME.findall(text)), needs.get(name)
        if wanted is None:
            continue
        for missing in sorted(wanted - held):
            raise InputError(f"the text {name} must hold {{{missing}}}", file=path)
        for unknown in sorted(held - wanted):
            raise InputError(
                f"the text {name} holds {{{unknown}}}, which nothing is put in for", file=path
            )
    return Prompt(values["system"].strip(), {name: values[name].strip() for name in needs})
