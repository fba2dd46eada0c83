"""Texts of prompts. In: a TOML file with a section a language, or shipped ones. Out: `PromptTexts`.

What a model is sent is, in this order: the definition, a wording, the line before the picture, the
picture, the meme's text, and the options. Values are put in as they are and never searched for
names again: they are untrusted.
"""

from __future__ import annotations

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
_FOLDER = "texts"


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
    choose: str = Field(default="", description="before the options")
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
    before: str = Field(default="", description="asks for reasons before the answer")
    after: str = Field(default="", description="asks for reasons after the answer")
    reminder: str = Field(
        default="Answer with one of {markers} only.",
        description="what an invalid answer is replied with",
    )
    published: tuple[Choices, ...] = Field(
        default=(), description="the options of both orders word for word; not for files"
    )

    def choices(self, order: int, labels: Sequence[str], own: Sequence[str] = ()) -> Choices:
        """The options in an order: 0 as they are listed, 1 reversed.

        Args:
            order: 0 or 1.
            labels: of the run, for a language whose options have no names of their own.
            own: the options of an item of multiple choice, in the place of the run's.
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
        return Choices(self.choose + "".join(lines), options)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts of prompts in several languages, by tag; `name` is theirs in reports."""

    name: str
    languages: Mapping[str, PromptTexts] = field(default_factory=dict)
    source: str = ""

    def of(self, language: str) -> PromptTexts:
        """The texts in a language, or in the language without its region or script.

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
    """A text with values in the place of names in braces; other braces stay.

    >>> fill("{name}: {text}", {"name": "a", "text": "{name}"})
    'a: {name}'
    """
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)


def read_prompts(name: str, folder: Path, labels: Sequence[str] = ()) -> Prompts:
    """Texts by the name of shipped ones, or of a file below `folder`: a TOML, or published Python.

    Args:
        labels: of the run, which languages' `names` must fit.

    Raises:
        InputError: there are none of that name, or something in them is wrong.
    """
    path = folder / name
    if path.suffix == ".py":
        from memeloc.evaluate.runs.published_prompts import read_published

        return read_published(path)
    if path.suffix == ".toml":
        return _prompts(path.stem, read_toml(path), labels, path)
    shipped = files("memeloc.evaluate.runs") / _FOLDER / f"{name}.toml"
    if not re.fullmatch(r"[a-z0-9-]+", name) or not shipped.is_file():
        known = sorted(Path(each.name).stem for each in shipped_folder())
        raise InputError(
            f"There are no prompts {name[:60]!r}: name a TOML file, a Python file of published "
            f"prompts, or one of {', '.join(known)}."
        )
    return _prompts(name, parse_toml(shipped.read_text("utf-8")), labels, None)


def shipped_folder() -> list[Any]:
    """The files of shipped texts."""
    return list((files("memeloc.evaluate.runs") / _FOLDER).iterdir())


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
