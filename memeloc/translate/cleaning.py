"""What enters of a machine's answer. In: its texts. Out: the same texts without what is no text.

Services write for web pages: their answers hold HTML entities, and a model's can hold any character
at all. A control or direction-override character that no reader sees would turn a picture's text
round, and spoil every sheet that goes out.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.model import Locale

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
_SPACES = re.compile("[\t\v\f]")
_REMOVED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufeff\ufff9-\ufffb]")
"""C0 and C1 controls but for the line feed; embeddings and overrides (UAX #9, 2.1 and 2.2); byte
order and annotation marks."""
_ISOLATES = re.compile("[\u2066-\u2069]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def cleaned(text: str, source: str = "") -> str:
    """Return a text as it is stored: entities decoded once, no controls, on lines of their own.

    Entities stay where the `source` has any, which is then about them. Isolates (UAX #9, 2.4) stay
    where each is closed.

    >>> cleaned("Tom &amp; J\\u202eerry&#39;s &amp;lt;")
    "Tom & Jerry's &lt;"
    >>> cleaned("write &amp;", "type &amp;")
    'write &amp;'
    """
    if not _ENTITY.search(source):
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = _SPACES.sub(" ", _LINE_ENDS.sub("\n", text))
    text = _LONE_SURROGATES.sub("\ufffd", _REMOVED.sub("", text))
    return text if _are_closed(text) else _ISOLATES.sub("", text)


def is_blank(text: str) -> bool:
    """Return whether a text has nothing to see in it, such as joiners and spaces alone.

    >>> is_blank(" \\u200b"), is_blank("!")
    (True, False)
    """
    return all(unicodedata.category(char)[0] in "CZ" for char in text)


def other_script(texts: Sequence[str], target: Locale, source: Locale) -> str:
    """Return the script of texts in another language than the target; empty when they may not be.

    Letters of the source's script may be names, so only a third one tells, and as most of them.
    """
    scripts = sum((count_scripts(text) for text in texts), Counter[str]())
    if any(scripts[script] for script in letter_scripts(target.script)):
        return ""
    others = sorted(scripts.keys() - letter_scripts(source.script))
    return next((script for script in others if 2 * scripts[script] > scripts.total()), "")


def _are_closed(text: str) -> bool:
    depth = 0
    for isolate in _ISOLATES.findall(text):
        depth += -1 if isolate == "\u2069" else 1
        if depth < 0:
            return False
    return depth == 0
