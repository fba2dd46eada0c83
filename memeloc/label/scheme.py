"""What a model may answer, and how. In: a taxonomy and its texts in English. Out: `Scheme`, forms.

A scheme has the labels that people vote for: a model neither skips a meme nor leaves it to others.
It may say that it does not know where the rules offer that; such a meme goes to people.

The JSON Schema of a form holds a category to its own subcategories; what a server lets through all
the same is refused with a sentence that the model is sent back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from memeloc.errors import InputError
from memeloc.taxonomy import Taxonomy

_UNSURE = "unsure"
"""The rule that offers "I don't know"."""
_CHOOSE_ONE = "most-severe"
"""The rule that tells people to choose the most severe label; a model names all that fit."""


@dataclass(frozen=True, slots=True)
class Category:
    """A label of the taxonomy; `subcategories` has the names of its finer kinds by id."""

    id: str
    name: str
    definition: str
    severity: int
    subcategories: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True, order=True)
class GivenLabel:
    """A category that a model named; `subcategory` is empty where it named none."""

    category: str
    subcategory: str = ""

    def __str__(self) -> str:
        return f"{self.category}/{self.subcategory}" if self.subcategory else self.category


@dataclass(frozen=True)
class Scheme:
    """The categories that a model chooses from.

    Attributes:
        taxonomy: its name.
        most_severe: whether several may be named, of which the most severe is the label.
        question, definition, rules: as people read them.
        categories: in the taxonomy's order, or the most severe first where that one counts.
        abstentions: ids of those that mean "I don't know".
    """

    taxonomy: str
    most_severe: bool
    question: str
    definition: str
    rules: tuple[str, ...]
    categories: tuple[Category, ...]
    abstentions: frozenset[str] = frozenset()

    @classmethod
    def of(cls, taxonomy: Taxonomy, texts: Mapping[str, str]) -> Scheme:
        """Return the scheme of a taxonomy, by its English texts; their keys are `Taxonomy.keys`.

        Raises:
            InputError: its question has a text of each item's own, which no model is shown.
        """
        if taxonomy.item_text:
            raise InputError(
                f"The question of {taxonomy.name} has a text of each item's own; models label by a "
                "question that is the same for all memes."
            )
        before = f"taxonomy.{taxonomy.name}"
        categories = []
        abstaining = taxonomy.of_role("abstain") if _UNSURE in taxonomy.rules else ()
        for label in (*taxonomy.of_role("vote"), *abstaining):
            own = f"{before}.label.{label.id}"
            kinds = {id: texts[f"{own}.subcategory.{id}"] for id in label.subcategories}
            name, definition = texts[f"{own}.name"], texts.get(f"{own}.definition", "")
            categories.append(Category(label.id, name, definition, label.severity, kinds))
        return cls(
            taxonomy.name,
            taxonomy.most_severe,
            texts[f"{before}.question"],
            texts[f"{before}.definition"],
            tuple(
                texts[f"{before}.rule.{rule}"]
                for rule in taxonomy.rules
                if not (taxonomy.most_severe and rule == _CHOOSE_ONE)
            ),
            # The list that models read begins with the most severe, where that one counts.
            tuple(
                sorted(categories, key=lambda category: -category.severity)
                if taxonomy.most_severe
                else categories
            ),
            frozenset(label.id for label in abstaining),
        )

    @cached_property
    def by_id(self) -> dict[str, Category]:
        """Return the categories by id."""
        return {category.id: category for category in self.categories}

    def most_severe_of(self, labels: Sequence[GivenLabel]) -> str:
        """Return the id of the most severe category that was named, the first of those as severe.

        CHARMemes, appendix C: the most severe harm is the label.
        """
        severity = {label.category: self.by_id[label.category].severity for label in labels}
        return max(severity, key=severity.__getitem__)

    def exact_of(self, labels: Sequence[GivenLabel]) -> tuple[GivenLabel, ...]:
        """Return the most severe category with every subcategory of it that was named, sorted."""
        category = self.most_severe_of(labels)
        return tuple(sorted({label for label in labels if label.category == category}))


MOST_TOPICS = 3
"""Topics of a meme (CHARMemes, appendix J)."""

_CAPTION = "the text of the meme, exactly as it stands; empty where it has none"
_OTHER_LETTERS = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"^\s*\d+(?:\.\d+)*\.?\s+")


class LabelForm(BaseModel):
    """The beginning of a form for labels: `given()` are those of an answer."""

    def given(self) -> tuple[GivenLabel, ...]:
        """Return what was named, each once, in the order of the answer."""
        named = [
            GivenLabel(label.category, getattr(label, "subcategory", ""))
            for label in getattr(self, "labels", ())
        ]
        return tuple(dict.fromkeys(named))

    def transcript(self) -> str:
        """Return the meme's text as the model read it; empty where it was not asked for."""
        return str(getattr(self, "caption", ""))


@cache
def label_form(scheme: Scheme, *, caption: bool) -> type[LabelForm]:
    """Return the form of an answer by a scheme, with the meme's text where it is in a picture."""
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
    """Return the form of an answer to a prompt that names categories as people read them.

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
        """Return the topics, most relevant first: `id`; of a new one `name` and `definition`."""
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
    """Return the form of topics (CHARMemes, appendix J): known ones by id, or new; up to three."""
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
    """Return a name without number, case, spaces and marks; "&" and "and" are the same."""
    text = _NUMBER.sub("", name).casefold().replace("&", " and ")
    return _OTHER_LETTERS.sub("", text)
