"""Taxonomies' files. In: the name of a shipped taxonomy, or a TOML. Out: a checked `Taxonomy`.

The TOML says which labels there are, which question follows, and which examples explain them. The
texts of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of a team's
own brings its texts along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc import resources
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.model import Caption
from memeloc.settings import parse_toml, read_toml, validate
from memeloc.taxonomy.model import (
    LABEL,
    Example,
    Flag,
    Id,
    Ids,
    Label,
    Question,
    Taxonomy,
    kinds_id,
)

_TAKEN = frozenset(
    {
        LABEL, "item", "meme-id", "culture", "participant", "person", "state", "answers", "votes",
        "abstained", "rejected", "reasons", "consent", "comments", "answer", "submitted", "sheet",
        "number", "picture", "text", "question",
    }
)  # fmt: skip
"""What columns of tables are called that have a column for each question as well."""


def complete(taxonomy: Taxonomy) -> Taxonomy:
    """The taxonomy with what its file leaves to be understood.

    The questions for finer kinds come first, each after its label. Whoever skips or rejects an item
    is asked nothing more about it, so a question that is always asked comes after all other labels.
    """
    finer = tuple(
        Question(kinds_id(label), answers=label.subcategories, when={LABEL: (label.id,)})
        for label in taxonomy.labels
        # Of a single finer kind there is nothing to ask.
        if taxonomy.ask_subcategories and len(label.subcategories) > 1
    )
    going_on = tuple(label.id for label in taxonomy.of_role("vote", "abstain"))
    own = tuple(
        replace(question, when={LABEL: going_on})
        if not (question.when or question.before or question.about == "person")
        and len(going_on) < len(taxonomy.labels)
        else question
        for question in taxonomy.questions
    )
    return replace(taxonomy, questions=(*finer, *own))


def without_drafts(taxonomy: Taxonomy) -> Taxonomy:
    """The taxonomy for items without drafts of answers.

    Without the questions whose answers are drafted, and those that only lead to them.
    """
    kept = [each for each in taxonomy.questions if each.item_text != "answer"]
    drafted = [each for each in taxonomy.questions if each.item_text == "answer"]
    lead_to, lead_on = ({name for each in some for name in each.when} for some in (drafted, kept))
    only = lead_to - lead_on
    return replace(taxonomy, questions=tuple(each for each in kept if each.id not in only))


def question_problems(taxonomy: Taxonomy) -> Iterator[str]:
    """What is wrong with the questions of a complete taxonomy, as sentences."""
    yield from repeated("question", [question.id for question in taxonomy.questions])
    earlier = {LABEL: tuple(label.id for label in taxonomy.labels)}
    for question in taxonomy.questions:
        what = f"the question {question.id!r}"
        if question.id in _TAKEN:
            yield f"{what} has a name that tables use for something else; give it another"
        yield from _kind_problems(question, what)
        people = question.about == "person"
        if question.before and LABEL in question.when:
            yield f"{what} comes before the one for the label, so it cannot be asked after that"
        for name, answers in question.when.items():
            if name not in earlier:
                yield (
                    f"{what} is asked after {name!r}, and no question with answers to choose from "
                    f"is called so and comes before it; there are {', '.join(earlier)}"
                )
                continue
            other = taxonomy.question(name)
            if people != (other is not None and other.about == "person"):
                yield f"{what} is asked after {name!r}, but one of them is about the person"
            yield from repeated(f"answer that {question.id!r} is asked after", answers)
            for answer in answers:
                if answer not in earlier[name]:
                    yield (
                        f"{what} is asked after the answer {answer!r} to {name!r}, which has "
                        f"{', '.join(earlier[name])}"
                    )
        if question.answers:
            earlier[question.id] = question.answers


def _kind_problems(question: Question, what: str) -> Iterator[str]:
    chosen = question.kind in ("choice", "choices")
    yield from repeated(f"answer of {question.id!r}", question.answers)
    if chosen and len(question.answers) < (1 if question.kind == "choices" else 2):
        yield f"{what} has too few answers to choose from; write answers = [...]"
    if not chosen and question.answers:
        yield f"{what} is a {question.kind}, which has no answers to choose from"
    if (question.kind == "scale") != (question.scale is not None):
        yield f'{what}: kind = "scale" and scale = [least, greatest] go together'
    if question.scale and question.scale[0] >= question.scale[1]:
        yield f"{what} has a scale whose first number is not the smaller one"
    if question.about == "person" and (question.item_text or question.kind == "span"):
        yield f"{what} is about the person, so there is no text of an item"
    if question.item_text == "answer" and question.kind != "text":
        yield f'{what} has drafts of its answers; they go with kind = "text" only'


def repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    """A sentence for each name that is there more than once."""
    for name, times in Counter(names).items():
        if times > 1:
            yield f"the {what} {name!r} is there twice"


_FILE = Path(__file__).parent / "demographics.toml"

MOST_OF_LIFE = "most-of-life"
"""The question whether somebody spent most of their life in the country (multi3hate 3.3)."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: tuple[Question, ...] = Field(alias="question")


