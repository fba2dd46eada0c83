"""The answers that a model may give, and their form. In: a taxonomy and its texts in English. Out:
`Scheme`, forms.

A scheme has the labels that people vote for: a model neither skips a meme nor leaves it to others.
It may say that it does not know where the rules offer that; such a meme goes to people.

The JSON Schema of a form holds a category to its own subcategories; what a server lets through all
the same is refused with a sentence that the model is sent back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Annotated, Any, Literal, NamedTuple, Union

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from memeloc.errors import InputError
from memeloc.taxonomy import Taxonomy

MOST_TOPICS = 3
"""Topics of a meme (CHARMemes, appendix J)."""
_UNSURE = "unsure"
"""The rule that offers "I don't know"."""
_CHOOSE_ONE = "most-severe"
"""The rule that tells people to choose the most severe label; a model names all that fit."""
_CAPTION = "the text of the meme, exactly as it stands; empty where it has none"
_FORBID = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Category:
    """A label of the taxonomy; `subcategories` has the names of its finer kinds by id."""

    id: str
    name: str
    definition: str
    severity: int
    subcategories: Mapping[str, str] = field(hash=False)


class GivenLabel(NamedTuple):
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
        Raise InputError if its question has a text of each item's own, which no model is shown."""
        if taxonomy.item_text:
            raise InputError(
                f"The question of {taxonomy.name} has a text of each item's own; models label by a "
                "question that is the same for all memes."
            )
        before, severe = f"taxonomy.{taxonomy.name}", taxonomy.most_severe
        abstaining = taxonomy.of_role("abstain") if _UNSURE in taxonomy.rules else ()
        categories = [
            Category(
                label.id,
                texts[f"{before}.label.{label.id}.name"],
                texts.get(f"{before}.label.{label.id}.definition", ""),
                label.severity,
                {
                    id: texts[f"{before}.label.{label.id}.subcategory.{id}"]
                    for id in label.subcategories
                },
            )
            for label in (*taxonomy.of_role("vote"), *abstaining)
        ]
        if severe:  # the list that models read begins with the most severe
            categories.sort(key=lambda category: -category.severity)
        rules = [rule for rule in taxonomy.rules if not (severe and rule == _CHOOSE_ONE)]
        return cls(
            taxonomy.name,
            severe,
            texts[f"{before}.question"],
            texts[f"{before}.definition"],
            tuple(texts[f"{before}.rule.{rule}"] for rule in rules),
            tuple(categories),
            frozenset(label.id for label in abstaining),
        )

    @cached_property
    def by_id(self) -> dict[str, Category]:
        return {category.id: category for category in self.categories}

    def most_severe_of(self, labels: Sequence[GivenLabel]) -> tuple[GivenLabel, ...]:
        """Return the most severe category that was named, with its subcategories, sorted.

        It is the first of those as severe (CHARMemes, appendix C: the most severe harm is the
        label); empty where none was named but "I don't know".
        """
        named = [label for label in labels if label.category not in self.abstentions]
        if not named:
            return ()
        first = max(named, key=lambda label: self.by_id[label.category].severity).category
        return tuple(sorted({label for label in named if label.category == first}))


class LabelForm(BaseModel):
    """The beginning of a form for labels: `given()` are those of an answer."""

    def given(self) -> tuple[GivenLabel, ...]:
        """Return what was named, each once, in the order of the answer."""
        labels: Any = getattr(self, "labels", ())
        named = (GivenLabel(each.category, getattr(each, "subcategory", "")) for each in labels)
        return tuple(dict.fromkeys(named))


