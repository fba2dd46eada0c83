"""What people read and pick on a sheet. In: a language, or what they wrote. Out: words, statuses.

The words of every language are understood on every sheet, English among them, in any case and with
any spaces; so a sheet may change hands. `statuses.toml` and `sheet_texts.toml` have them.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from memeloc.correct.model import STATUSES

EMPTY = "empty"
"""What is picked for a part that has to be empty; a status of the part, not of the caption."""
_SOURCE = "en"
_ALSO = {"leave it to somebody else": "skip", "empty part": EMPTY}
"""What guides call a status, beside its word."""
_LEFT_OUT = re.compile("[\u064b-\u0652\u0307]")
"""Arabic's marks of vowels and of doubled letters, which most people do not type; Turkish's dot."""


def languages() -> Sequence[str]:
    """Return the tags of all languages that have words."""
    return tuple(_texts("statuses"))


def sheet_texts(tag: str) -> Mapping[str, str]:
    """Return the headings of columns and how to fill a sheet in, in a language or else English."""
    return _in_language(_texts("sheet_texts"), tag)


def status_words(tag: str) -> Mapping[str, str]:
    """Return what people read for each status, in a language or else in English.

    >>> status_words("de")["skip"], status_words("de-AT")["skip"], status_words("sw")["skip"]
    ('Überspringen', 'Überspringen', 'Skip')
    """
    return _in_language(_texts("statuses"), tag)


def read_status(text: str) -> str | None:
    """Return the status that a person wrote, in any language; None when it is not one.

    >>> read_status("wordplay"), read_status("nicht übersetzbar : WORTSPIEL"), read_status("maybe")
    ('wordplay', 'wordplay', None)
    """
    return _statuses().get(_plain(text))


def near_status(text: str) -> str:
    """Return what a person may have meant, or what there is to pick, as the end of a sentence."""
    near = difflib.get_close_matches(_plain(text), _statuses(), 1)
    if near:
        return f"did you mean {_statuses()[near[0]]!r}?"
    return f"pick one of {', '.join(STATUSES['caption'])}"


def _in_language(texts: Mapping[str, Mapping[str, str]], tag: str) -> Mapping[str, str]:
    return texts.get(tag) or texts.get(tag.split("-")[0]) or texts[_SOURCE]


@cache
def _texts(name: str) -> Mapping[str, Mapping[str, str]]:
    texts: Mapping[str, Mapping[str, str]] = tomllib.loads(
        Path(__file__).with_name(f"{name}.toml").read_text("utf-8")
    )
    return texts


@cache
def _statuses() -> Mapping[str, str]:
    return _ALSO | {
        _plain(name): status
        for words in _texts("statuses").values()
        for status, word in words.items()
        for name in (status, word)
    }


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ı", "i")
    return re.sub(r"[\s:_-]+", " ", _LEFT_OUT.sub("", folded)).strip()
