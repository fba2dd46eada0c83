"""Extraction. In: a recipe, memes, a model's answers. Out: questions of them, `MemeKnowledge`.

Earlier knowledge is put into questions as compact JSON; so is a caption: all of it is untrusted.
Ids are the model's own, made ASCII and unique here. Nothing that a model wrote ends the reading: a
dimension whose answer is no use is missing, with a sentence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.dimensions import Dimension, Recipe
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)
from memeloc.language_models import Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.prompts import MemeInput, Prompt, read_prompt
from memeloc.language_models.questions import content_hash

MOST_ENTITIES = 40
MOST_RELATIONS = 80
MOST_STATEMENTS = 20
"""Of one dimension of a meme."""
LONGEST_LABEL = 300
LONGEST_STATEMENT = 1000
"""Characters."""
_LONGEST_ID = 200

_FORBID = ConfigDict(extra="forbid")


def one_line(text: str) -> str:
    """Return the text with single spaces for all white space.

    Raises:
        ValueError: it is empty, or holds a control character.
    """
    text = " ".join(text.split())
    if not text:
        raise ValueError("it is empty")
    if any(unicodedata.category(letter) == "Cc" for letter in text):
        raise ValueError("it holds a control character")
    return text


def _text(longest: int) -> Any:
    return Annotated[str, Field(max_length=longest), AfterValidator(one_line)]


_ID = _text(_LONGEST_ID)


class LinkForm(BaseModel):
    """What a statement rests on."""  # stands in the schema that models get, so it stays

    model_config = _FORBID

    statement: _ID  # type: ignore[valid-type]
    rests_on: Annotated[list[_ID], Field(max_length=MOST_STATEMENTS)]  # type: ignore[valid-type]


class LinksForm(BaseModel):
    """An answer of the linking step."""

    model_config = _FORBID

    links: Annotated[list[LinkForm], Field(max_length=MOST_STATEMENTS)]


def dimension_form(dimension: Dimension) -> type[BaseModel]:
    """Return the form of an answer about a dimension."""
    entity = _form("Entity", id=_ID, label=_text(LONGEST_LABEL), kind=_choice(dimension.kinds, ""))
    fields: dict[str, Any] = {"entities": _list(entity, MOST_ENTITIES)}
    if dimension.relations:
        name = _choice(dimension.relations)
        relation = _form("Relation", source=_ID, relation=name, target=_ID)
        fields["relations"] = _list(relation, MOST_RELATIONS)
    about: dict[str, Any] = {
        "text": _text(LONGEST_STATEMENT),
        "entities": _list(_ID, MOST_ENTITIES),
    }
    if dimension.values:
        about["value"] = _choice(dimension.values)
    fields["statements"] = _list(_form("Statement", **about), MOST_STATEMENTS)
    return _form(dimension.class_name, **fields)


def _form(name: str, **fields: Any) -> type[BaseModel]:
    typed: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, __config__=_FORBID, **typed)


def _choice(names: Mapping[str, str], *more: str) -> Any:
    return Literal[(*names, *more)]


def _list(of: Any, most: int) -> Any:
    return Annotated[list[of], Field(max_length=most)]


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
        """Return what is asked about a dimension of a meme.

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
        """Return which statements those of the recipe's `link` rest on; None where there are none.

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
    """Return what was found of dimensions as compact JSON; those without anything are left out."""
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
    """Return the meme's text as JSON below a sentence; empty where the model is not given it."""
    if not meme.text:
        return ""
    title = 'The caption of the meme, quoted (" // " stands between its parts)'
    return f"\n{title}:\n{compact(meme.text)}\n"


def _pictures(meme: MemeInput) -> tuple[Any, ...]:
    return () if meme.picture is None else (meme.picture,)


NOT_ASKED = "it was not asked yet"
_LONGEST_SLUG = 50
_OTHER_LETTERS = re.compile(r"[^a-z0-9]+")


