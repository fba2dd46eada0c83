"""The text of a page, and what it may cost to parse. In: bytes, HTML. Out: text, or why not.

A byte order mark decides, then the server's charset where the bytes are in it, then UTF-8; what is
none of these is read as the page says itself, or as its letters look (charset-normalizer).

The HTML standard makes a parser open formatting elements again that were left open (13.2.4.3): 27
kB of `<b id=...><p>` become 700 MB. And each block looks for an open paragraph through all elements
around it, so that depth costs its square. So tags are counted roughly beforehand.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter

from charset_normalizer import from_bytes

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_GUESSED_FROM = 65_536  # bytes; what guessing costs grows with them
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030"}
"""Labels that browsers read as a larger encoding (WHATWG Encoding, 4.2)."""


def decode(body: bytes, content_type: str = "") -> str:
    """Return the text of some bytes; nothing raises.

    >>> decode("Привет, мир".encode("cp1251"), "text/html; charset=windows-1251")
    'Привет, мир'
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    label = _CHARSET.search(content_type)
    stated = _codec(label[1]) if label else ""
    for encoding in filter(None, (stated, "utf-8")):
        try:
            return body.decode(encoding)
        except UnicodeDecodeError as error:
            # A text in UTF-8 with a byte that was cut or damaged is still one.
            if encoding == "utf-8" and (error.start > 1000 or stated == "utf-8"):
                return body.decode("utf-8", "replace")
        except ValueError:
            continue
    best = from_bytes(body[:_GUESSED_FROM]).best()
    encoding = _READ_AS.get(best.encoding, best.encoding) if best else stated or "cp1252"
    return body.decode(encoding, "replace")


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(label).name
        "".encode(name)
    except (LookupError, ValueError, UnicodeError, TypeError):
        return ""
    return _READ_AS.get(name, name)


DEEPEST = 10_000  # elements within each other
MOST_REOPENED = 2_000_000  # elements that may be opened again; a million takes some 200 MB

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt")
)
_NOT_DEEP = frozenset(
    """
    area base body br col dd dt embed head hr html img input li link meta option p param source
    tbody td tfoot th thead tr track wbr
    """.split()  # noqa: SIM905 - a list of so many words reads better so
)
"""Elements without content, and those whose end tags many pages leave out."""


def too_costly(text: str) -> str:
    """Return why a page would cost too much to parse, as a sentence; empty when it would not."""
    opened: Counter[str] = Counter()
    depth = formatting = reopened = 0
    for closes, tag in _TAG.findall(text):
        name = tag.lower()
        step = 1
        if closes:
            step = -1 if opened[name] else 0
        else:
            reopened += formatting
        if name not in _NOT_DEEP:
            opened[name] += step
            depth += step
            formatting += step if name in _FORMATTING else 0
        if depth > DEEPEST:
            return f"it has more than {DEEPEST} elements within each other; no page for people has"
        if reopened > MOST_REOPENED:
            return "it leaves so many elements open that reading it would take all memory"
    return ""
