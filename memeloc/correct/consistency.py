"""What only several captions tell. In: all captions of a language. Out: warnings.

Captions are gone over twice, and of most of them no text is kept, so that memory hardly grows with
their number: first with keys and counts, then with the texts of what these differ in.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from memeloc.correct.checks import CaptionWarning, Checked
from memeloc.correct.kept import names
from memeloc.locales.words import words

_LEAST_WORDS = {"two ways": 2, "same text": 4}
"""A shorter source means what its caption makes of it; a shorter text may well say two things."""
_SIMILAR = 80.0
"""In percent (rapidfuzz's ratio): sources so similar may have the same translation."""
_NAME_CAPTIONS, _NAME_KEPT = 5, 0.8
"""A name is to be kept that so many captions have, and such a share of their texts."""


@dataclass(slots=True)
class _Variant:
    """A text that a source has, or a source that a text has: where first, and how often."""

    meme_id: str
    part: int
    text: str
    times: int = 0


def check_together(
    captions: Callable[[], Iterable[Checked]], asked: Sequence[Checked] = ()
) -> Iterator[CaptionWarning]:
    """Look over all captions of a language: sources translated in two ways, different sources with
    one translation, names that are lost where nearly all other captions keep them.

    Each deviating text is one warning, at the first caption that has it; a text is deviating that
    fewer captions have than another.

    Args:
        captions: gives them, each time anew.
        asked: those of them to warn about, which takes one time less; all when there is none.
    """
    about = {caption.meme_id for caption in asked}
    first: dict[int, int] = {}
    # By what is the same in several captions, the variants that go with it. Keys are hashes.
    variants: dict[int, dict[int, _Variant]] = {}
    times, kept = Counter[str](), Counter[str]()
    language = ""
    for caption in asked or captions():
        for same, other, *_ in _pairs(caption):
            if asked or first.setdefault(same, other) != other:
                variants.setdefault(same, {})
        if not asked:
            _count_names(caption, times, kept)
    for caption in captions():
        language = caption.locale.tag
        for same, other, check, counted, part, text in _pairs(caption):
            if same in variants and _count_words(counted, caption) >= _LEAST_WORDS[check]:
                new = _Variant(caption.meme_id, part, text)
                variant = variants[same].setdefault(other, new)
                variant.times += 1
                if caption.meme_id in about:
                    variant.meme_id, variant.part = caption.meme_id, part
        if asked:
            _count_names(caption, times, kept)
        else:
            yield from _lost_names(caption, times, kept)
    for caption in asked:
        yield from _lost_names(caption, times, kept)
    for group in filter(None, variants.values()):
        usual, *others = sorted(group.values(), key=lambda each: -each.times)
        for variant in others:
            if not asked or variant.meme_id in about:
                yield from _deviation(variant, usual, language)


def _deviation(variant: _Variant, usual: _Variant, language: str) -> Iterator[CaptionWarning]:
    # Within one meme, what is repeated may be worded in another way each time.
    if variant.part >= 0 and variant.meme_id != usual.meme_id:
        message = f"the same source is translated otherwise in {usual.meme_id}: {usual.text!r}"
        yield CaptionWarning(variant.meme_id, language, variant.part, "two ways", message)
    elif variant.part < 0 and (
        fuzz.ratio(variant.text.casefold(), usual.text.casefold()) < _SIMILAR
    ):
        message = f"{usual.meme_id} has the same text for another source: {usual.text!r}"
        yield CaptionWarning(variant.meme_id, language, -1, "same text", message)


def _pairs(caption: Checked) -> Iterator[tuple[int, int, str, str, int, str]]:
    """Yield what a caption may have in common with others: keys of what is the same and of what
    should be, the check, the text whose words count, the part, and what is shown."""
    texts = [*zip(caption.source, caption.parts, range(len(caption.source)), strict=False)]
    texts = [each for each in texts if each[0].strip() and each[1].strip()]
    for source, text, part in [*texts, ("\n".join(caption.source), "\n".join(caption.parts), -1)]:
        # Marks and spaces make no other translation.
        letters = hash((text.casefold().translate(_WITHOUT_MARKS), part < 0))
        said = hash((" ".join(source.casefold().split()), part < 0))
        if part < 0:
            yield letters, said, "same text", text, part, source
        else:
            yield said, letters, "two ways", source, part, text


class _WithoutMarks(dict[int, int | None]):
    """For str.translate: takes away what is no letter, accent or digit."""

    def __missing__(self, point: int) -> int | None:
        is_kept = unicodedata.category(chr(point))[0] in "LMN"
        return self.setdefault(point, point if is_kept else None)


_WITHOUT_MARKS = _WithoutMarks()


def _count_words(text: str, caption: Checked) -> int:
    return sum(word[0].isalpha() for word in words(text, caption.locale))


def _count_names(caption: Checked, times: Counter[str], kept: Counter[str]) -> None:
    text = "\n".join(caption.parts).casefold()
    for name in names("\n".join(caption.source)):
        times[name.casefold()] += 1
        kept[name.casefold()] += name.casefold() in text


def _lost_names(
    caption: Checked, times: Counter[str], kept: Counter[str]
) -> Iterator[CaptionWarning]:
    text = "\n".join(caption.parts).casefold()
    for name in names("\n".join(caption.source)):
        count = times[name.casefold()]
        is_usual = count >= _NAME_CAPTIONS and kept[name.casefold()] / count >= _NAME_KEPT
        if is_usual and name.casefold() not in text:
            message = f"the text lacks {name}, which other captions keep"
            yield CaptionWarning(caption.meme_id, caption.locale.tag, -1, "names", message)
