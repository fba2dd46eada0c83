"""What a model's answer must look like. In: a `Scheme` or topics. Out: pydantic models, values.

The JSON Schema of a form holds a category to its own subcategories; what a server lets through all
the same is refused with a sentence that the model is sent back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from memeloc.label.scheme import Category, GivenLabel, Scheme

MOST_TOPICS = 3
"""Topics of a meme (CHARMemes, appendix J)."""

_CAPTION = "the text of the meme, exactly as it stands; empty where it has none"
_OTHER_LETTERS = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"^\s*\d+(?:\.\d+)*\.?\s+")


class LabelForm(BaseModel):
    """The beginning of a form for labels: `given()` are those of an answer."""

    def given(self) -> tuple[GivenLabel, ...]:
        """What was named, each once, in the order of the answer."""
        named = [
            GivenLabel(label.category, getattr(label, "subcategory", ""))
            for label in getattr(self, "labels", ())
        ]
        return tuple(dict.fromkeys(named))

    def transcript(self) -> str:
        """The meme's text as the model read it; empty where it was not asked for."""
        return str(getattr(self, "caption", ""))


@cache
def label_form(scheme: Scheme, *, caption: bool) -> type[LabelForm]:
    """The form of an answer by a scheme, with the meme's text where it is in a picture."""
    choices: Any = Union[tuple(_choice(category) for category in scheme.categories)]  # noqa: UP007

    def check(values: Any) -> Any:
        for value in values if isinstance(values, list) else ():
            _check(scheme, value)
        return values

    most = len(scheme.categories) if scheme.most_severe else 1
    fields: dict[str, Any] = {"caption": (str, Field(description=_CAPTION))} if caption else {}
    fields["labels"] = (Annotated[list[choices], Field(min_length=1, max_length=most)], ...)
    validators: dict[str, Any] = {
        "known": field_validator("labels", mode="before")(staticmethod(check))
    }
    return create_model("Labels", __base__=LabelForm, __validators__=validators, **fields)


class PrintedLabel(BaseModel):
    """A label as the printed prompt of CHARMemes (appendix D) has it answered: by names."""

    category: str
    subcategory: str = ""


@cache
def printed_form(scheme: Scheme) -> type[LabelForm]:
    """The form of an answer to a prompt that names categories as people read them.

    Case, marks, numbers before a name ("2.1 Racism & Xenophobia") and "and" for "&" do not matter;
    a subcategory may also be named by its id. "Safe / None" is the category that does no harm.
    """
    names = {_plain(name): c.id for c in scheme.categories for name in (c.id, c.name)}
    names |= {
        plain: scheme.by_id["safe"].id for plain in ("safenone", "none") if "safe" in scheme.by_id
    }

    def read(values: Any) -> Any:
        if not isinstance(values, list) or not values:
            raise ValueError("labels is a list of at least one category")
        return [_read_printed(scheme, names, value) for value in values]

    validators: dict[str, Any] = {
        "known": field_validator("labels", mode="before")(staticmethod(read))
    }
    return create_model(
        "Labels",
        __base__=LabelForm,
        __validators__=validators,
        caption=(str, Field("", description="exact text from the meme")),
        labels=(list[PrintedLabel], ...),
    )


class NewTopic(BaseModel):
    """A topic that is not known yet."""

    proposed_id: str = Field(description="short_snake_case", pattern=r"^[a-z][a-z0-9_]*$")
    name: str = Field(description="a name that people can read", min_length=1)
    definition: str = Field(description="what it covers, in one sentence", min_length=1)


class TopicsForm(BaseModel):
    """The beginning of a form for topics."""

    def given(self) -> tuple[dict[str, str], ...]:
        """The topics, most relevant first: `id`, and of a new one `name` and `definition`."""
        topics: dict[str, dict[str, str]] = {}
        for topic in getattr(self, "topics", ()):
            new = getattr(topic, "new_topic", None)
            values = (
                {"id": topic.topic_id}
                if new is None
                else {"id": new.proposed_id, "name": new.name, "definition": new.definition}
            )
            topics.setdefault(values["id"], values)
        return tuple(topics.values())