@cache
def demographic_questions() -> dict[str, Question]:
    """The shipped questions about the person by id, in their order."""
    block = validate(_Block, read_toml(_FILE), "the demographic questions", file=_FILE)
    return {question.id: replace(question, about="person") for question in block.questions}


def with_demographics(taxonomy: Taxonomy, ids: Sequence[str]) -> Taxonomy:
    """The taxonomy, and these questions about the person at the sheet's end, in their own order.

    Raises:
        InputError: there is no such question, or the taxonomy has another one of that id.
    """
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
    asked = tuple(question for id, question in shipped.items() if id in ids)
    own = tuple(question.id for question in asked)
    return replace(taxonomy, questions=(*taxonomy.questions, *asked), demographics=own)


FOLDER = Path(__file__).parent / "taxonomies"
SOURCE = "en"
"""The language that every taxonomy has its texts in, and that others fall back to."""

_LONGEST_KEY = 93
"""Characters of a text's name: with `survey:` before it, it becomes an id in the store."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Id
    labels: tuple[Label, ...] = Field(alias="label", min_length=2)
    examples: tuple[Example, ...] = Field(alias="example", min_length=1)
    source: str = ""
    most_severe: Flag = False
    rules: Ids = ()
    questions: tuple[Question, ...] = Field((), alias="question")
    ask_subcategories: Flag = False
    item_text: Literal["", "question"] = ""
    texts: dict[str, dict[str, Any]] = Field({}, alias="text")


def taxonomy_names() -> tuple[str, ...]:
    """The names of the shipped taxonomies, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_taxonomy(name: str | Path) -> Taxonomy:
    """A shipped taxonomy by its name, or one of your own by its file.

    Raises:
        InputError: there is none of that name, or the file says something that cannot be.
    """
    if isinstance(name, str) and name in taxonomy_names():
        path = FOLDER / f"{name}.toml"
    elif isinstance(name, Path) or name.lower().endswith(".toml"):
        path = Path(name)
    else:
        raise InputError(
            f"There is no taxonomy {name[:60]!r}; there are {', '.join(taxonomy_names())}. "
            "One of your own is named by its .toml file."
        )
    return _taxonomy(read_toml(path), path, own=path.resolve().parent != FOLDER.resolve())


def parse_taxonomy(text: str) -> Taxonomy:
    """A taxonomy of your own from its TOML.

    Raises:
        InputError: it says something that cannot be.
    """
    return _taxonomy(parse_toml(text), None, own=True)


def _taxonomy(values: Mapping[str, Any], path: Path | None, *, own: bool) -> Taxonomy:
    file = validate(_File, values, "the taxonomy", file=path)
    taxonomy = complete(Taxonomy(**{**dict(file), "texts": _texts(file, path)}))
    problems = chain(
        _reference_problems(taxonomy),
        question_problems(taxonomy),
        _text_problems(taxonomy) if own else (),
    )
    for problem in problems:
        raise InputError(problem, file=path)
    return taxonomy


def _texts(file: _File, path: Path | None) -> dict[str, dict[str, str]]:
    """The texts by language and name, in the tags that locales have: zh-CN becomes zh-Hans."""
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


