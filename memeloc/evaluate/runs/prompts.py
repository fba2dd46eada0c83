"""Texts of prompts. In: a TOML with a section a language, or published ones. Out: `Prompts`.

What a model is sent is, in this order: the definition, a wording, the line before the picture, the
picture, the meme's text, and the options; with `picture_first` the wording comes last. Values are
put in as they are and never searched for names again: they are untrusted.

Multi3Hate's all_prompts.py is parsed and never run: only assignments of plain literals are looked
at. Its texts are taken word for word, and joined as vlm/inference/utils.py joins them: definition,
wording, line before the picture; behind the picture the caption and the options.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, validate

_NAME = re.compile(r"\{([a-z]+)\}")
_TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True)
class Choices:
    """Options as they are shown.

    Attributes:
        text: that the model reads.
        options: marker and name of each, in the order shown and in the prompt's language.
    """

    text: str
    options: tuple[tuple[str, str], ...]


class PromptTexts(BaseModel):
    """The texts of a language; `{text}`, `{question}`, `{country}` and the like stand for values.

    Each text has its own spaces and line breaks: they are joined as they are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    definition: str = Field(default="", description="before the wording")
    wordings: tuple[str, ...] = Field(min_length=1, description="ways to ask, the first is 1")
    country_wordings: tuple[str, ...] = Field(default=(), description="the same with {country}")
    countries: dict[str, str] = Field(
        default_factory=dict, description="by code the country's name as wordings need it"
    )
    picture: str = Field(default="", description="before the picture")
    caption: str = Field(
        default="", description="the meme's text, {text}; left out where there is none"
    )
    choose: str = Field(default="", description="before the options; it may have {question}")
    option: str = Field(
        default="{marker}: {name}\n", description="an option, with {marker} and {name}"
    )
    markers: tuple[str, ...] = Field(
        default=tuple("abcdefghijklmnopqrstuvwxyz"),
        min_length=2,
        description="of the options, in order",
    )
    names: tuple[str, ...] = Field(default=(), description="of the run's labels, in their order")
    definitions: tuple[str, ...] = Field(default=(), description="of the labels, for {definition}")
    between: str = Field(default="", description="between two options")
    picture_first: bool = Field(
        default=False, description="whether the picture begins and the wording ends the prompt"
    )
    without: str = Field(default="", description="asks for the answer without reasons")
    before: str = Field(default="", description="asks for reasons before the answer")
    after: str = Field(default="", description="asks for reasons after the answer")
    reminder: str = Field(
        default="Answer with one of {markers} only.",
        description="what an invalid answer is replied with",
    )
    published: tuple[Choices, ...] = Field(
        default=(), description="the options of both orders word for word; not for files"
    )

    def choices(
        self, order: int, labels: Sequence[str], options: Sequence[str] = (), question: str = ""
    ) -> Choices:
        """Return the options in an order: 0 as they are listed, 1 reversed.

        Args:
            order: 0 or 1.
            labels: of the run, for a language whose options have no names of their own.
            options: those of an item of multiple choice, in the place of the run's.
            question: of that item, for `choose`.
        """
        if self.published and not options:
            return self.published[order]
        names = list(options or self.names or labels)
        about = list(self.definitions) or [""] * len(names)
        shown = [*zip(names, about, strict=False)][:: -1 if order else 1]
        marked = tuple((self.markers[n], name) for n, (name, _) in enumerate(shown))
        lines = [
            fill(self.option, {"marker": self.markers[n], "name": name, "definition": definition})
            for n, (name, definition) in enumerate(shown)
        ]
        before = fill(self.choose, {"question": question})
        return Choices(before + self.between.join(lines), marked)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts of prompts in several languages, by tag; `name` is theirs in reports."""

    name: str
    languages: Mapping[str, PromptTexts] = field(default_factory=dict)
    source: str = ""

    def of(self, language: str) -> PromptTexts:
        """Return the texts in a language, or in the language without its region or script. Raise
        InputError if there are none."""
        for tag in (language, language.partition("-")[0]):
            if tag in self.languages:
                return self.languages[tag]
        raise InputError(
            f"The prompts {self.name[:60]} have no texts in {language[:20]!r}; they have "
            f"{', '.join(self.languages)}. Write some: guides/evaluation.md says how."
        )


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in the place of names in braces; other braces stay.

    >>> fill("{name}: {text}", {"name": "a", "text": "{name}"})
    'a: {name}'
    """
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)


