"""Collected items. In: `memeloc.model`. Out: the types between sources, the store and filters.

A source yields `FoundTemplate`, `FoundCaption`, `FoundPicture` and `Refusal`; a workspace stores
them and hands them out as `Item`s; deduplication and filters judge `Item`s.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from memeloc.model import TextBox

ItemKind = Literal["template", "caption", "picture"]
"""A picture to write on, a text on one, or a finished meme with its text in the picture."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates, which no store takes."""

OWN_NAME = "own name"
"""In the details of a template that the workspace has by a name of its own, or of a caption whose
table has a meme_id: that name."""

MEME = "own meme"
"""In the details of an item that is one of several versions of a meme, as of one in five languages:
what identifies the meme in its dataset."""

TRANSLATIONS = "translations"
"""In the details of a caption that came with translations: of each language `parts`, `state`
(`given`, or a `machine`'s) and `by`, who or what made it."""

_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Origin:
    """The place where something was found, the time, and under what terms.

    Attributes:
        source: its name, such as `memegenerator` or `hateful-memes`.
        key: what identifies it there and stays the same when it is collected again: an address, an
            id, or a path below the collected folder.
        url: the page or file it stood in; empty when there is none.
        terms: licence or terms of use as the source states them.
        fetched: when it was read; None for what was on disk.
        dataset: the name of its dataset at that source, within which `key` is its own; empty for
            what comes from a site.
    """

    source: str
    key: str
    url: str = ""
    terms: str = ""
    fetched: datetime | None = None
    dataset: str = ""


@dataclass(frozen=True, slots=True)
class Year:
    """The time when a meme appeared: the year of the common era, and the words or field it was read
    from.

    `by` structured data, a rule in the page's text, a model, or as stated by a dataset.
    """

    year: int
    by: Literal["data", "rule", "model", "dataset"]
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class FoundTemplate:
    """A picture that people write captions on.

    `picture` are the file's bytes, checked to be a picture, None when none could be fetched;
    `boxes`, where its text goes, when the source knows; `details`, what else the source says, as
    JSON values.
    """

    origin: Origin
    name: str
    picture: bytes | None = field(default=None, repr=False)
    description: str = ""
    keywords: tuple[str, ...] = ()
    year: Year | None = None
    boxes: tuple[TextBox, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundCaption:
    """A text that somebody wrote on a template, one part a text box.

    `template` is the template's key at the same source; `votes` are as shown there; `language` (a
    tag) and `created` (ISO 8601) are empty where the source does not say.
    """

    origin: Origin
    template: str
    parts: tuple[str, ...]
    language: str = ""
    votes: int | None = None
    created: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A finished meme: a picture, checked to be one, with its text in it as the source gives it.

    `template` is the template's key at the same source; `labels`, by question, are those of the
    source's people, as written there; `created` is ISO 8601. All may be empty.
    """

    origin: Origin
    picture: bytes = field(repr=False)
    name: str = ""
    parts: tuple[str, ...] = ()
    language: str = ""
    template: str = ""
    year: Year | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


Found = FoundTemplate | FoundCaption | FoundPicture
"""What a source yields besides refusals."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something at an address or path that was not taken, and why.

    The reason is a short key that can be counted, such as `not a picture` or `inside the network`;
    the sentence is for people.
    """

    source: str
    url: str
    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Item:
    """Something collected, as the store hands it out; texts are empty where nothing is known.

    Attributes:
        id: see `item_id`.
        parent: the id of a caption's or picture's template.
        parts: the text of a caption, or of a picture as far as known (a corrected transcript before
            the source's own text); empty for a template.
        language: the locale's tag as the source states it.
        created, labels, details: as in the types above.
        picture: SHA-256 of its picture, in hex; a caption has none of its own.
        template_picture: SHA-256 of its template's picture, in hex.
        path: the stored picture's file, of `size` bytes.
        width, height: of the picture, in pixels; 0 when there is none.
    """

    id: str
    kind: ItemKind
    origin: Origin
    name: str = ""
    parent: str = ""
    parts: tuple[str, ...] = ()
    language: str = ""
    votes: int | None = None
    year: Year | None = None
    created: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    boxes: tuple[TextBox, ...] = ()
    picture: str = ""
    template_picture: str = ""
    path: Path | None = None
    width: int = 0
    height: int = 0
    size: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def item_id(source: str, kind: ItemKind, key: str, name: str = "", dataset: str = "") -> str:
    """Return a name for an item that is safe as a file name and the same in every run.

    Source, key and dataset are its `Origin`'s; a page may hold a template and a finished meme of
    the same key. It begins with `name`, so that people can tell what it is.

    >>> item_id("memegenerator", "template", "/Cat-Keyboard", "Cat Keyboard")
    'cat-keyboard-bd99510c57'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = _UNSAFE.sub("-", plain).strip("-")[:40].strip("-")
    return f"{words or kind}-{key_hash(source, kind, key, dataset)[:10]}"


def meme_id(item: Item) -> str:
    """Return the id of the meme that an item is: the same for all its versions in a dataset."""
    meme, origin = item.details.get(MEME), item.origin
    if meme is None or item.kind == "template":
        return item.id
    key = json.dumps([MEME, meme], ensure_ascii=False)
    return item_id(origin.source, item.kind, key, item.name, origin.dataset)


def key_hash(source: str, kind: ItemKind, key: str, dataset: str = "") -> str:
    """Return SHA-256, in hex, of what an item is known by."""
    # Without a dataset it has no such part; no source's name is empty.
    return hash_of(*(("", dataset) if dataset else ()), source, kind, key)


def content_hash(item: Item) -> str:
    """Return SHA-256, in hex, of what is seen of an item: its picture (or template's) and text.

    Judgements are bound to it: where it is another now, they were about something earlier.
    """
    return seen_hash(item.picture or item.template_picture, item.parts)


def picture_hash(item: Item) -> str:
    """Return `content_hash` for what looks at pictures alone, whatever text stands beside."""
    return seen_hash(item.picture or item.template_picture, None)


def seen_hash(picture: str, parts: Sequence[str] | None) -> str:
    """Return `content_hash` of a picture's SHA-256 and parts of a text; None is any text."""
    if parts is None:
        return hash_of("picture", picture)
    return hash_of(picture, *parts if any(parts) else ())  # a text without letters is as none


def hash_of(*texts: str) -> str:
    """Return SHA-256 of texts, in hex."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