def _reference_problems(taxonomy: Taxonomy) -> Iterator[str]:
    """What is wrong between the parts of a taxonomy, as sentences."""
    labels = [label.id for label in taxonomy.labels]
    yield from repeated("label", labels)
    yield from repeated("example", [example.id for example in taxonomy.examples])
    yield from repeated("rule", taxonomy.rules)
    for label in taxonomy.labels:
        yield from repeated(f"subcategory of {label.id!r}", label.subcategories)
    abstaining = [label.id for label in taxonomy.of_role("abstain")]
    voting = taxonomy.of_role("vote")
    if len(abstaining) > 1:
        yield (
            f"two labels abstain, {abstaining[0]!r} and {abstaining[1]!r}; "
            'one is enough to say "I don\'t know"'
        )
    if len(voting) < 2:
        yield "there have to be two labels that people vote for"
    ungrouped = [label.id for label in voting if not label.group]
    if ungrouped and taxonomy.groups:
        yield f"the label {ungrouped[0]!r} has no group, and others have; give all of them one"
    for label in voting if taxonomy.most_severe else ():
        other = next(other for other in voting if other.severity == label.severity)
        if other is not label:
            yield (
                f"the most severe label wins, and {other.id!r} and {label.id!r} both have the "
                f"severity {label.severity}; give each label one of its own"
            )
    for example in taxonomy.examples:
        where, name = f"the example {example.id!r}", example.label
        if name not in labels:
            yield f"{where} names the label {name!r}; there are {', '.join(labels)}"
        elif name not in [label.id for label in voting]:
            yield f"{where} names the label {name!r}, which is no vote; name another"
    built_in = {folder.name for folder in resources.folder("templates").iterdir()}
    for example in taxonomy.examples:
        if example.template not in built_in:
            yield (
                f"the example {example.id!r} names the template {example.template[:60]!r}, and no "
                "built-in one is called so; `memeloc templates list` names them"
            )


def _text_problems(taxonomy: Taxonomy) -> Iterator[str]:
    """What is wrong with the texts or the name of a taxonomy that does not ship, as sentences."""
    from memeloc.templates import load_template  # it opens pictures, with Pillow

    if taxonomy.name in taxonomy_names():
        yield f"a shipped taxonomy is called {taxonomy.name!r}; give yours another name"
    before = f"taxonomy.{taxonomy.name}."
    keys = taxonomy.keys()
    for key in keys:
        if len(key) > _LONGEST_KEY:
            yield (
                f"the text {key!r} has a name of {len(key)} characters, and {_LONGEST_KEY} are the "
                "limit; shorten the ids"
            )
    questions = [[f"{before}label.{label.id}.name" for label in taxonomy.labels]]
    for question in taxonomy.questions:
        if taxonomy.whose_kinds(question) is None:
            own = f"{before}questions.{question.id}.answer."
            questions.append([f"{own}{answer}" for answer in question.answers])
    with_text = [f"{before}question"] if taxonomy.item_text else []
    with_text += [
        f"{before}questions.{question.id}.text"
        for question in taxonomy.questions
        if question.item_text == "question"
    ]
    for tag in (SOURCE, *sorted(taxonomy.texts)):
        texts = taxonomy.texts.get(tag, {})
        for key in keys:
            if not texts.get(key):
                yield f"the text {key.removeprefix(before)!r} is missing in [text.{tag}]"
        for key in texts.keys() - set(keys):
            yield (
                f"the text {key.removeprefix(before)[:80]!r} in [text.{tag}] belongs to "
                "nothing that this taxonomy has"
            )
        for key in with_text:
            if "{text}" not in texts[key]:
                yield (
                    f"the text {key.removeprefix(before)!r} in [text.{tag}] does not say where the "
                    "item's own text stands; write {text} there"
                )
        for names_of in questions:
            names: dict[str, str] = {}
            for key in names_of:
                plain = " ".join(texts[key].split()).casefold()
                if names.setdefault(plain, key) != key:
                    yield (
                        f"two answers are called {texts[names[plain]][:60]!r} in [text.{tag}]; "
                        "nobody could tell them apart"
                    )
        for example in taxonomy.examples:
            folder = resources.folder("templates") / example.template
            boxes = len(load_template(folder).boxes)
            parts = len(Caption.parse(texts[f"{before}example.{example.id}.caption"]).parts)
            if parts != boxes:
                ending = "" if parts == 1 else "s"
                yield (
                    f"the caption of the example {example.id!r} has {parts} part{ending} in "
                    f"[text.{tag}], and the template {example.template!r} has {boxes} boxes; ` // `"
                    " stands between two parts"
                )
