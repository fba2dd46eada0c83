"""The text of a page. In: bytes and its Content-Type. Out: text.

A byte order mark decides, then the server's charset where the bytes are in it, then UTF-8; what is
none of these is read as the page says itself, or as its letters look (charset-normalizer).
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_GUESSED_FROM = 65_536
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030"}
"""Labels that browsers read as a larger encoding (WHATWG Encoding, 4.2)."""


def decode(body: bytes, content_type: str = "") -> str:
    """The text of some bytes; nothing raises.

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
    """Python's name of an encoding for text; empty when there is none."""
    try:
        name = codecs.lookup(label).name
        "".encode(name)
    except (LookupError, ValueError, UnicodeError, TypeError):
        return ""
    return _READ_AS.get(name, name)
