"""The words for statuses. In: a language, or what a person wrote. Out: words to pick, the status.

The words of every language are understood on every sheet, English among them, in any case and with
any spaces; so a sheet may change hands. `statuses.toml` has them.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from memeloc.correct.model import STATUSES, Status

_FILE = Path(__file__).with_name("statuses.toml")
_SOURCE = "en"
_LEFT_OUT = re.compile("[\u064b-\u0652\u0307]")
"""Arabic's marks of vowels and of doubled letters, which most people do not type; Turkish's dot."""


def status_words(tag: str) -> Mapping[Status, str]:
    """What people read for each status, in a language or else in English.

    >>> status_words("de")["skip"], status_words("de-AT")["skip"], status_words("sw")["skip"]
    ('Überspringen', 'Überspringen', 'Skip')
    """
    languages = _languages()
    return languages.get(tag) or languages.get(tag.split("-")[0]) or languages[_SOURCE]


def read_status(text: str) -> Status | None:
    """The status that a person wrote, in any language; None when it is not one.

    >>> read_status("wordplay"), read_status("nicht übersetzbar : WORTSPIEL"), read_status("maybe")
    ('wordplay', 'wordplay', None)
    """
    return _statuses().get(_plain(text))


def near_status(text: str) -> str:
    """What a person may have meant, or what there is to pick, as the end of a sentence."""
    near = difflib.get_close_matches(_plain(text), _statuses(), 1)
    if near:
        return f"did you mean {_statuses()[near[0]]!r}?"
    return f"pick one of {', '.join(STATUSES)}"


@cache
def _languages() -> Mapping[str, Mapping[Status, str]]:
    languages: Mapping[str, Mapping[Status, str]] = tomllib.loads(_FILE.read_text("utf-8"))
    return languages


@cache
def _statuses() -> Mapping[str, Status]:
    return {
        _plain(name): status
        for words in _languages().values()
        for status, word in words.items()
        for name in (status, word)
    }


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ı", "i")
    return re.sub(r"[\s:_-]+", " ", _LEFT_OUT.sub("", folded)).strip()
