"""Names that are words. In: a caption's words. Out: hints.

Memes shout, so capitals tell little: a name is known by what stands before it ("my name is Art"),
or by its capital in a text that is not all in capitals.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from memeloc.curate.hints.words import Word

_CUES = (
    ("name", "is"), ("name's",), ("named",), ("called",), ("call", "me"), ("call", "him"),
    ("call", "her"), ("call", "it"), ("mr",), ("mrs",), ("ms",), ("miss",), ("mister",), ("uncle",),
    ("aunt",), ("auntie",), ("grandpa",), ("grandma",), ("captain",), ("doctor",), ("dr",),
    ("sir",), ("lady",), ("king",), ("queen",), ("prince",), ("princess",), ("lord",), ("saint",),
    ("dear",), ("hi",), ("hello",), ("meet",),
)  # fmt: skip


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    return tomllib.loads((files("memeloc.curate") / "hints" / "names.en.toml").read_text("utf-8"))


def names(words: Sequence[Word]) -> Iterator[str]:
    """Names that may be a pun, in words for people."""
    plain = [word.plain for word in words]
    reported: set[str] = set()
    for at, word in enumerate(words):
        name = word.plain.removesuffix("'s")
        if name in reported:
            continue
        heard, meant = _data()["heard"].get(name), _data()["words"].get(name)
        if heard:
            reported.add(name)
            yield f'the name "{word.text}" may be heard as "{heard}"'
        elif meant and (_is_called(plain, at) or _capital_tells(words, at)):
            reported.add(name)
            yield f'"{word.text}" is a name and also a word ({meant})'


def _is_called(plain: Sequence[str], at: int) -> bool:
    return any(at >= len(cue) and tuple(plain[at - len(cue) : at]) == cue for cue in _CUES)


def _capital_tells(words: Sequence[Word], at: int) -> bool:
    """Whether a word has a capital where its neighbours have none."""
    word = words[at]
    if not word.text[:1].isupper() or not word.text[1:].islower() or word.plain == "i":
        return False
    before = words[at - 1] if at else None
    if before is None or (before.part, before.clause) != (word.part, word.clause):
        return False  # the first of its sentence
    others = [one.text for one in words if one is not word and one.plain != "i"]
    small = sum(text.islower() for text in others)
    return small * 2 > len(others)
