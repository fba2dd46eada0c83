"""The text of a page. In: bytes and what the server said of them. Out: text, and its encoding.

In the order of the HTML standard's encoding sniffing: a byte order mark, the server's charset, the
page's own `<meta>`; a page that states none, or one that its bytes contradict, is UTF-8 when it can
be, and else what its letters look most like.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_LOOKED_AT = 4096
_GUESSED_FROM = 65_536
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030"}
"""Labels that browsers read as a larger encoding (WHATWG Encoding, 4.2)."""


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """The text of some bytes, and the encoding it was read by; nothing raises.

    >>> decode("Привет, мир".encode("cp1251"), "text/html; charset=windows-1251")[0]
    'Привет, мир'
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace"), encoding
    stated = _CHARSET.search(content_type)
    labels = [stated[1]] if stated else []
    inside = _META.search(body[:_LOOKED_AT])
    if inside:
        labels.append(inside[1].decode("ascii", "replace"))
    for label in labels:
        encoding = _known(label)
        if encoding:
            try:
                return body.decode(encoding), encoding
            except (UnicodeDecodeError, ValueError):
                continue
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        # A text in UTF-8 with a byte that was cut or damaged is still one.
        if error.start > 1000 or (labels and _known(labels[0]) == "utf-8"):
            return body.decode("utf-8", "replace"), "utf-8"
    encoding = _guess(body) or (labels and _known(labels[0])) or "cp1252"
    return body.decode(encoding, "replace"), encoding


def _known(label: str) -> str:
    """Python's name of an encoding for text; empty when there is none."""
    try:
        name = codecs.lookup(label).name
        "".encode(name)
    except (LookupError, ValueError, UnicodeError, TypeError):
        return ""
    return _READ_AS.get(name, name)


def _guess(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:_GUESSED_FROM]).best()
    return _READ_AS.get(best.encoding, best.encoding) if best is not None else ""
