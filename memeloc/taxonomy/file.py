"""Taxonomies' files. In: the name of a shipped taxonomy, or a TOML. Out: a checked `Taxonomy`.

The TOML says which labels there are, which question follows, and which examples explain them. The
texts of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of a team's
own brings its texts along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc import resources
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.model import Caption
from memeloc.settings import parse_toml, read_toml, shipped_file, shipped_names, validate
from memeloc.taxonomy.model import LABEL, Example, Flag, Id, Ids, Label, Question, Taxonomy

FOLDER = Path(__file__).parent / "taxonomies"
SOURCE = "en"
"""The language that every taxonomy has its texts in, and that others fall back to."""
MOST_OF_LIFE = "most-of-life"
"""The question whether somebody spent most of their life in the country (multi3hate 3.3)."""
_DEMOGRAPHICS = Path(__file__).parent / "demographics.toml"
_LONGEST_KEY = 93
"""Characters of a text's name: with `survey:` before it, it becomes an id in the store."""
_COLUMNS = frozenset(
    {
        LABEL, "item", "meme-id", "culture", "participant", "person", "state", "answers", "votes",
        "abstained", "rejected", "reasons", "consent", "comments", "answer", "submitted", "sheet",
        "number", "picture", "text", "question",
    }
)  # fmt: skip
"""What columns of tables are called that have a column for each question as well."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: tuple[Question, ...] = Field((), alias="question")


class _File(_Block):
    name: Id
    labels: tuple[Label, ...] = Field(alias="label", min_length=2)
    examples: tuple[Example, ...] = Field(alias="example", min_length=1)
    source: str = ""
    most_severe: Flag = False
    rules: Ids = ()
    ask_subcategories: Flag = False
    item_text: Literal["", "question"] = ""
    texts: dict[str, dict[str, Any]] = Field({}, alias="text")


def taxonomy_names() -> tuple[str, ...]:
    """Return the names of the shipped taxonomies, sorted."""
    return shipped_names(FOLDER)


def load_taxonomy(name: str | Path) -> Taxonomy:
    """Return a shipped taxonomy by its name, or one of your own by its file. Raise InputError if
    there is none of that name, or the file says something that cannot be."""
    path = shipped_file(name, FOLDER, "taxonomy")
    return _taxonomy(read_toml(path), path, ships=path.resolve().parent == FOLDER.resolve())


def parse_taxonomy(text: str) -> Taxonomy:
    """Return a taxonomy of your own from its TOML. Raise InputError if it says something that
    cannot be."""
    return _taxonomy(parse_toml(text), None, ships=False)


def _taxonomy(values: Mapping[str, Any], path: Path | None, *, ships: bool) -> Taxonomy:
    file = validate(_File, values, "the taxonomy", file=path)
    taxonomy = complete(Taxonomy(**{**dict(file), "texts": _texts(file, path)}))
    for problem in _problems(taxonomy, ships=ships):
        raise InputError(problem, file=path)
    return taxonomy


def complete(taxonomy: Taxonomy) -> Taxonomy:
    """Return the taxonomy with what its file leaves to be understood.

    The questions for finer kinds come first, each after its label. Whoever skips or rejects an item
    is asked nothing more about it, so a question that is always asked comes after all other labels.
    """
    finer = [
        Question(label.kinds_id, answers=label.subcategories, when={LABEL: (label.id,)})
        for label in taxonomy.labels
        # Of a single finer kind there is nothing to ask.
        if taxonomy.ask_subcategories and len(label.subcategories) > 1
    ]
    going_on = tuple(label.id for label in taxonomy.of_role("vote", "abstain"))
    questions = [
        replace(question, when={LABEL: going_on})
        if not (question.when or question.before or question.about == "person")
        and len(going_on) < len(taxonomy.labels)
        else question
        for question in taxonomy.questions
    ]
    return replace(taxonomy, questions=(*finer, *questions))


def _texts(file: _File, path: Path | None) -> dict[str, dict[str, str]]:
    """Return the texts by language and name, in the tags of locales: zh-CN becomes zh-Hans."""
    by_tag: dict[str, dict[str, str]] = {}
    for tag, tables in file.texts.items():
        exact = canonical(tag)
        if not is_well_formed(exact):
            raise InputError(
                f"[text.{tag[:40]}] names no language; write a tag such as de or pt-BR", file=path
            )
        texts = by_tag.setdefault(exact, {})
        waiting: list[tuple[str, Any]] = [("", tables)]
        while waiting:
            name, value = waiting.pop()
            if isinstance(value, dict):
                waiting += ((f"{name}.{key}", inner) for key, inner in value.items())
            elif isinstance(value, str):
                text = unicodedata.normalize("NFC", value.strip())
                texts[f"taxonomy.{file.name}{name}"] = text
            else:
                raise InputError(
                    f"the text {name[1:80]!r} in [text.{tag[:40]}] has to be a text in quotation "
                    "marks",
                    file=path,
                )
    for exact in tuple(by_tag):
        locale = default().get(exact).tag if exact in default() else exact
        if locale not in by_tag:
            by_tag[locale] = by_tag.pop(exact)
    return by_tag


@cache
def demographic_questions() -> dict[str, Question]:
    """Return the shipped questions about the person by id, in their order."""
    values = read_toml(_DEMOGRAPHICS)
    block = validate(_Block, values, "the demographic questions", file=_DEMOGRAPHICS)
    return {question.id: replace(question, about="person") for question in block.questions}


def with_demographics(taxonomy: Taxonomy, ids: Sequence[str]) -> Taxonomy:
    """Return the taxonomy with these questions about the person at its end, in their own order.
    Raise InputError if there is no such question, or the taxonomy has another one of that id."""
    shipped = demographic_questions()
    for id in ids:
        if id not in shipped:
            raise InputError(
                f"There is no question {id[:40]!r} about the person; there are {', '.join(shipped)}"
            )
        if taxonomy.question(id) is not None:
            raise InputError(
                f"{taxonomy.name} has a question {id!r} of its own; leave one of them out"
            )
    asked = {id: question for id, question in shipped.items() if id in ids}
    questions = (*taxonomy.questions, *asked.values())
    return replace(taxonomy, questions=questions, demographics=tuple(asked))


def without_drafts(taxonomy: Taxonomy) -> Taxonomy:
    """Return the taxonomy for items without drafts of answers.

    That is without the questions whose answers are drafted, and those that only lead to them.
    """
    drafted = [each for each in taxonomy.questions if each.item_text == "answer"]
    others = [each for each in taxonomy.questions if each.item_text != "answer"]
    only = {name for each in drafted for name in each.when}
    only -= {name for each in others for name in each.when}
    return replace(taxonomy, questions=tuple(each for each in others if each.id not in only))


def _problems(taxonomy: Taxonomy, *, ships: bool) -> Iterator[str]:
    """Yield what is wrong with a taxonomy, as sentences; of one that ships texts stand elsewhere.

    Raised is only the first: what comes later may rely on what was looked at before.
    """
    voting, abstaining = taxonomy.of_role("vote"), taxonomy.of_role("abstain")
    labels = tuple(label.id for label in taxonomy.labels)
    for what, names in (
        ("label", labels),
        ("example", [example.id for example in taxonomy.examples]),
        ("rule", taxonomy.rules),
        *((f"subcategory of {label.id!r}", label.subcategories) for label in taxonomy.labels),
        ("question", [question.id for question in taxonomy.questions]),
        *((f"answer of {question.id!r}", question.answers) for question in taxonomy.questions),
    ):
        for name, times in Counter(names).items():
            if times > 1:
                yield f"the {what} {name!r} is there twice"
    if len(abstaining) > 1:
        yield (
            f"two labels abstain, {abstaining[0].id!r} and {abstaining[1].id!r}; "
            'one is enough to say "I don\'t know"'
        )
    if len(voting) < 2:
        yield "there have to be two labels that people vote for"
    by_severity: dict[int, str] = {}
    for label in voting:
        if taxonomy.groups and not label.group:
            yield f"the label {label.id!r} has no group, and others have; give all of them one"
        other = by_severity.setdefault(label.severity, label.id)
        if taxonomy.most_severe and other != label.id:
            yield (
                f"the most severe label wins, and {other!r} and {label.id!r} both have the "
                f"severity {label.severity}; give each label one of its own"
            )
    built_in = {folder.name for folder in resources.folder("templates").iterdir()}
    for example in taxonomy.examples:
        where = f"the example {example.id!r} names"
        if example.label not in labels:
            yield f"{where} the label {example.label!r}; there are {', '.join(labels)}"
        if example.label not in [label.id for label in voting]:
            yield f"{where} the label {example.label!r}, which is no vote; name another"
        if example.template not in built_in:
            yield (
                f"{where} the template {example.template[:60]!r}, and no "
                "built-in one is called so; `memeloc templates show` names them"
            )
    earlier = {LABEL: labels}
    for question in taxonomy.questions:
        for problem in _question_problems(taxonomy, question, earlier):
            yield f"the question {question.id!r} {problem}"
        if question.answers:
            earlier[question.id] = question.answers
    if not ships:
        yield from _text_problems(taxonomy)


def _question_problems(
    taxonomy: Taxonomy, question: Question, earlier: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    fewest = {"choice": 2, "choices": 1}.get(question.kind, 0)
    is_of_person = question.about == "person"
    if question.id in _COLUMNS:
        yield "has a name that tables use for something else; give it another"
    if len(question.answers) < fewest:
        yield "has too few answers to choose from; write answers = [...]"
    if question.answers and not fewest:
        yield f"is a {question.kind}, which has no answers to choose from"
    if (question.kind == "scale") != (question.scale is not None):
        yield 'needs both of kind = "scale" and scale = [least, greatest], or none'
    if question.scale and question.scale[0] >= question.scale[1]:
        yield "has a scale whose first number is not the smaller one"
    if is_of_person and (question.item_text or question.kind == "span"):
        yield "is about the person, so there is no text of an item"
    if question.item_text == "answer" and question.kind != "text":
        yield 'has drafts of its answers; they go with kind = "text" only'
    if question.before and LABEL in question.when:
        yield "comes before the one for the label, so it cannot be asked after that"
    for name, answers in question.when.items():
        if name not in earlier:
            yield (
                f"is asked after {name!r}, and no question with answers to choose from "
                f"is called so and comes before it; there are {', '.join(earlier)}"
            )
        other = taxonomy.question(name)
        if is_of_person != (other is not None and other.about == "person"):
            yield f"is asked after {name!r}, but one of them is about the person"
        for answer in answers:
            if answer not in earlier[name]:
                yield (
                    f"is asked after the answer {answer!r} to {name!r}, which has "
                    f"{', '.join(earlier[name])}"
                )


def _text_problems(taxonomy: Taxonomy) -> Iterator[str]:
    from memeloc.templates import load_template  # it opens pictures, with Pillow

    if taxonomy.name in taxonomy_names():
        yield f"a shipped taxonomy is called {taxonomy.name!r}; give yours another name"
    before = f"taxonomy.{taxonomy.name}."
    keys = [key.removeprefix(before) for key in taxonomy.keys()]  # noqa: SIM118
    for key in keys:
        if len(before + key) > _LONGEST_KEY:
            yield (
                f"the text {before + key!r} has a name of {len(before + key)} characters, and "
                f"{_LONGEST_KEY} are the limit; shorten the ids"
            )
    asked = [each for each in taxonomy.questions if taxonomy.whose_kinds(each) is None]
    to_choose_from = [[f"label.{label.id}.name" for label in taxonomy.labels]]
    to_choose_from += [[f"questions.{q.id}.answer.{name}" for name in q.answers] for q in asked]
    with_text = ["question"] if taxonomy.item_text else []
    with_text += [f"questions.{q.id}.text" for q in asked if q.item_text == "question"]
    for tag in (SOURCE, *sorted(taxonomy.texts)):
        where = f"in [text.{tag}]"
        texts = {
            key.removeprefix(before): text for key, text in taxonomy.texts.get(tag, {}).items()
        }
        for key in keys:
            if not texts.get(key):
                yield f"the text {key!r} is missing {where}"
        for key in texts.keys() - set(keys):
            yield f"the text {key[:80]!r} {where} belongs to nothing that this taxonomy has"
        for key in with_text:
            if "{text}" not in texts[key]:
                yield (
                    f"the text {key!r} {where} does not say where the item's own text stands; "
                    "write {text} there"
                )
        for answers in to_choose_from:
            seen: dict[str, str] = {}
            for text in map(texts.__getitem__, answers):
                plain = " ".join(text.split()).casefold()
                if plain in seen:
                    name = seen[plain][:60]
                    yield f"two answers are called {name!r} {where}; nobody could tell them apart"
                seen[plain] = text
        for example in taxonomy.examples:
            boxes = len(load_template(resources.folder("templates") / example.template).boxes)
            parts = len(Caption.parse(texts[f"example.{example.id}.caption"]).parts)
            if parts != boxes:
                yield (
                    f"the caption of the example {example.id!r} has {counted(parts, 'part')} "
                    f"{where}, and the template {example.template!r} has {boxes} boxes; ` // ` "
                    "stands between two parts"
                )
