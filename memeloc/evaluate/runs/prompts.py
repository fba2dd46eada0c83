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
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import parse_toml, read_toml, validate

_NAME = re.compile(r"\{([a-z]+)\}")


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
        self, order: int, labels: Sequence[str], own: Sequence[str] = (), question: str = ""
    ) -> Choices:
        """Return the options in an order: 0 as they are listed, 1 reversed.

        Args:
            order: 0 or 1.
            labels: of the run, for a language whose options have no names of their own.
            own: the options of an item of multiple choice, in the place of the run's.
            question: of that item, for `choose`.
        """
        if self.published and not own:
            return self.published[order]
        names = list(own or self.names or labels)
        about = list(self.definitions) or [""] * len(names)
        shown = [*zip(names, about, strict=False)][:: -1 if order else 1]
        options = tuple((self.markers[n], name) for n, (name, _) in enumerate(shown))
        lines = [
            fill(self.option, {"marker": self.markers[n], "name": name, "definition": definition})
            for n, (name, definition) in enumerate(shown)
        ]
        before = fill(self.choose, {"question": question})
        return Choices(before + self.between.join(lines), options)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts of prompts in several languages, by tag; `name` is theirs in reports."""

    name: str
    languages: Mapping[str, PromptTexts] = field(default_factory=dict)
    source: str = ""

    def of(self, language: str) -> PromptTexts:
        """Return the texts in a language, or in the language without its region or script.

        Raises:
            InputError: there are none.
        """
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


_SHIPPED = files("memeloc.evaluate.runs") / "texts"


def read_prompts(name: str, folder: Path, labels: Sequence[str] = ()) -> Prompts:
    """Return texts by the name of shipped ones, or of a file: a TOML, or published Python.

    Args:
        folder: below which a file is looked for.
        labels: of the run, which languages' `names` must fit.

    Raises:
        InputError: there are none of that name, or something in them is wrong.
    """
    path = folder / name
    if path.suffix == ".py":
        return read_published(path, _shipped("multi3hate", labels))
    if path.suffix == ".toml":
        return _prompts(path.stem, read_toml(path), labels, path)
    return _shipped(name, labels)


def _shipped(name: str, labels: Sequence[str]) -> Prompts:
    shipped = {Path(file.name).stem: file for file in _SHIPPED.iterdir()}
    if name not in shipped:
        raise InputError(
            f"There are no prompts {name[:60]!r}: name a TOML file, a Python file of published "
            f"prompts, or one of {', '.join(sorted(shipped))}."
        )
    return _prompts(name, parse_toml(shipped[name].read_text("utf-8")), labels, None)


def _prompts(
    name: str, values: dict[str, Any], labels: Sequence[str], file: Path | None
) -> Prompts:
    source = str(values.pop("source", ""))
    languages = {}
    for tag, section in values.items():
        where = f"the prompts in {tag[:20]}"
        if not isinstance(section, dict):
            raise InputError(f"{tag[:40]!r} is no section of a language", file=file)
        section.pop("published", None)
        texts = validate(PromptTexts, section, where, file=file)
        for what, given in (("names", texts.names), ("definitions", texts.definitions)):
            if given and labels and len(given) != len(labels):
                raise InputError(
                    f"{where} have {len(given)} {what} for the run's {len(labels)} labels "
                    f"({', '.join(labels)}); give one each, in that order",
                    file=file,
                )
        if labels and len(texts.markers) < len(labels):
            raise InputError(f"{where} have fewer markers than the run has labels", file=file)
        if texts.country_wordings and len(texts.country_wordings) != len(texts.wordings):
            raise InputError(f"{where} need a country_wording for each wording", file=file)
        languages[tag] = texts
    if not languages:
        raise InputError("has no section of a language, such as [en]", file=file)
    return Prompts(name, languages, source)


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
    """Return the prompts of a Python file, by language; what they lack (a reminder) are `ours`.

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
    """Return what the file assigns to names at its top, as far as it is literal."""
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
    """Return a text whose first `{}` has a name."""
    if not isinstance(text, str):
        raise TypeError("a text is wanted")
    return text.replace("{}", f"{{{name}}}", 1)


def _choices(text: str) -> Choices:
    """Return options as a published text shows them: a line each, marker and name."""
    options = tuple(
        (match[1], match[2]) for line in text.splitlines() if (match := _OPTION.match(line))
    )
    if len(options) < 2:
        raise ValueError("the options are lines such as 'a: Hate'")
    return Choices(text, options)
