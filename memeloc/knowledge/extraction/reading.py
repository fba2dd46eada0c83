"""Reading stored answers. In: `KnowledgeAnswer`s, a recipe. Out: `MemeKnowledge`, meme by meme.

Ids are the model's own, made ASCII and unique here. Nothing that a model wrote ends the reading: a
dimension whose answer is no use is missing, with a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.dimensions import Recipe
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)

NOT_ASKED = "it was not asked yet"
_LONGEST_SLUG = 50
_OTHER_LETTERS = re.compile(r"[^a-z0-9]+")


def slug(text: str) -> str:
    """The text as an id: small ASCII letters and digits with - between; empty if it has none.

    >>> slug("Grey Cat_2"), slug("Café"), slug("चाय")
    ('grey-cat-2', 'cafe', '')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHER_LETTERS.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")


def knowledge_of(answers: Iterable[KnowledgeAnswer], recipe: Recipe) -> Iterator[MemeKnowledge]:
    """What was found in each meme, version, language and by each model, sorted by these.

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
    """What was found in one meme; its answers are oldest first, and at least one."""
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
    """What was found of a meme by dimension, with that of answers that were not read before."""
    taken = {entity.id for each in knowledge.values() for entity in each.entities}
    for dimension, contexts in recipe.contexts.items():
        if dimension in answers and dimension not in knowledge:
            known = shown_ids(knowledge[each] for each in contexts if each in knowledge)
            knowledge[dimension] = read_dimension(dimension, answers[dimension], known, taken)
            taken.update(entity.id for entity in knowledge[dimension].entities)
    return knowledge


def shown_ids(dimensions: Iterable[DimensionKnowledge]) -> set[str]:
    """The ids of entities that dimensions name or refer to."""
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
    """What was found of a dimension; see `read_value`."""
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
    """What an answer found, by the names of its form.

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
    """The knowledge with what the statements of a dimension rest on.

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
    """The id, with the first number from 2 behind it where it is taken."""
    number, unique = 1, id
    while unique in taken:
        number += 1
        unique = f"{id}-{number}"
    return unique
