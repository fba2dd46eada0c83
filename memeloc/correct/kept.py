"""What a translation keeps of its source. In: a source and its translation. Out: what is lost.

Numbers are compared in any digits and however they are grouped; handles, hashtags and addresses as
they are written. Where a language may write a thing in another way, nothing is reported: a number
in words, 8 pm as 20, 10,000 as 1万.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:٫٬]\d+)*")
_GROUPED = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_FULL_HOUR = re.compile(r"(?<=\d)\s?[:.,hH]\s?00(?![.,]?\d)")
_AFTERNOON = re.compile(r"(\d{1,2})([:.]\d\d)?\s?p\.?\s?m\b", re.IGNORECASE)
_ALWAYS = re.compile(r"(?<!\d)24\s?/\s?7(?!\d)")
"""Said in other words in most languages."""
_IN_WORDS = {*map(str, range(13)), "20", "100", "1000"}
"""Numbers that are written as words often enough."""

_HANDLE = re.compile(r"(?<![\w.@＠])[@＠]\w{2,}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HASHTAG = re.compile(r"(?<!\w)[#＃](?=\w*[^\W\d_])\w+")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]]")
_MARK = re.compile("[@＠#＃]|//|www")
"""What one of these has."""

_TOKEN = re.compile(r"[^\W\d_]+|\n|[^\w\s'’]")
_SENTENCE_ENDS = frozenset('.!?…:;\n"“”„«»‘(—–-/•|')


def lost_numbers(source: str, text: str) -> tuple[list[str], list[str]]:
    """Return the numbers of a source that its translation lacks, and those that it has instead.

    >>> lost_numbers("19 tabs at 8 pm", "20:00 वजे १८ टैब")
    (['19'], ['18'])
    """
    if not _DIGIT.search(source):
        return [], []
    plain = _plain(_ALWAYS.sub("", source))
    before, after = (
        [re.sub(r"\D", "", number) for number in _NUMBER.findall(each)]
        for each in (plain, _plain(text))
    )
    lost, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    # 6:30 may become 6 h 30, which is two.
    if not lost or "".join(before) == "".join(after):
        return [], []
    later = {}
    for hour, minutes in _AFTERNOON.findall(plain):
        rest = minutes.strip(":.")
        later[str(int(hour)) + rest] = later[hour + rest] = str(int(hour) + 12) + rest
    for number in list(lost.elements()):
        for other in new:
            # 5k and 5000, 10,000 and 1万: one is the other times a hundred or more.
            short, long = sorted((number, other), key=len)
            is_scaled = len(long) - len(short) > 1 and long == short.ljust(len(long), "0")
            if is_scaled or later.get(number) == other:
                lost -= Counter([number])
                new -= Counter([other])
                break
    numerals = (char for char in text if unicodedata.numeric(char, None) is not None)
    is_in_words = lost.keys() <= _IN_WORDS or not all(map(str.isdecimal, numerals))
    if not new and is_in_words:
        return [], []
    return list(lost.elements()), list(new.elements()) if lost else []


def _plain(text: str) -> str:
    """Return the text with ASCII digits, without what groups them and full hours' minutes."""
    plain = "".join(str(unicodedata.decimal(char, char)) for char in text)
    return re.sub(r"(?<![\d.,:])0(?=\d[:h])", "", _FULL_HOUR.sub("", _GROUPED.sub("", plain)))


def lost_marks(source: str, text: str) -> Iterator[str]:
    """Yield the handles of a source that its translation lacks; hashtags and addresses, where the
    translation has fewer of them: they may have been translated."""
    if not _MARK.search(source):
        return
    there = text.casefold()
    for pattern, exact in ((_HANDLE, True), (_HASHTAG, False), (_ADDRESS, False)):
        marks = list(dict.fromkeys(pattern.findall(source)))
        if exact or len(set(pattern.findall(text))) < len(marks):
            yield from (mark for mark in marks if mark.casefold() not in there)


def names(source: str) -> list[str]:
    """Return the words of a text that begin with a capital within a sentence.

    In headings, where most words do, and in text that is all capitals, there are none.

    >>> names("When Ada meets Monday. The end")
    ['Ada', 'Monday']
    """
    if not any(map(str.isupper, source[1:])):
        return []
    capitalised, total, begins = [], 0, True
    for token in _TOKEN.findall(source):
        if token.isalpha():
            total += 1
            if not begins and len(token) > 2 and token[0].isupper() and not token.isupper():
                capitalised.append(token)
        begins = token in _SENTENCE_ENDS
    # In five words, of which most begin with a capital, capitals do not tell names.
    return capitalised if total < 5 or len(capitalised) < total / 2 else []


def is_written_by_its_owner(word: str) -> bool:
    """Return whether capitals stand within a word, as in the names that companies write so.

    >>> [is_written_by_its_owner(word) for word in ("YouTube", "Tube", "TUBE")]
    [True, False, False]
    """
    return len(word) > 3 and any(a.islower() and b.isupper() for a, b in pairwise(word))
