"""Cleaning a machine's answer. In: its texts. Out: the same texts without what is no text.

Services write for web pages: their answers hold HTML entities, and a model's can hold any character
at all. A control or direction-override character that no reader sees would turn a picture's text
round, and spoil every sheet that goes out. Machines translate the placeholder `{count}` as they
translate any word, and leave `{1}` alone: so that is what they get of a survey's texts. What they
lose all the same stands at the end of the text, and the translation is marked.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from memeloc.counts import counted
from memeloc.errors import ServiceError
from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.model import Caption, Locale
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.translate.protocol import Answer, Translation, TranslationItem, failure, filled

LOST = "placeholder lost"
"""The mark of a translation whose placeholders have to be put in their place."""
PSEUDO = "pseudo"
"""The mark of text that is no translation; its direction overrides are what it is for."""

_NUMBER = re.compile(r"[{｛]\s*(\d{1,3})\s*[}｝]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
_SPACES = re.compile("[\t\v\f]")
_REMOVED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufeff\ufff9-\ufffb]")
"""C0 and C1 controls but for the line feed; embeddings and overrides (UAX #9, 2.1 and 2.2); byte
order and annotation marks."""
_ISOLATES = re.compile("[\u2066-\u2069]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def checked(item: TranslationItem, answer: Translation, translator: str) -> Answer:
    """Return an answer as it is stored, or the failure where it is not what was asked for."""
    answer = restored(item, answer)
    if PSEUDO in answer.marks:
        return answer
    sources = dict(enumerate(item.source.parts))
    texts = enumerate(answer.caption.parts)
    parts = tuple(cleaned(part, sources.get(index, "")) for index, part in texts)
    problem = ""
    if len(parts) != len(sources):
        problem = f"it gave {counted(len(parts), 'part')} where {len(sources)} are needed"
    elif any(len(Caption.parse(part).parts) > 1 for part in parts):
        problem = "it gave a part with ` // ` in it"
    elif any(is_blank(parts[index]) for index in filled(item)):
        problem = "it gave an empty text"
    elif script := other_script(parts, item.target, item.source_locale):
        problem = f"it answered in another language: in {script}, where {item.target.script} is "
        problem += "needed"
    if problem:
        error = ServiceError(translator, problem, retryable=False)
        return failure(item, error, answer.cost, answer.characters, wrong=True)
    return replace(answer, caption=Caption(parts))


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
    steps = (-1 if isolate == "\u2069" else 1 for isolate in _ISOLATES.findall(text))
    depths = [0, *accumulate(steps)]
    return text if min(depths) == 0 == depths[-1] else _ISOLATES.sub("", text)


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


def numbered(item: TranslationItem) -> TranslationItem:
    """Return an item as translators get it: a survey's with numbers for its placeholders."""
    if item.kind != "survey":
        return item
    names = placeholders("".join(item.source.parts))
    numbers = {name: f"{{{number}}}" for number, name in enumerate(names, 1)}
    parts = tuple(_exchange(part, numbers) for part in item.source.parts)
    return replace(item, source=Caption(parts))


def restored(item: TranslationItem, answer: Translation) -> Translation:
    """Return the translation of a survey's item with the placeholders of its source and no others.

    A foreign one gives way to one that is missing, as it does when the memory knows a similar text;
    what is missing still stands at the end of its part, and the translation is marked.
    """
    if item.kind != "survey":
        return answer
    names = dict(enumerate(placeholders("".join(item.source.parts)), 1))
    texts = [
        _NUMBER.sub(lambda match: names.get(int(match[1]), match[0]), part)
        for part in answer.caption.parts
    ]
    parts = list(texts)
    for index, source in enumerate(item.source.parts[: len(texts)]):
        wanted, present = placeholders(source), placeholders(texts[index])
        missing = [name for name in wanted if name not in present]
        foreign = [name for name in present if name not in wanted]
        if missing or foreign:
            others = dict.fromkeys(foreign, "") | dict(zip(foreign, missing, strict=False))
            text = _exchange(texts[index], others).strip()
            parts[index] = " ".join([text, *missing[len(foreign) :]]).strip() or texts[index]
    marks = () if parts == texts or LOST in answer.marks else (LOST,)
    return replace(answer, caption=Caption(tuple(parts)), marks=(*answer.marks, *marks))


def _exchange(text: str, others: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: others.get(match[0], match[0]), text)
