"""What is asked about. In: memes. Out: `RunItem`s with what is right: `RunData`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.evaluate.gold import ChoiceQuestion, Gold
from memeloc.locales import default
from memeloc.locales.tags import count_scripts, letter_scripts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class RunItem:
    """A meme in a language, or of multiple choice a question about one.

    Attributes:
        id: a text that may begin with zeros; the same in all languages.
        text: of the meme, its parts joined by ` // `; empty where it has none or none is known.
        picture: its file; None where there is none.
        question, options, dimension, meme: of multiple choice; `options` in the order listed.
    """

    id: str
    language: str
    text: str = ""
    picture: Path | None = None
    question: str = ""
    options: tuple[str, ...] = ()
    dimension: str = ""
    meme: str = ""


def in_languages(tag: str, wanted: Collection[str]) -> bool:
    """Whether a meme's language is among those wanted; none wanted are all, zh is any Chinese.

    >>> in_languages("zh-Hans", ["en", "zh"]), in_languages("de", []), in_languages("de", ["en"])
    (True, True, False)
    """
    return not wanted or tag in wanted or tag.partition("-")[0] in wanted


@dataclass(frozen=True, slots=True, eq=False)
class RunData:
    """The dataset of a run.

    Attributes:
        items: in the order in which they are asked about.
        gold: None where nobody has labelled the items: then answers are only counted.
        about: which dataset and split it is, for every output.
        notes: what was left out, a sentence each.
    """

    items: tuple[RunItem, ...]
    gold: Gold | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the items, in the order in which they come first."""
        return tuple(dict.fromkeys(item.language for item in self.items))


def choice_questions(items: Iterable[RunItem]) -> dict[str, ChoiceQuestion]:
    """By item what it asks, of those that have options of their own."""
    return {
        item.id: ChoiceQuestion(item.question, item.options, item.language, item.text)
        for item in items
        if item.options
    }


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