@cache
def label_form(scheme: Scheme, *, caption: bool) -> type[LabelForm]:
    """Return the form of an answer by a scheme, with the meme's text where it is in a picture."""

    def choice(category: Category) -> type[BaseModel]:
        fields: dict[str, Any] = {"category": (Literal[category.id], ...)}
        if category.subcategories:
            fields["subcategory"] = (Literal[tuple(category.subcategories)], ...)
        name = "".join(word.title() for word in category.id.split("-"))
        return create_model(name, __config__=_FORBID, **fields)

    def check(values: Any) -> Any:
        """Refuse labels that the scheme does not have, in words that a model understands."""
        for value in values if isinstance(values, list) else ():
            named = value if isinstance(value, dict) else {}
            category = scheme.by_id.get(str(named.get("category", "")))
            if category is None:
                ids, wrong = ", ".join(scheme.by_id), str(named.get("category", value))
                raise ValueError(f"{wrong[:60]!r} is no category; use {ids}")
            id, kinds = str(named.get("subcategory", "")), category.subcategories
            if kinds and id not in kinds:
                raise ValueError(
                    f"{category.id} has no subcategory {id[:60]!r}; it has {', '.join(kinds)}"
                )
            if id and not kinds:
                raise ValueError(f"{category.id} has no subcategories; leave it out")
        return values

    choices: Any = Union[tuple(map(choice, scheme.categories))]  # noqa: UP007
    most = len(scheme.categories) if scheme.most_severe else 1
    fields: dict[str, Any] = {"caption": (str, Field(description=_CAPTION))} if caption else {}
    fields["labels"] = (Annotated[list[choices], Field(min_length=1, max_length=most)], ...)
    return _labels(check, **fields)


def _labels(read: Callable[[Any], Any], **fields: Any) -> type[LabelForm]:
    validators: dict[str, Any] = {
        "known": field_validator("labels", mode="before")(staticmethod(read))
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
    names = {_plain(name): each for each in scheme.categories for name in (each.id, each.name)}
    if "safe" in scheme.by_id:
        names |= dict.fromkeys(("safenone", "none"), scheme.by_id["safe"])

    def read_label(value: Any) -> PrintedLabel:
        named = value if isinstance(value, dict) else {}
        written = str(named.get("category", ""))
        category = names.get(_plain(written))
        if category is None:
            listed = ", ".join(each.name for each in scheme.categories)
            raise ValueError(f"{written[:60]!r} is no category; use {listed}")
        kinds = {
            _plain(name): id
            for id, text in category.subcategories.items()
            for name in (id, text, PRINTED.get(id, id))
        }
        kind = _plain(str(named.get("subcategory") or ""))
        # A finer kind that is not known is left out: the printed prompt names few of them.
        return PrintedLabel(category=category.id, subcategory=kinds.get(kind, ""))

    def read(values: Any) -> Any:
        if not isinstance(values, list) or not values:
            raise ValueError("labels is a list of at least one category")
        return [read_label(value) for value in values]

    caption = (str, Field("", description="exact text from the meme"))
    return _labels(read, caption=caption, labels=(list[PrintedLabel], ...))


PRINTED: Mapping[str, str] = {
    "religious-hate": "Religious Hate",
    "targeted-hostility": "Targeted Hostility",
    "cyberbullying-doxing": "Cyberbullying & Doxing",
    "terrorism-extremism": "Terrorism & Extremism",
    "suicide-self-injury": "Suicide & Self-Injury",
    "child-abuse": "CSAM",
    "trafficking": "Trafficking",
    "scams-fraud": "Scams & Fraud",
    "shock": "Shock Content & Gore",
    "sexual-humour": "Sexual Aggression/Humor",
    "stereotyping": "Cultural Stereotyping",
    "nudity": "Nudity/Suggestive",
    "adult-humour": "Adult Humor",
    "relationship-jokes": "Relationship Jokes",
}
"""Names of CHARMemes (appendix C and D) that differ from those that people read here."""


def _plain(name: str) -> str:
    """Return a name without number, case, spaces and marks; "&" and "and" are the same."""
    text = re.sub(r"^\s*\d+(?:\.\d+)*\.?\s+", "", name).casefold().replace("&", " and ")
    return re.sub(r"[^a-z0-9]+", "", text)


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
            id = topic.topic_id if new is None else new.proposed_id
            about = {} if new is None else {"name": new.name, "definition": new.definition}
            topics.setdefault(id, {"id": id, **about})
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
