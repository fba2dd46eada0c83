"""Taxonomies' files. In: the name of a shipped taxonomy, or a TOML. Out: a checked `Taxonomy`.

The TOML says which labels there are, which question follows, and which examples explain them. The
texts of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of a team's
own brings its texts along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
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
from memeloc.taxonomy.model import Example, Flag, Id, Ids, Label, Question, Taxonomy
from memeloc.taxonomy.questions import complete, question_problems, repeated

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