def slug(text: str) -> str:
    """Return the text as an id: small ASCII letters and digits with - between, or nothing.

    >>> slug("Grey Cat_2"), slug("Café"), slug("चाय")
    ('grey-cat-2', 'cafe', '')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHER_LETTERS.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")


def knowledge_of(answers: Iterable[KnowledgeAnswer], recipe: Recipe) -> Iterator[MemeKnowledge]:
    """Return what was found in each meme, version, language and by each model, sorted by these.

    Of a meme whose picture or prompt has changed, only answers to the newest count.

    Args:
        answers: of a recipe, oldest first; those of other steps are left out.
    """
    groups: dict[tuple[str, ...], list[KnowledgeAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.step in ("extract", "link") and answer.recipe == recipe.name:
            key = (answer.item, answer.version, answer.language, answer.model)
            groups[key].append(answer)
    for _, group in sorted(groups.items()):
        newest = group[-1]
        yield meme_knowledge(
            [
                each
                for each in group
                if (each.content, each.prompt) == (newest.content, newest.prompt)
            ],
            recipe,
        )


def meme_knowledge(answers: Sequence[KnowledgeAnswer], recipe: Recipe) -> MemeKnowledge:
    """Return what was found in one meme; its answers are oldest first, and at least one."""
    first = answers[0]
    extracted = {each.dimension: each for each in answers if each.step == "extract"}
    linked = [each for each in answers if each.step == "link"]
    by_dimension = read_answers(extracted, recipe, {})
    knowledge = MemeKnowledge(
        *(first.item, first.content, first.version, first.language, recipe.name, first.model),
        dimensions=tuple(
            by_dimension.get(each) or DimensionKnowledge(each, "missing", reason=NOT_ASKED)
            for each in recipe.contexts
        ),
    )
    return _with_links(knowledge, linked[-1]) if linked else knowledge


def read_answers(
    answers: Mapping[str, KnowledgeAnswer], recipe: Recipe, knowledge: dict[str, DimensionKnowledge]
) -> dict[str, DimensionKnowledge]:
    """Return what was found of a meme by dimension, with that of answers not read before."""
    taken = {entity.id for each in knowledge.values() for entity in each.entities}
    for dimension, contexts in recipe.contexts.items():
        if dimension in answers and dimension not in knowledge:
            known = shown_ids(knowledge[each] for each in contexts if each in knowledge)
            knowledge[dimension] = read_dimension(dimension, answers[dimension], known, taken)
            taken.update(entity.id for entity in knowledge[dimension].entities)
    return knowledge


def shown_ids(dimensions: Iterable[DimensionKnowledge]) -> set[str]:
    """Return the ids of entities that dimensions name or refer to."""
    ids: set[str] = set()
    for each in dimensions:
        ids.update(entity.id for entity in each.entities)
        ids.update(id for relation in each.relations for id in (relation.source, relation.target))
        ids.update(id for statement in each.statements for id in statement.entities)
    return ids


def read_dimension(
    dimension: str,
    answer: KnowledgeAnswer,
    known: Collection[str] = (),
    taken: Collection[str] = (),
) -> DimensionKnowledge:
    """Return what was found of a dimension; see `read_value`."""
    provenance = _provenance(answer)
    if answer.status != "answered":
        reason = str(answer.settings.get("reason") or answer.answer)[:500]
        what = "the model would not answer" if answer.status == "refused" else "a wrong answer"
        return DimensionKnowledge(
            dimension, "missing", reason=f"{what}: {reason}", provenance=provenance
        )
    try:
        knowledge = read_value(dimension, answer.value, known, taken)
    except (ValueError, KeyError, TypeError) as error:
        reason = f"the stored answer cannot be read: {error}"
        return DimensionKnowledge(dimension, "missing", reason=reason, provenance=provenance)
    return replace(knowledge, provenance=provenance)


def read_value(
    dimension: str,
    value: Mapping[str, Any],
    known: Collection[str] = (),
    taken: Collection[str] = (),
) -> DimensionKnowledge:
    """Return what an answer found, by the names of its form.

    Args:
        known: ids that the model was shown, and may refer to.
        taken: ids that its own entities cannot have.

    Raises:
        ValueError: it refers to an entity that nobody named, or relates one to itself. The sentence
            is one for the model.
    """
    ids: dict[str, str] = {}
    entities: dict[str, Entity] = {}
    for each in value["entities"]:
        id = slug(each["id"]) or slug(each["label"]) or each["kind"] or "entity"
        if id not in known:
            if id in entities and entities[id].label == each["label"]:
                continue
            id = _unique(id, {*taken, *entities})
            entities[id] = Entity(id, each["label"], each["kind"], dimension)
        ids.setdefault(each["id"], id)

    def named(id: str) -> str:
        resolved = ids.get(id) or slug(id)
        if resolved not in known and resolved not in entities:
            raise ValueError(
                f"no entity has the id {id[:60]!r}: list it among the entities, or use the id of "
                "an entity that was found before"
            )
        return resolved

    relations = []
    for each in value.get("relations", ()):
        relation = Relation(
            named(each["source"]), each["relation"], named(each["target"]), dimension
        )
        if relation.source == relation.target:
            raise ValueError(f"the relation {relation.name} joins {relation.source!r} to itself")
        relations.append(relation)
    statements = tuple(
        Statement(
            f"{dimension}-{number}",
            dimension,
            each["text"],
            tuple(dict.fromkeys(named(id) for id in each["entities"])),
            each.get("value", ""),
        )
        for number, each in enumerate(value["statements"], 1)
    )
    return DimensionKnowledge(
        dimension,
        "answered" if statements else "empty",
        tuple(entities.values()),
        tuple(dict.fromkeys(relations)),
        statements,
    )


def _with_links(knowledge: MemeKnowledge, answer: KnowledgeAnswer) -> MemeKnowledge:
    """Return the knowledge with what the statements of a dimension rest on.

    Links to nothing, to itself or within the dimension (which could go in a circle) are dropped,
    with a note.
    """
    rests_on, notes = read_links(
        answer.dimension, answer.value, {each.id: each.dimension for each in knowledge.statements()}
    )
    if answer.status != "answered":
        notes = [f"without links: {answer.settings.get('reason') or answer.answer}"[:500]]
    dimensions = tuple(
        replace(
            each,
            statements=tuple(
                replace(statement, rests_on=tuple(rests_on.get(statement.id, ())))
                for statement in each.statements
            ),
        )
        if each.dimension == answer.dimension
        else each
        for each in knowledge.dimensions
    )
    return replace(knowledge, dimensions=dimensions, linked=_provenance(answer), notes=tuple(notes))


def read_links(
    dimension: str, value: Mapping[str, Any], statements: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[str]]:
    """By statement of the dimension those that it rests on, and a note of each link dropped.

    Args:
        statements: by id of each statement of the meme its dimension.
    """
    rests_on: dict[str, list[str]] = defaultdict(list)
    notes = []
    for link in value.get("links", ()):
        source = slug(link["statement"])
        for target in map(slug, link["rests_on"]):
            if statements.get(source) != dimension:
                notes.append(f"dropped: {source!r} is no statement of {dimension}")
            elif target not in statements:
                notes.append(f"dropped: {source} rests on {target!r}, which is no statement")
            elif statements[target] == dimension:
                notes.append(f"dropped: {source} rests on {target}, of the same dimension")
            elif target not in rests_on[source]:
                rests_on[source].append(target)
    return rests_on, notes


def _provenance(answer: KnowledgeAnswer) -> Provenance:
    settings = dict(answer.settings)
    # Of the run's options these are what was wished for; `sent` has what the request held.
    run = {k: v for k, v in settings.pop("run", {}).items() if k not in ("temperature", "seed")}
    settings |= {"run": run} if run else {}
    served, question = settings.pop("served", ""), settings.pop("question", "")
    date = settings.pop("answered", "") or answer.created_at
    return Provenance(answer.model, str(served), str(question), str(date), settings)


def _unique(id: str, taken: Collection[str]) -> str:
    """Return the id, with the first number from 2 behind it where it is taken."""
    number, unique = 1, id
    while unique in taken:
        number += 1
        unique = f"{id}-{number}"
    return unique
