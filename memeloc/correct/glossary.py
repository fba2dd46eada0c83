"""Checks against a glossary. In: a caption, its terms, its text. Out: warnings.

A term of the source has to be in the text in one of the forms that are wanted, whatever part of the
caption they stand in; none that is forbidden may be. Warnings are for people: nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memeloc.correct.checks import CaptionWarning, Checked
from memeloc.glossary import Term, shown, terms_in
from memeloc.locales.words import SearchedText
from memeloc.model import Locale

CHECK = "glossary"
"""The name of the check in a report."""


def check_terms(
    caption: Checked, terms: Iterable[Term], source: Locale
) -> Iterator[CaptionWarning]:
    """Look for wanted and forbidden terms in a caption.

    Args:
        terms: all terms of the caption's language.
        source: the language of its source.
    """
    parts, locale = caption.parts, caption.locale
    if not any(part.strip() for part in parts):
        return
    texts = [SearchedText(part, locale) for part in parts]
    for term in terms_in(terms, caption.source, source):
        if term.wanted and not any(text.has(form) for form in term.wanted for text in texts):
            message = f"{shown(term.names)!r} is to be {shown(term.wanted)!r}"
            yield CaptionWarning(caption.meme_id, locale.tag, -1, CHECK, message)
        for index, text in enumerate(texts):
            for form in _used(text, term):
                instead = f"; it is to be {shown(term.wanted)!r}" if term.wanted else ""
                message = f"{shown([form])!r} is forbidden{instead}"
                yield CaptionWarning(caption.meme_id, locale.tag, index, CHECK, message)


def _used(text: SearchedText, term: Term) -> Iterator[str]:
    """The forbidden forms in a text, but for those within a wanted one."""
    wanted = [place for form in term.wanted for place in text.places(form)]
    for form in term.forbidden:
        places = text.places(form)
        if any(not any(a <= start and end <= b for a, b in wanted) for start, end in places):
            yield form
