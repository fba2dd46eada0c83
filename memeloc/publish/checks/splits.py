"""Leaks between splits. In: the pictures. Out: memes and templates in two splits, near pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.release import Release

RULE = "splits"

_OF_TEMPLATE = 4
"""Pictures of a template that are compared with those of others: the rest looks like them."""


class _Seen(NamedTuple):
    split: str
    path: str
    meme: str
    template: str
    file: Path | None


def find(release: Release, private: Private) -> Iterator[Finding]:
    if len(release.splits) < 2:
        return
    seen: dict[tuple[str, str], _Seen] = {}
    reported: set[tuple[str, str, str]] = set()
    of_template: Counter[str] = Counter()
    compared: list[_Seen] = []
    for released in release.pictures():
        template = str(released.row.get("template") or "")
        picture = _Seen(released.split, released.path, released.meme, template, released.file)
        # Equal pictures on one template are found by the template.
        sha256 = "" if template else str(released.row.get("sha256") or "")
        for what, name in (("meme", picture.meme), ("template", template), ("picture", sha256)):
            other = seen.setdefault((what, name), picture) if name else picture
            if other.split != picture.split and (what, name, picture.split) not in reported:
                reported.add((what, name, picture.split))
                yield _leak(f"the same {what} is", picture, other)
        of_template[template or picture.meme] += 1
        if picture.file is not None and of_template[template or picture.meme] <= _OF_TEMPLATE:
            compared.append(picture)
    yield from _near(compared, private)


def _near(compared: Sequence[_Seen], private: Private) -> Iterator[Finding]:
    reported: set[frozenset[str]] = set()
    files = [picture.file for picture in compared if picture.file is not None]
    for first, second in private.near_pictures(files):
        other, picture = (compared[number] for number in sorted((first, second)))
        is_same = other.meme == picture.meme or (
            other.template and other.template == picture.template
        )
        pair = frozenset((other.template or other.meme, picture.template or picture.meme))
        if other.split != picture.split and not is_same and pair not in reported:
            reported.add(pair)
            yield _leak("nearly the same picture is", picture, other)


def _leak(what: str, picture: _Seen, other: _Seen) -> Finding:
    return Finding(
        RULE,
        "refused",
        f"{what} in {other.split} also, as {other.path}; `memeloc dedup` knows such pictures, and "
        "what it groups stays in one split.",
        f"{picture.split}/{picture.path}",
    )
