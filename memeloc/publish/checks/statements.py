"""What a team says of its release. In: a `Release`. Out: what it lacks, or nobody has read."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.counts import counted
from memeloc.publish.checks.finding import SETTINGS, Finding, Private
from memeloc.publish.describing.licences import is_address, is_known
from memeloc.publish.describing.summary import ANSWERS
from memeloc.publish.release import Release

_WANTED = {
    "title": "what the dataset is called",
    "description": "what it holds, and why it was made",
    "authors": "whom to cite",
    "date": "when this version goes out, such as 2026-11-23",
    "intended_use": "what it may be used for, and what not",
    "limitations": "what it does not show",
}
_OF_ANSWERS = {
    "consent": "what annotators agreed to",
    "wages": "what annotators were paid",
}


def licences(release: Release, private: Private) -> Iterator[Finding]:
    licence = release.about.licence
    if not licence:
        yield Finding(
            "licences",
            "refused",
            "[release] names no licence, so nobody may use the dataset; add a line such as "
            'licence = "CC-BY-4.0".',
            SETTINGS,
            column="licence",
        )
    elif not (is_known(licence) or is_address(licence)):
        yield Finding(
            "licences",
            "warning",
            f"Hugging Face and CITATION.cff do not know the licence {licence[:60]!r}; better is an "
            "identifier of spdx.org/licenses, or the address of its text.",
            SETTINGS,
            column="licence",
        )


def not_read(release: Release, private: Private) -> Iterator[Finding]:
    for language, count in release.unread.items():
        if count:
            yield Finding(
                "not read",
                "warning",
                f"no person has read {counted(count, 'caption')} in {language}; "
                f"`memeloc correct export --langs {language}` sends them to one. The card says so.",
                "tables/captions",
                column="state",
            )
    for language, count in release.unread_texts.items():
        if count:
            yield Finding(
                "not read",
                "warning",
                f"no person has read {counted(count, 'text')} of the surveys in {language}; "
                f"`memeloc correct export --kind survey --langs {language}` sends them to one.",
            )


def statements(release: Release, private: Private) -> Iterator[Finding]:
    wanted = _WANTED | (_OF_ANSWERS if ANSWERS in release.tables else {})
    for name, what in wanted.items():
        if not getattr(release.about, name):
            message = f"[release] does not say {what}; the card calls it not stated."
            yield Finding("statements", "warning", message, SETTINGS, column=name)
