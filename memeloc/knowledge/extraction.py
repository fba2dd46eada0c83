"""Extraction. In: a recipe, memes, a model's answers. Out: questions of them, `MemeKnowledge`.

Earlier knowledge is put into questions as compact JSON; so is a caption: all of it is untrusted.
Ids are the model's own, made ASCII and unique here. Nothing that a model wrote ends the reading: a
dimension whose answer is no use is missing, with a sentence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from memeloc.knowledge.dimensions import Dimension, Recipe
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    KnowledgeAnswer,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)
from memeloc.language_models import Answer, Picture, Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.passes import AskedMeme, Key, MemeJob, Pass
from memeloc.language_models.prompts import MemeInput, read_prompt
from memeloc.language_models.questions import content_hash

MOST_ENTITIES = 40  # this and the next two bound an answer that repeats itself
MOST_RELATIONS = 80  # two an entity
MOST_STATEMENTS = 20
"""Of one dimension of a meme."""
EXPECTED = 400
"""Tokens of a usual answer about a dimension."""
NOT_ASKED = "it was not asked yet"

_EXPECTED_LINKS = 60  # tokens of a usual answer about links
_OPEN = "(what is found) ".ljust(4 * EXPECTED)
_NEEDS = {
    "extract": {"name", "definition", "extract", "terms", "language", "earlier", "caption"},
    "link": {"name", "statements", "others", "caption"},
}
_FORBID = ConfigDict(extra="forbid")


def one_line(text: str) -> str:
    """Return the text with single spaces for all white space. Raise ValueError if it is empty, or
    holds a control character."""
    text = " ".join(text.split())
    if not text:
        raise ValueError("it is empty")
    if any(unicodedata.category(letter) == "Cc" for letter in text):
        raise ValueError("it holds a control character")
    return text


def _text(longest: int) -> Any:
    return Annotated[str, Field(max_length=longest), AfterValidator(one_line)]


def _list(of: Any, most: int) -> Any:
    return Annotated[list[of], Field(max_length=most)]


_ID, _LABEL, _STATEMENT = _text(200), _text(300), _text(1000)


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

    def form(name: str, **fields: Any) -> Any:
        typed: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
        return create_model(name, __config__=_FORBID, **typed)

    entity = form("Entity", id=_ID, label=_LABEL, kind=Literal[(*dimension.kinds, "")])
    fields = {"entities": _list(entity, MOST_ENTITIES)}
    if dimension.relations:
        kinds: Any = Literal[tuple(dimension.relations)]
        relation = form("Relation", source=_ID, relation=kinds, target=_ID)
        fields["relations"] = _list(relation, MOST_RELATIONS)
    about = {"text": _STATEMENT, "entities": _list(_ID, MOST_ENTITIES)}
    if dimension.values:
        about["value"] = Literal[tuple(dimension.values)]
    fields["statements"] = _list(form("Statement", **about), MOST_STATEMENTS)
    whole: type[BaseModel] = form(dimension.class_name, **fields)
    return whole


class Extraction:
    """Questions of a recipe. Raise InputError if the prompt's file is wrong.

    Args:
        prompt: a TOML file with the texts `system`, `extract` and `link`; empty for the shipped.
    """

    def __init__(self, recipe: Recipe, prompt: str = "") -> None:
        self.recipe = recipe
        shipped = files(__package__) / "prompts" / "extraction.toml"
        self.prompt = read_prompt(prompt or shipped, _NEEDS)
        self._forms = {each.id: dimension_form(each) for each in recipe.dimensions}

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of all that is the same for every meme: texts, forms, recipe."""
        schemas = [*map(strict_schema, self._forms.values()), strict_schema(LinksForm)]
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
        about = self.recipe.by_id[dimension]
        shown = [knowledge[each] for each in self.recipe.contexts[dimension] if each in knowledge]
        ids = shown_ids(shown)
        earlier = {
            each.dimension: {
                "entities": [[entity.id, entity.label, entity.kind] for entity in each.entities],
                "relations": [[edge.source, edge.name, edge.target] for edge in each.relations],
                "statements": [
                    f"{statement.text} ({statement.value})" if statement.value else statement.text
                    for statement in each.statements
                ],
            }
            for each in shown
            if each.entities or each.statements
        }
        title = (
            "\nFound before, by dimension (an entity is its id, label and kind; a relation its "
            "source, name and target):\n"
        )
        terms = {
            'Kinds of entities ("" where none fits)': about.kinds,
            "Relations, from a source to a target": about.relations,
            "Values, of which each statement has one": about.values,
        }
        values = {
            "name": about.name,
            "definition": about.definition,
            "extract": about.extract,
            "terms": "\n".join(
                f"{heading}:" + "".join(f"\n- {name}: {text}" for name, text in names.items())
                for heading, names in terms.items()
                if names
            ),
            "language": language,
            "earlier": (f"{title}{_compact(earlier)}\n" if earlier else "") + _OPEN * open,
            "caption": quoted_caption(meme),
        }

        def check(value: BaseModel) -> None:
            read_value(dimension, value.model_dump(), ids)

        messages = self.prompt.fill("extract", values, pictures_of(meme))
        return Question(messages, self._forms[dimension], mark=meme, expected=EXPECTED, check=check)

    def link_question(
        self, meme: MemeInput, knowledge: Mapping[str, DimensionKnowledge], *, open: int = 0
    ) -> Question[Any] | None:
        """Return which statements those of the recipe's `link` rest on; None where there are none.

        `knowledge` and `open` are as of `question`.
        """
        texts: dict[bool, dict[str, str]] = {True: {}, False: {}}
        for dimension, found in knowledge.items():
            texts[dimension == self.recipe.link] |= {s.id: s.text for s in found.statements}
        if not open and not all(texts.values()):
            return None
        values = {
            "name": self.recipe.by_id[self.recipe.link].name,
            "statements": _compact(texts[True]),
            "others": _compact(texts[False]) + _OPEN * open,
            "caption": quoted_caption(meme),
        }
        messages = self.prompt.fill("link", values, pictures_of(meme))
        return Question(messages, LinksForm, mark=meme, expected=_EXPECTED_LINKS)

    def passes(self, language_name: Callable[[str], str]) -> list[Pass]:
        """Return a pass a dimension, in the recipe's order, and one that links at the end;
        `language_name` gives a language as the model is given it."""
        recipe = self.recipe
        keys: list[Key] = [("extract", each.id) for each in recipe.dimensions]

        def found(meme: AskedMeme) -> dict[str, DimensionKnowledge]:
            answers = meme.answers.items()
            extracted = {str(name): answer for (step, name), answer in answers if step == "extract"}
            return read_answers(extracted, recipe, meme.read)

        def ask(dimension: str, needs: tuple[Key, ...]) -> Pass:
            shown: list[Key] = [("extract", each) for each in recipe.contexts[dimension]]

            def question(meme: AskedMeme) -> Question[Any]:
                name, missing = language_name(meme.language), meme.open(shown)
                return self.question(dimension, meme.input, found(meme), name, open=missing)

            return Pass(("extract", dimension), self.sha256, question, needs, name=dimension)

        def link(meme: AskedMeme) -> Question[Any] | None:
            return self.link_question(meme.input, found(meme), open=meme.open(keys))

        passes = [ask(each.id, tuple(keys[:at])) for at, each in enumerate(recipe.dimensions)]
        if recipe.link:
            key = ("link", recipe.link)
            passes.append(Pass(key, self.sha256, link, tuple(keys), name=recipe.link))
        return passes


