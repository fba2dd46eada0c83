"""Rights in pictures. In: the pictures' rows. Out: templates and memes without source or terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memeloc.counts import counted
from memeloc.publish.checks.finding import Finding, Private, Severity
from memeloc.publish.release import Release, ReleasedPicture

RULE = "sources"

_FORBID = re.compile(
    r"all rights reserved|no redistribution|not (to )?be (re)?distributed|do not (re)?distribute"
    r"|no sharing|proprietary",
    re.IGNORECASE,
)
_NO_DERIVATIVES = re.compile(r"\bCC[- ]BY(-NC)?-ND\b", re.IGNORECASE)
_CONDITIONS = {
    "non-commercial": re.compile(r"\bNC\b|non-?commercial", re.IGNORECASE),
    "share alike": re.compile(r"\bBY(-NC)?-SA\b|share-?alike", re.IGNORECASE),
}
"""Conditions of Creative Commons that pass on to what is made of a work."""
_UNKNOWN = {"", "unknown", "none", "n/a", "?", "not stated"}


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Pictures that go out without a source, without terms, or against their terms.

    Of pictures on one template the first is given. Where pictures stay behind, terms do not matter.
    """
    first: dict[tuple[str, str], ReleasedPicture] = {}
    counts: dict[tuple[str, str], int] = {}
    for picture in release.pictures():
        for problem in _problems(picture, release.about.licence):
            key = problem, str(picture.row.get("template") or picture.meme)
            first.setdefault(key, picture)
            counts[key] = counts.get(key, 0) + 1
    for (problem, template), picture in first.items():
        severity, column, message = _MESSAGES[problem]
        number = counts[problem, template]
        yield Finding(
            RULE,
            severity,
            f"{message.format(template=template)} ({counted(number, 'picture')})",
            picture.path,
            column=column,
        )


_MESSAGES: dict[str, tuple[Severity, str, str]] = {
    "source": (
        "refused",
        "template_source",
        "nothing says where the picture of {template!r} is from; name it in its template.toml "
        "(source), or in the source's options.",
    ),
    "terms": (
        "refused",
        "template_licence",
        "nothing says under what terms the picture of {template!r} may be passed on; name its "
        "licence (in its template.toml, or by --terms when it is collected), or publish with "
        "--without-pictures.",
    ),
    "forbidden": (
        "refused",
        "template_licence",
        "the terms of {template!r} do not allow to pass the picture on; publish with "
        "--without-pictures.",
    ),
    "derivatives": (
        "warning",
        "template_licence",
        "the licence of {template!r} allows no changed versions, and text on a picture is one; ask "
        "its author, or publish with --without-pictures.",
    ),
    "non-commercial": (
        "warning",
        "template_licence",
        "the licence of {template!r} is for non-commercial use (NC), and that of the dataset says "
        "nothing of it.",
    ),
    "share alike": (
        "warning",
        "template_licence",
        "the licence of {template!r} asks that what is made of it goes out under the same one "
        "(SA), and the dataset has another.",
    ),
}


def _problems(picture: ReleasedPicture, licence: str) -> Iterator[str]:
    source, terms = (
        " ".join(str(picture.row.get(name) or "").split())
        for name in ("template_source", "template_licence")
    )
    if source.lower() in _UNKNOWN:
        yield "source"
    if picture.file is None:
        return
    if terms.lower() in _UNKNOWN:
        yield "terms"
    elif _FORBID.search(terms):
        yield "forbidden"
    elif _NO_DERIVATIVES.search(terms) and not picture.row.get("url"):
        yield "derivatives"
    for name, pattern in _CONDITIONS.items():
        if pattern.search(terms) and not pattern.search(licence):
            yield name