def read_prompts(name: str, folder: Path, labels: Sequence[str] = ()) -> Prompts:
    """Return texts by the name of shipped ones, or of a file: a TOML, or published Python. Raise
    InputError if there are none of that name, or something in them is wrong.

    Args:
        folder: below which a file is looked for.
        labels: of the run, which languages' `names` must fit.
    """
    if name.endswith(".py"):
        return read_published(folder / name, read_prompts("multi3hate", folder, labels))
    path = folder / shipped_file(name, _TEXTS, "file of prompts")
    file = None if path.parent == _TEXTS else path  # what does not fit shipped ones is the run
    values = read_toml(path)
    source = str(values.pop("source", ""))
    languages = {}
    for tag, section in values.items():
        where = f"the prompts in {tag[:20]}"
        if not isinstance(section, dict):
            raise InputError(f"{tag[:40]!r} is no section of a language", file=file)
        section.pop("published", None)
        texts_of = validate(PromptTexts, section, where, file=file)
        for kind in ("names", "definitions"):
            count = len(getattr(texts_of, kind))
            if count and labels and count != len(labels):
                raise InputError(
                    f"{where} have {count} {kind} for the run's {len(labels)} labels "
                    f"({', '.join(labels)}); give one each, in that order",
                    file=file,
                )
        if labels and len(texts_of.markers) < len(labels):
            raise InputError(f"{where} have fewer markers than the run has labels", file=file)
        if texts_of.country_wordings and len(texts_of.country_wordings) != len(texts_of.wordings):
            raise InputError(f"{where} need a country_wording for each wording", file=file)
        languages[tag] = texts_of
    if not languages:
        raise InputError("has no section of a language, such as [en]", file=file)
    return Prompts(path.stem, languages, source)


LARGEST = 1 << 20
"""Bytes of a file that is read."""
_PUBLISHED = {
    "wordings": "PROMPTS_MULTI",
    "caption": "PROMPT_CAPTION_MULTI",
    "definition": "PROMPT_PREFIX_MULTI",
    "options": "PROMPT_POSTFIX_MULTI",
    "picture": "PROMPT_IMAGE_PREFIX_MULTI",
}
_COUNTRY = "PROMPTS_COUNTRY_INSERTION"
_COUNTRY_NAMES = {
    "US": "the United States",
    "DE": "Germany",
    "MX": "Mexico",
    "IN": "India",
    "CN": "China",
}
"""As the published MAPPING has them (vlm/inference/utils.py)."""
_OPTION = re.compile(r"^[ \t]*(\S{1,4})[ \t]*[:：][ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


def read_published(path: Path, ours: Prompts) -> Prompts:
    """Return the prompts of a Python file, by language; what they lack (a reminder) are `ours`.

    The file is parsed and never run: only literals that are assigned at its top are looked at.
    Raise InputError if it cannot be read, or lacks one of the assignments.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"has more than {LARGEST // 1024:,} kB, which is too large", file=path)
        tree = ast.parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"is not Python: {error}", file=path) from None
    values: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError, TypeError, RecursionError, MemoryError):
                values[node.targets[0].id] = ast.literal_eval(node.value)
    for name in _PUBLISHED.values():
        if not isinstance(values.get(name), dict):
            raise InputError(f"assigns no dictionary to {name}, as published prompts do", file=path)
    by_kind = {kind: values[name] for kind, name in _PUBLISHED.items()}
    languages = {}
    for language, wordings in by_kind["wordings"].items():
        reminder = ours.languages[language if language in ours.languages else "en"].reminder
        try:
            published = []
            for text in by_kind["options"][language]:
                options = tuple(_OPTION.findall(text))
                if len(options) < 2:
                    raise ValueError("the options are lines such as 'a: Hate'")
                published.append(Choices(text, options))
            # The published ones that name a country are in English.
            countries = values.get(_COUNTRY) or [] if language == "en" else []
            languages[str(language)] = PromptTexts(
                definition=by_kind["definition"][language],
                wordings=tuple(wordings),
                country_wordings=tuple(text.replace("{}", "{country}", 1) for text in countries),
                countries=_COUNTRY_NAMES if language == "en" else {},
                picture=by_kind["picture"][language],
                caption=by_kind["caption"][language].replace("{}", "{text}", 1),
                published=tuple(published),
                reminder=reminder,
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"the prompts in {str(language)[:20]!r} are not as published: {error}", file=path
            ) from None
    return Prompts(path.stem, languages, "published prompts, word for word")
