"""Groups of items by their text. In: texts and their language. Out: a group of each.

AraHarMeme (3.3, 5) looks apart at memes in which no text was found, and at code-switched ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memeloc.evaluate.runs.items import RunItem
from memeloc.locales import default
from memeloc.locales.scripts import count_scripts, letter_scripts

if TYPE_CHECKING:
    import pandas as pd

TEXT = "text"
"""The grouping's name, a column of `Gold.groups`."""
NO_TEXT, SWITCHED, OTHER, PLAIN = "no text", "code-switched", "another script", "one script"


def text_group(text: str, language: str) -> str:
    """What a text is written in, beside the script of its language.

    >>> text_group("شاي", "ar"), text_group("شاي please", "ar"), text_group("!", "ar")
    ('one script', 'code-switched', 'no text')
    """
    own = letter_scripts(default().get(language).script)
    scripts = set(count_scripts(text))
    if not scripts:
        return NO_TEXT
    if not scripts & own:
        return OTHER
    return SWITCHED if scripts - own else PLAIN


def groups_of(items: Iterable[RunItem]) -> pd.DataFrame:
    """The groups of items by their ids, as `Gold.groups` has them.

    An item in several languages is in the group of the first one.
    """
    import pandas as pd

    groups: dict[str, str] = {}
    for item in items:
        groups.setdefault(item.id, text_group(item.text, item.language))
    return pd.DataFrame({TEXT: list(groups.values())}, index=list(groups), dtype=object)
