"""Placeholders. In: a text and its source. Out: what in braces is missing or too much.

A placeholder is a name in braces, such as the one in `Meme {number}`, that is replaced when the
text is shown. A translation has the same ones as its source, wherever its grammar wants them.
"""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def placeholders(text: str) -> tuple[str, ...]:
    """The placeholders of a text with their braces, each once, in the order they stand in.

    >>> placeholders("{number} of {total}: {number}")
    ('{number}', '{total}')
    """
    return tuple(dict.fromkeys(PLACEHOLDER.findall(text)))


def misplaced(source: str, text: str) -> str:
    """What is wrong with the placeholders of a translation; empty when nothing is.

    >>> misplaced("Meme {number}", "Mème {numéro}")
    '{number} is missing, {numéro} stands for nothing'
    """
    wanted, has = placeholders(source), placeholders(text)
    lost = [one for one in wanted if one not in has]
    foreign = [one for one in has if one not in wanted]
    said = [f"{', '.join(lost)} {_verb(lost, 'is', 'are')} missing"] if lost else []
    if foreign:
        said.append(f"{', '.join(foreign)} {_verb(foreign, 'stands', 'stand')} for nothing")
    return ", ".join(said)


def _verb(several: list[str], one: str, many: str) -> str:
    return one if len(several) == 1 else many
