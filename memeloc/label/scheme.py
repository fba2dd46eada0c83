"""What a model may answer. In: a taxonomy and its texts in English. Out: a `Scheme`.

It has the labels that people vote for: a model neither skips a meme nor leaves it to others. It may
say that it does not know where the rules offer that; such a meme goes to people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
        """The scheme of a taxonomy; `texts` has its English texts by key, see `Taxonomy.keys`.

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
        """The categories by id."""
        return {category.id: category for category in self.categories}

    def most_severe_of(self, labels: Sequence[GivenLabel]) -> str:
        """The id of the most severe category that was named, the first of those as severe.

        CHARMemes, appendix C: the most severe harm is the label.
        """
        severity = {label.category: self.by_id[label.category].severity for label in labels}
        return max(severity, key=severity.__getitem__)

    def exact_of(self, labels: Sequence[GivenLabel]) -> tuple[GivenLabel, ...]:
        """The most severe category with every subcategory of it that was named, sorted."""
        category = self.most_severe_of(labels)
        return tuple(sorted({label for label in labels if label.category == category}))