def knowledge_answer(
    job: MemeJob, asked: Pass, meme: AskedMeme, answer: Answer[Any], how: Mapping[str, Any]
) -> KnowledgeAnswer:
    """Return what is stored of a model's answer."""
    return KnowledgeAnswer(
        meme.input.id,
        meme.input.content,
        meme.input.version,
        asked.key[0],  # type: ignore[arg-type]
        asked.name,
        job.about["recipe"],
        meme.language,
        job.model,
        asked.prompt,
        answer.status,
        {} if answer.value is None else answer.value.model_dump(mode="json"),
        answer.text,
        how,
        answer.cost,
        job.currency,
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def quoted_caption(meme: MemeInput) -> str:
    """Return the meme's text as JSON below a sentence; empty where the model is not given it."""
    title = 'The caption of the meme, quoted (" // " stands between its parts)'
    return f"\n{title}:\n{_compact(meme.text)}\n" if meme.text else ""


def pictures_of(meme: MemeInput) -> tuple[Picture, ...]:
    """Return the picture that the model is given, if it is given one."""
    return () if meme.picture is None else (meme.picture,)


def slug(text: str) -> str:
    """Return the text as an id: small ASCII letters and digits with - between, or nothing.

    >>> slug("Grey Cat_2"), slug("Café"), slug("चाय")
    ('grey-cat-2', 'cafe', '')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-")


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
    for (meme, version, language, model), group in sorted(groups.items()):
        newest = group[-1].content, group[-1].prompt
        current = [each for each in group if (each.content, each.prompt) == newest]
        extracted = {each.dimension: each for each in current if each.step == "extract"}
        read = read_answers(extracted, recipe, {})
        dimensions = tuple(
            read.get(each) or DimensionKnowledge(each, "missing", reason=NOT_ASKED)
            for each in recipe.contexts
        )
        about = (meme, newest[0], version, language, recipe.name, model)
        knowledge = MemeKnowledge(*about, dimensions)
        linked = [each for each in current if each.step == "link"]
        yield _with_links(knowledge, linked[-1]) if linked else knowledge


def read_answers(
    answers: Mapping[str, KnowledgeAnswer], recipe: Recipe, knowledge: dict[str, DimensionKnowledge]
) -> dict[str, DimensionKnowledge]:
    """Return what was found of a meme by dimension, with that of answers not read before."""
    taken = {entity.id for each in knowledge.values() for entity in each.entities}
    for dimension, contexts in recipe.contexts.items():
        if dimension in answers and dimension not in knowledge:
            ids = shown_ids(knowledge[each] for each in contexts if each in knowledge)
            knowledge[dimension] = _read_dimension(dimension, answers[dimension], ids, taken)
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


def _read_dimension(
    dimension: str, answer: KnowledgeAnswer, shown: Collection[str], taken: Collection[str]
) -> DimensionKnowledge:
    try:
        if answer.status == "answered":
            knowledge = read_value(dimension, answer.value, shown, taken)
            return replace(knowledge, provenance=_provenance(answer))
        what = "the model would not answer" if answer.status == "refused" else "a wrong answer"
        reason = f"{what}: {str(answer.settings.get('reason') or answer.answer)[:500]}"
    except (ValueError, KeyError, TypeError) as error:
        reason = f"the stored answer cannot be read: {error}"
    return DimensionKnowledge(dimension, "missing", reason=reason, provenance=_provenance(answer))


def read_value(
    dimension: str,
    value: Mapping[str, Any],
    shown: Collection[str] = (),
    taken: Collection[str] = (),
) -> DimensionKnowledge:
    """Return what an answer found, by the names of its form. Raise ValueError if it refers to an
    entity that nobody named, or relates one to itself. The sentence is one for the model.

    Args:
        shown: ids that the model was shown, and may refer to.
        taken: ids that its own entities cannot have.
    """
    ids: dict[str, str] = {}
    entities: dict[str, Entity] = {}
    for each in value["entities"]:
        id = slug(each["id"]) or slug(each["label"]) or each["kind"] or "entity"
        if id not in shown:
            if id in entities and entities[id].label == each["label"]:
                continue
            first, number = id, 1
            while id in taken or id in entities:
                number += 1
                id = f"{first}-{number}"
            entities[id] = Entity(id, each["label"], each["kind"], dimension)
        ids.setdefault(each["id"], id)

    def named(id: str) -> str:
        resolved = ids.get(id) or slug(id)
        if resolved not in shown and resolved not in entities:
            raise ValueError(
                f"no entity has the id {id[:60]!r}: list it among the entities, or use the id of "
                "an entity that was found before"
            )
        return resolved

    relations: dict[Relation, None] = {}
    for each in value.get("relations", ()):
        source, name, target = named(each["source"]), each["relation"], named(each["target"])
        if source == target:
            raise ValueError(f"the relation {name} joins {source!r} to itself")
        relations[Relation(source, name, target, dimension)] = None
    statements = []
    for number, each in enumerate(value["statements"], 1):
        about = tuple(dict.fromkeys(named(id) for id in each["entities"]))
        id = f"{dimension}-{number}"
        statements.append(Statement(id, dimension, each["text"], about, each.get("value", "")))
    return DimensionKnowledge(
        dimension,
        "answered" if statements else "empty",
        tuple(entities.values()),
        tuple(relations),
        tuple(statements),
    )


def _with_links(knowledge: MemeKnowledge, answer: KnowledgeAnswer) -> MemeKnowledge:
    """Return the knowledge with what the statements of a dimension rest on.

    Links to nothing, to itself or within the dimension (which could go in a circle) are dropped,
    with a note.
    """
    of, dimension_of = answer.dimension, {s.id: s.dimension for s in knowledge.statements()}
    rests_on: dict[str, dict[str, None]] = defaultdict(dict)
    notes = []
    for link in answer.value.get("links", ()):
        source = slug(link["statement"])
        for target in map(slug, link["rests_on"]):
            if dimension_of.get(source) != of:
                notes.append(f"dropped: {source!r} is no statement of {of}")
            elif target not in dimension_of:
                notes.append(f"dropped: {source} rests on {target!r}, which is no statement")
            elif dimension_of[target] == of:
                notes.append(f"dropped: {source} rests on {target}, of the same dimension")
            else:
                rests_on[source][target] = None
    if answer.status != "answered":
        notes = [f"without links: {answer.settings.get('reason') or answer.answer}"[:500]]
    dimensions = []
    for each in knowledge.dimensions:
        if each.dimension == of:
            linked = (replace(s, rests_on=tuple(rests_on[s.id])) for s in each.statements)
            each = replace(each, statements=tuple(linked))
        dimensions.append(each)
    provenance = _provenance(answer)
    return replace(knowledge, dimensions=tuple(dimensions), linked=provenance, notes=tuple(notes))


def _provenance(answer: KnowledgeAnswer) -> Provenance:
    settings = dict(answer.settings)
    # Of the run's options these are what was wished for; `sent` has what the request held.
    run = {k: v for k, v in settings.pop("run", {}).items() if k not in ("temperature", "seed")}
    settings |= {"run": run} if run else {}
    server_model, question = settings.pop("served", ""), settings.pop("question", "")
    date = settings.pop("answered", "") or answer.created_at
    return Provenance(answer.model, str(server_model), str(question), str(date), settings)


_REASONS = 20
"""Sentences about what is missing that are given."""


def extraction_figures(
    memes: Sequence[MemeKnowledge], answers: Iterable[KnowledgeAnswer]
) -> dict[str, Any]:
    """Return how far an extraction is: how many `memes`, and by dimension how many are `answered`,
    `empty` (the model found no statement), `missing` (no answer could be read) and `open`; `linked`
    are memes with an answer of the linking step, `links` what statements rest on; `cost` is by
    currency of all `answers`, questions too, and `last` the time of the newest; `reasons` are the
    first sentences about what is missing, and `notes` about what was dropped of links."""
    cost: dict[str, float] = defaultdict(float)
    last = ""
    for answer in answers:
        cost[answer.currency] += answer.cost
        last = max(last, answer.created_at)
    dimensions = []
    for of_memes in zip(*(meme.dimensions for meme in memes), strict=True):
        states = Counter("open" if each.reason == NOT_ASKED else each.state for each in of_memes)
        row = {"dimension": of_memes[0].dimension}
        row |= {state: states[state] for state in ("answered", "empty", "missing", "open")}
        for name in ("entities", "relations", "statements"):
            row[name] = sum(len(getattr(each, name)) for each in of_memes)
        dimensions.append(row)
    reasons = [
        f"{meme.meme}, {each.dimension}: {each.reason}"
        for meme in memes
        for each in meme.dimensions
        if each.state == "missing" and each.reason != NOT_ASKED
    ]
    return {
        "memes": len(memes),
        "dimensions": dimensions,
        "linked": sum(meme.linked is not None for meme in memes),
        "links": sum(len(each.rests_on) for meme in memes for each in meme.statements()),
        "cost": {currency: round(value, 6) for currency, value in cost.items()},
        "last": last,
        "reasons": reasons[:_REASONS],
        "notes": [f"{meme.meme}: {note}" for meme in memes for note in meme.notes][:_REASONS],
    }
