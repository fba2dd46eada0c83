"""Words that sound like others. In: a caption's words, what its picture is of. Out: hints.

Nearly every word sounds like some other, so a likeness counts only where both can be seen: both
stand in the caption, or one in the caption and one in what is known of the picture. Without the
other, only words that seldom mean themselves are reported (sounds.en.toml).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from memeloc.curate.hints.sounds import Sounds, sounds
from memeloc.curate.hints.words import Word, stem

_INSIDE = 4
"""Letters that a word of the picture must have to be looked for within longer words."""


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    return tomllib.loads((files("memeloc.curate") / "hints" / "sounds.en.toml").read_text("utf-8"))


def homophones(words: Sequence[Word], shown: Sequence[Word]) -> Iterator[str]:
    """What sounds like something else, in words for people.

    Args:
        words: of the caption.
        shown: words that the picture is named and described with.
    """
    by_ear = sounds()
    yield from _pairs(words, by_ear)
    yield from _with_picture(words, shown, by_ear)
    for word in words:
        if altered := _altered(word.plain, by_ear):
            yield f'"{word.text}" sounds like "{altered}"'
        elif heard := _data()["heard"].get(word.plain):
            yield f'"{word.text}" may be heard as "{heard}"'


def _pairs(words: Sequence[Word], by_ear: Sounds) -> Iterator[str]:
    """Two words of the caption that sound the same."""
    content = list({word.plain: word for word in words if word.content}.values())
    for at, one in enumerate(content):
        for two in content[at + 1 :]:
            if by_ear.alike(one.plain, two.plain) and _differ(one.plain, two.plain):
                yield f'"{one.text}" and "{two.text}" sound the same'


def _with_picture(words: Sequence[Word], shown: Sequence[Word], by_ear: Sounds) -> Iterator[str]:
    """Words of the caption that sound like, or hold, a word of the picture."""
    seen = list({word.plain: word for word in shown if word.content}.values())
    plain = [word.plain for word in words]
    for there in seen:
        for word in words:
            if not word.content or not _differ(word.plain, there.plain):
                continue
            if by_ear.alike(word.plain, there.plain):
                yield f'"{word.text}" sounds like "{there.text}" of the picture'
            elif _holds(word.plain, there.plain, by_ear):
                yield f'"{word.text}" holds "{there.text}" of the picture'
        for length in (2, 3):
            for at in range(len(words) - length + 1):
                phrase = plain[at : at + length]
                if there.plain not in phrase and by_ear.phrase(phrase) & by_ear.plain(there.plain):
                    text = " ".join(word.text for word in words[at : at + length])
                    yield f'"{text}" sounds like "{there.text}" of the picture'


def _holds(word: str, inner: str, by_ear: Sounds) -> bool:
    """Whether a word has another within it, by letters and by sound, and is no form of it."""
    if len(inner) < _INSIDE or inner not in word or stem(inner) == stem(word):
        return False
    inside = [phones for phones in by_ear.plain(inner) if len(phones) >= 3]
    return word not in by_ear or any(
        phones[at : at + len(small)] == small
        for phones in by_ear.plain(word)
        for small in inside
        for at in range(len(phones) - len(small) + 1)
    )


def _altered(word: str, by_ear: Sounds) -> str:
    """The word that a made-up one stands for; empty when there is none."""
    joined = word.replace("-", "")
    if joined in by_ear or (word in by_ear and "-" not in word):
        return ""
    for piece, others in _data()["stems"].items():
        if piece not in joined:
            continue
        for other in others:
            candidate = joined.replace(piece, other, 1)
            if len(candidate) > 3 and candidate in by_ear:
                return candidate
    return ""


def _differ(one: str, two: str) -> bool:
    """Whether two words are different words, not two spellings or forms of one."""
    forms = {stem(one), stem(two)}
    joined = {word.replace("-", "").replace("'", "") for word in (one, two)}
    return len(forms) == len(joined) == 2
