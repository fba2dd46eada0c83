"""Placeholders. In: a text and its source. Out: what in braces is missing or too much.

A placeholder is a name in braces, such as the one in `Meme {number}`, that is replaced when the
text is shown. A translation has the same ones as its source, wherever its grammar wants them.
"""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def placeholders(text: str) -> tuple[str, ...]:
    """Return the placeholders of a text with their braces, each once, in the order they stand in.

    >>> placeholders("{number} of {total}: {number}")
    ('{number}', '{total}')
    """
    return tuple(dict.fromkeys(PLACEHOLDER.findall(text)))


def misplaced(source: str, text: str) -> str:
    """Return what is wrong with the placeholders of a translation; empty when nothing is.

    >>> misplaced("Meme {number}", "Mème {numéro}")
    '{number} is missing, {numéro} stands for nothing'
    """
    wanted, present = placeholders(source), placeholders(text)
    missing = [name for name in wanted if name not in present]
    unknown = [name for name in present if name not in wanted]
    problems = [f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"]
    stand = "stands" if len(unknown) == 1 else "stand"
    problems += [f"{', '.join(unknown)} {stand} for nothing"] if unknown else []
    return ", ".join(problems if missing else problems[1:])
