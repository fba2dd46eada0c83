"""What models are asked about memes. In: a scheme, topics, a prompt's name. Out: questions.

The prompt `taxonomy` is built from the taxonomy; `charmemes` are the prompts that CHARMemes prints
(appendix D and J), word for word; any other name is a TOML file of a team's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from memeloc.errors import InputError
from memeloc.label.scheme import (
    Category,
    LabelForm,
    Scheme,
    TopicsForm,
    label_form,
    printed_form,
    topics_form,
)
from memeloc.label.topics import Topic
from memeloc.language_models import Message, Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.prompts import MemeInput, Prompt, read_prompt
from memeloc.settings import parse_toml

BUILT, PRINTED = "taxonomy", "charmemes"
PROMPTS = (BUILT, PRINTED)
"""The prompts that ship."""

_NEEDS = {
    "picture": {"how_many"},
    "both": {"text", "how_many"},
    "text": {"language", "text", "how_many"},
}
_TOPIC_NEEDS: dict[str, set[str]] = {
    "picture": set(),
    "both": {"text"},
    "text": {"language", "text"},
}
_NAME = re.compile(r"\{([a-z_]+)\}")
_ALL_THAT_FIT = "If several fit, name all of them; the one that stands highest in the list counts."
_EXPECTED = 120
"""Tokens of a usual answer, with the meme's text in it."""


@dataclass(frozen=True)
class LabelPrompt:
    """A question about every meme; `name` is one of `PROMPTS`, or a file's path."""

    name: str
    scheme: Scheme
    topics: tuple[Topic, ...] = ()

    def question(self, item: MemeInput) -> Question[LabelForm]:
        """Return what is asked for the labels of a meme."""
        form = self._label_form(item.picture is not None)
        pictures = () if item.picture is None else (item.picture,)
        if self.name == PRINTED:
            messages = _printed("printed", {}, item)
        else:
            how_many = "the one category that fits best"
            if self.scheme.most_severe:
                how_many = "every category that applies, each with the subcategory that fits best,"
            values = {**_values(item), "how_many": how_many}
            messages = self._labels.fill(item.input, values, pictures)
        return Question(messages, form, mark=item, expected=_EXPECTED)

    def topics_question(self, item: MemeInput) -> Question[TopicsForm]:
        """Return what is asked for the topics of a meme."""
        form = topics_form(tuple(topic.id for topic in self.topics))
        lines = "\n".join(topic.line() for topic in self.topics) or "(none yet)"
        if self.name == PRINTED:
            messages = _printed("topics", {"topics_block": lines}, item)
        else:
            pictures = () if item.picture is None else (item.picture,)
            prompt = read_prompt(files(__package__) / "prompts" / "topics.toml", _TOPIC_NEEDS)
            prompt = Prompt(_filled(prompt.system, {"topics": lines}), prompt.asks)
            messages = prompt.fill(item.input, _values(item), pictures)
        return Question(messages, form, mark=item, expected=_EXPECTED)

    @cached_property
    def sha256(self) -> str:
        """SHA-256, in hex, of all that is the same for every meme: texts and forms."""
        texts = _shipped(PRINTED)["printed"] if self.name == PRINTED else self._labels.texts()
        forms = [strict_schema(self._label_form(caption)) for caption in (True, False)]
        return _hash(texts, forms)

    @cached_property
    def topics_sha256(self) -> str:
        """As `sha256`, of the question for topics, with those that are known."""
        shipped = _shipped(PRINTED if self.name == PRINTED else "topics")
        return _hash(shipped, [topic.line() for topic in self.topics])

    def _label_form(self, caption: bool) -> type[LabelForm]:
        if self.name == PRINTED:
            return printed_form(self.scheme)
        return label_form(self.scheme, caption=caption)

    @cached_property
    def _labels(self) -> Prompt:
        file = files(__package__) / "prompts" / "taxonomy.toml" if self.name == BUILT else self.name
        prompt = read_prompt(file, _NEEDS)
        rules = ([_ALL_THAT_FIT] if self.scheme.most_severe else []) + list(self.scheme.rules)
        values = {
            "question": self.scheme.question,
            "definition": self.scheme.definition,
            "categories": "\n".join(_category(each) for each in self.scheme.categories),
            "rules": "\n".join(f"- {rule}" for rule in rules),
        }
        return Prompt(_filled(prompt.system, values), prompt.asks)


def label_prompt(name: str, scheme: Scheme, topics: Sequence[Topic] = ()) -> LabelPrompt:
    """The prompt of a name, or of a TOML file with the same texts as the built one.

    Raises:
        InputError: there is no such prompt, the file lacks a text, or the printed prompt is wanted
            for another taxonomy than its own.
    """
    if name == PRINTED and scheme.taxonomy != PRINTED:
        raise InputError(
            f"The prompt {PRINTED} names the categories of that paper, not those of "
            f"{scheme.taxonomy}; the prompt {BUILT} is built from any taxonomy."
        )
    if name not in PROMPTS and not name.endswith(".toml"):
        raise InputError(
            f"There is no prompt {name[:60]!r}; there are {', '.join(PROMPTS)}; one of your own is "
            "named by its .toml file."
        )
    prompt = LabelPrompt(name, scheme, tuple(topics))
    _ = prompt.sha256  # a file that cannot be read is reported before anything is asked
    return prompt


def _values(item: MemeInput) -> dict[str, str]:
    language = f" (language: {item.language})" if item.language else ""
    return {"text": json.dumps(item.text, ensure_ascii=False), "language": language}


def _printed(name: str, values: Mapping[str, str], item: MemeInput) -> tuple[Message, ...]:
    """A printed prompt with the picture behind it; a meme without one is given as its text."""
    text = _filled(_shipped(PRINTED)[name].strip(), values)
    pictures = () if item.picture is None else (item.picture,)
    after = f"The text of the meme:\n{item.text}" if item.text else ""
    return (Message("user", text, pictures, after),)


def _category(category: Category) -> str:
    line = f"- {category.id}: {category.name}. {category.definition}".rstrip()
    kinds = "".join(f"\n    - {id}: {name}" for id, name in category.subcategories.items())
    return f"{line}\n  Its subcategories:{kinds}" if kinds else line


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with values in the place of their names in braces; other braces stay."""
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)


def _shipped(name: str) -> dict[str, str]:
    file = files(__package__) / "prompts" / f"{name}.toml"
    return parse_toml(file.read_text("utf-8"))


def _hash(*parts: object) -> str:
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