@cache
def topics_form(ids: tuple[str, ...]) -> type[TopicsForm]:
    """The form of topics (CHARMemes, appendix J): known ones by id, or new ones; at most three."""
    fields: dict[str, Any] = {"kind": (Literal["new"], ...), "new_topic": (NewTopic, ...)}
    kinds: Any = create_model("New", __config__=_FORBID, **fields)
    if ids:
        fields = {"kind": (Literal["known"], ...), "topic_id": (Literal[ids], ...)}
        kinds = Union[create_model("Known", __config__=_FORBID, **fields), kinds]  # noqa: UP007
    topics: Any = Annotated[list[kinds], Field(min_length=1, max_length=MOST_TOPICS)]
    return create_model("Topics", __base__=TopicsForm, topics=(topics, ...))


_FORBID = ConfigDict(extra="forbid")


def _choice(category: Category) -> type[BaseModel]:
    fields: dict[str, Any] = {"category": (Literal[category.id], ...)}
    if category.subcategories:
        fields["subcategory"] = (Literal[tuple(category.subcategories)], ...)
    name = "".join(word.title() for word in category.id.split("-"))
    return create_model(name, __config__=_FORBID, **fields)


def _check(scheme: Scheme, value: Any) -> None:
    """Refuse a label that the scheme does not have, in words that a model understands."""
    named = value if isinstance(value, dict) else {}
    category = scheme.by_id.get(str(named.get("category", "")))
    if category is None:
        known = ", ".join(scheme.by_id)
        raise ValueError(f"{str(named.get('category', value))[:60]!r} is no category; use {known}")
    subcategory = str(named.get("subcategory", ""))
    if category.subcategories and subcategory not in category.subcategories:
        known = ", ".join(category.subcategories)
        raise ValueError(f"{category.id} has no subcategory {subcategory[:60]!r}; it has {known}")
    if not category.subcategories and subcategory:
        raise ValueError(f"{category.id} has no subcategories; leave it out")


def _read_printed(scheme: Scheme, names: Mapping[str, str], value: Any) -> PrintedLabel:
    named = value if isinstance(value, dict) else {}
    written = str(named.get("category", ""))
    category = scheme.by_id.get(names.get(_plain(written), ""))
    if category is None:
        known = ", ".join(each.name for each in scheme.categories)
        raise ValueError(f"{written[:60]!r} is no category; use {known}")
    kinds = {
        _plain(name): id
        for id, text in category.subcategories.items()
        for name in (id, text, *PRINTED.get(id, ()))
    }
    kind = _plain(str(named.get("subcategory") or ""))
    # A finer kind that is not known is left out: the printed prompt names few of them.
    return PrintedLabel(category=category.id, subcategory=kinds.get(kind, ""))


PRINTED: Mapping[str, tuple[str, ...]] = {
    "religious-hate": ("Religious Hate",),
    "targeted-hostility": ("Targeted Hostility",),
    "cyberbullying-doxing": ("Cyberbullying & Doxing",),
    "terrorism-extremism": ("Terrorism & Extremism",),
    "suicide-self-injury": ("Suicide & Self-Injury",),
    "child-abuse": ("CSAM",),
    "trafficking": ("Trafficking",),
    "scams-fraud": ("Scams & Fraud",),
    "shock": ("Shock Content & Gore",),
    "sexual-humour": ("Sexual Aggression/Humor",),
    "stereotyping": ("Cultural Stereotyping",),
    "nudity": ("Nudity/Suggestive",),
    "adult-humour": ("Adult Humor",),
    "relationship-jokes": ("Relationship Jokes",),
}
"""Names of CHARMemes (appendix C and D) that differ from those that people read here."""


def _plain(name: str) -> str:
    """A name without number, case, spaces and marks; "&" and "and" are the same."""
    text = _NUMBER.sub("", name).casefold().replace("&", " and ")
    return _OTHER_LETTERS.sub("", text)
