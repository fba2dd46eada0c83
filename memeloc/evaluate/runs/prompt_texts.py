"""Texts of prompts. In: what a file says, values to put in. Out: `PromptTexts`, `Choices`.

What a model is sent is, in this order: the definition, a wording, the line before the picture, the
picture, the meme's text, and the options; with `picture_first` the wording comes last. Values are
put in as they are and never searched for names again: they are untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError

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
        """The options in an order: 0 as they are listed, 1 reversed.

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
