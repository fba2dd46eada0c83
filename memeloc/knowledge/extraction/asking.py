"""What a model is asked about a meme. In: a recipe, what was found. Out: questions.

Earlier knowledge is put in as compact JSON; so is a caption: all of it is untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any

from pydantic import BaseModel

from memeloc.knowledge.dimensions import Dimension, Recipe
from memeloc.knowledge.extraction.forms import LinksForm, dimension_form
from memeloc.knowledge.extraction.reading import read_value, shown_ids
from memeloc.knowledge.statements import DimensionKnowledge
from memeloc.language_models import Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.language_models.prompts import Prompt, read_prompt
from memeloc.language_models.questions import content_hash

_NEEDS: dict[str, set[str]] = {
    "extract": {"name", "definition", "extract", "terms", "language", "earlier", "caption"},
    "link": {"name", "statements", "others", "caption"},
}
EXPECTED = 400
"""Tokens of a usual answer about a dimension."""
_EXPECTED_LINKS = 60
_OPEN = "(what is found) ".ljust(4 * EXPECTED)


class Extraction:
    """Questions of a recipe.

    Args:
        prompt: a TOML file with the texts `system`, `extract` and `link`; empty for the shipped.

    Raises:
        InputError: the prompt's file is wrong.
    """

    def __init__(self, recipe: Recipe, prompt: str = "") -> None:
        self.recipe = recipe
        shipped = files(__package__) / "prompts" / "extraction.toml"
        self.prompt: Prompt = read_prompt(prompt or shipped, _NEEDS)
        self._forms = {each.id: dimension_form(each) for each in recipe.dimensions}
        self._values = {each.id: _values(each) for each in recipe.dimensions}

    @cached_property
    def sha256(self) -> str:
        """SHA-256, in hex, of all that is the same for every meme: texts, forms, recipe."""
        forms: list[type[BaseModel]] = [*self._forms.values(), LinksForm]
        schemas = [strict_schema(form) for form in forms]
        return content_hash([self.prompt.texts(), schemas, self.recipe.sha256])

    def question(
        self,
        dimension: str,
        meme: MemeInput,
        knowledge: Mapping[str, DimensionKnowledge],
        language: str,
        *,
        open: int = 0,
    ) -> Question[Any]:
        """What is asked about a dimension of a meme.

        Args:
            knowledge: what was found before, by dimension.
            language: of labels and statements, as the model is given it.
            open: earlier dimensions that are not there yet, for estimates: a text of the usual
                length stands for each.
        """
        shown = [knowledge[each] for each in self.recipe.contexts[dimension] if each in knowledge]
        known = shown_ids(shown)

        def check(value: BaseModel) -> None:
            read_value(dimension, value.model_dump(), known)

        values = {
            **self._values[dimension],
            "language": language,
            "earlier": _earlier(shown) + _OPEN * open,
            "caption": quoted_caption(meme),
        }
        messages = self.prompt.fill("extract", values, _pictures(meme))
        return Question(messages, self._forms[dimension], mark=meme, expected=EXPECTED, check=check)

    def link_question(
        self, meme: MemeInput, knowledge: Mapping[str, DimensionKnowledge], *, open: int = 0
    ) -> Question[Any] | None:
        """Which statements those of the recipe's `link` rest on; None where there are none.

        `knowledge` and `open` are as of `question`.
        """
        texts: dict[bool, dict[str, str]] = {True: {}, False: {}}
        for dimension, known in knowledge.items():
            own_text = {each.id: each.text for each in known.statements}
            texts[dimension == self.recipe.link] |= own_text
        own, others = texts[True], texts[False]
        if not open and not (own and others):
            return None
        values = {
            "name": self.recipe.by_id[self.recipe.link].name,
            "statements": compact(own),
            "others": compact(others) + _OPEN * open,
            "caption": quoted_caption(meme),
        }
        messages = self.prompt.fill("link", values, _pictures(meme))
        return Question(messages, LinksForm, mark=meme, expected=_EXPECTED_LINKS)


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shown_knowledge(dimensions: list[DimensionKnowledge]) -> str:
    """What was found of dimensions as compact JSON; those without anything are left out."""
    return compact(
        {
            each.dimension: {
                "entities": [[entity.id, entity.label, entity.kind] for entity in each.entities],
                "relations": [
                    [relation.source, relation.name, relation.target] for relation in each.relations
                ],
                "statements": [
                    f"{statement.text} ({statement.value})" if statement.value else statement.text
                    for statement in each.statements
                ],
            }
            for each in dimensions
            if each.entities or each.statements
        }
    )


def _values(dimension: Dimension) -> dict[str, str]:
    return {
        "name": dimension.name,
        "definition": dimension.definition,
        "extract": dimension.extract,
        "terms": "\n".join(
            filter(
                None,
                (
                    _terms('Kinds of entities ("" where none fits)', dimension.kinds),
                    _terms("Relations, from a source to a target", dimension.relations),
                    _terms("Values, of which each statement has one", dimension.values),
                ),
            )
        ),
    }


def _terms(title: str, names: Mapping[str, str]) -> str:
    lines = "".join(f"\n- {name}: {meaning}" for name, meaning in names.items())
    return f"{title}:{lines}" if names else ""


def _earlier(shown: list[DimensionKnowledge]) -> str:
    knowledge = shown_knowledge(shown)
    if knowledge == "{}":
        return ""
    return (
        "\nFound before, by dimension (an entity is its id, label and kind; a relation its source, "
        f"name and target):\n{knowledge}\n"
    )


def quoted_caption(meme: MemeInput) -> str:
    """The meme's text as JSON below a sentence; empty where the model is not given it."""
    if not meme.text:
        return ""
    title = 'The caption of the meme, quoted (" // " stands between its parts)'
    return f"\n{title}:\n{compact(meme.text)}\n"


def _pictures(meme: MemeInput) -> tuple[Any, ...]:
    return () if meme.picture is None else (meme.picture,)
