"""Prompts as Multi3Hate publishes them. In: its all_prompts.py, untrusted. Out: `Prompts`.

The file is parsed and never run: only assignments of plain literals are looked at. Texts are taken
word for word, and joined as vlm/inference/utils.py joins them: definition, wording, line before the
picture; behind the picture the caption and the options.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.runs.prompt_texts import Choices, Prompts, PromptTexts

WORDINGS = "PROMPTS_MULTI"
CAPTION = "PROMPT_CAPTION_MULTI"
DEFINITION = "PROMPT_PREFIX_MULTI"
OPTIONS = "PROMPT_POSTFIX_MULTI"
PICTURE = "PROMPT_IMAGE_PREFIX_MULTI"
COUNTRY = "PROMPTS_COUNTRY_INSERTION"
LARGEST = 1 << 20
"""Bytes of a file that is read."""

_COUNTRY_NAMES = {
    "US": "the United States",
    "DE": "Germany",
    "MX": "Mexico",
    "IN": "India",
    "CN": "China",
}
"""As the published MAPPING has them (vlm/inference/utils.py)."""
_OPTION = re.compile(r"^\s*(\S{1,4})\s*[:：]\s*(\S.*?)\s*$")


def read_published(path: Path, ours: Prompts) -> Prompts:
    """The prompts of a Python file, by language; what they lack (a reminder) are `ours`.

    Raises:
        InputError: it cannot be read, or lacks one of the assignments.
    """
    values = _literals(path)
    for name in (WORDINGS, CAPTION, DEFINITION, OPTIONS, PICTURE):
        if not isinstance(values.get(name), dict):
            raise InputError(f"assigns no dictionary to {name}, as published prompts do", file=path)
    countries = values.get(COUNTRY) or []
    languages = {}
    for language, wordings in values[WORDINGS].items():
        reminder = ours.languages[language if language in ours.languages else "en"].reminder
        try:
            languages[str(language)] = PromptTexts(
                definition=values[DEFINITION][language],
                wordings=tuple(wordings),
                # The published ones that name a country are in English.
                country_wordings=tuple(_named(text, "country") for text in countries)
                if language == "en"
                else (),
                countries=_COUNTRY_NAMES if language == "en" else {},
                picture=values[PICTURE][language],
                caption=_named(values[CAPTION][language], "text"),
                published=tuple(_choices(text) for text in values[OPTIONS][language]),
                reminder=reminder,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"the prompts in {str(language)[:20]!r} are not as published: {error}", file=path
            ) from None
    return Prompts(path.stem, languages, "published prompts, word for word")


def _literals(path: Path) -> dict[str, Any]:
    """What the file assigns to names at its top, as far as it is literal."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"has more than {LARGEST // 1024:,} kB, which is too large", file=path)
        tree = ast.parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"is not Python: {error}", file=path) from None
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, RecursionError, MemoryError):
                continue
    return values


def _named(text: str, name: str) -> str:
    """A text whose first `{}` has a name."""
    if not isinstance(text, str):
        raise TypeError("a text is wanted")
    return text.replace("{}", f"{{{name}}}", 1)


def _choices(text: str) -> Choices:
    """Options as a published text shows them: a line each, marker and name."""
    options = tuple(
        (match[1], match[2]) for line in text.splitlines() if (match := _OPTION.match(line))
    )
    if len(options) < 2:
        raise ValueError("the options are lines such as 'a: Hate'")
    return Choices(text, options)
