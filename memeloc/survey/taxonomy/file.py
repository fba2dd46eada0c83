"""Taxonomies' files. In: the name of a shipped taxonomy, or a TOML. Out: a checked `Taxonomy`.

The TOML says which labels there are, which question follows, and which examples explain them. The
texts of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of a team's
own brings its texts along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from memeloc import resources
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.model import Caption
from memeloc.settings import parse_toml, read_toml, validate
from memeloc.survey.taxonomy.model import (
    Example,
    Flag,
    Id,
    Ids,
    Label,
    SecondQuestion,
    Taxonomy,
)
from memeloc.templates.definition import read_definition

FOLDER = Path(__file__).parent / "taxonomies"
SOURCE = "en"
"""The language that every taxonomy has its texts in, and that others fall back to."""

_LONGEST_KEY = 93
"""Characters of a text's name: with `survey:` before it, it becomes an id in the store."""


@dataclass(frozen=True, slots=True)
class _File:
    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Id
    label: Annotated[tuple[Label, ...], Field(min_length=2)]
    example: Annotated[tuple[Example, ...], Field(min_length=1)]
    source: str = ""
    most_severe: Flag = False
    rules: Ids = ()
    second: SecondQuestion | None = None
    text: dict[str, dict[str, Any]] = field(default_factory=dict)


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
    taxonomy = Taxonomy(
        file.name,
        file.source,
        file.label,
        file.second,
        file.example,
        file.rules,
        file.most_severe,
        _texts(file, path),
    )
    problems = _reference_problem(taxonomy) or (_own_problem(taxonomy) if own else "")
    if problems:
        raise InputError(problems, file=path)
    return taxonomy


def _texts(file: _File, path: Path | None) -> dict[str, dict[str, str]]:
    """The texts by language and name, in the tags that locales have: zh-CN becomes zh-Hans."""
    by_tag: dict[str, dict[str, str]] = {}
    for tag, tables in file.text.items():
        exact = canonical(tag)
        if not is_well_formed(exact):
            raise InputError(
                f"[text.{tag[:40]}] names no language; write a tag such as de or pt-BR", file=path
            )
        if exact in by_tag:
            raise InputError(f"the language {exact} is there twice", file=path)
        by_tag[exact] = _flat(tables, f"taxonomy.{file.name}", tag, path)
    for exact in tuple(by_tag):
        locale = default().get(exact).tag if exact in default() else exact
        if locale not in by_tag:
            by_tag[locale] = by_tag.pop(exact)
    return by_tag


def _flat(tables: Mapping[str, Any], before: str, tag: str, path: Path | None) -> dict[str, str]:
    """A language's texts by their names: tables and keys joined by dots."""
    texts: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [(before, tables)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += ((f"{name}.{key}", inner) for key, inner in value.items())
        elif isinstance(value, str):
            texts[name] = unicodedata.normalize("NFC", value.strip())
        else:
            key = name.removeprefix(f"{before}.")[:80]
            raise InputError(
                f"the text {key!r} in [text.{tag[:40]}] has to be a text in quotation marks",
                file=path,
            )
    return texts


def _reference_problem(taxonomy: Taxonomy) -> str:
    """What is wrong between the parts of a taxonomy, as a sentence; empty for nothing."""
    labels, second = taxonomy.labels, taxonomy.second
    ids = {
        "label": [one.id for one in labels],
        "example": [one.id for one in taxonomy.examples],
        "answer": list(second.answers if second else ()),
        "label of the second question": list(second.when if second else ()),
        "rule": list(taxonomy.rules),
        **{f"subcategory of {one.id!r}": list(one.subcategories) for one in labels},
    }
    for what, names in ids.items():
        for name in names:
            if names.count(name) > 1:
                return f"the {what} {name!r} is there twice"
    abstaining = [one.id for one in labels if one.abstain]
    voting = [one for one in labels if not one.abstain]
    if len(abstaining) > 1:
        return (
            f"two labels abstain, {abstaining[0]!r} and {abstaining[1]!r}; "
            'one is enough to say "I don\'t know"'
        )
    if len(voting) < 2:
        return "there have to be two labels that do not abstain"
    ungrouped = [one.id for one in voting if not one.group]
    if 0 < len(ungrouped) < len(voting):
        return f"the label {ungrouped[0]!r} has no group, and others have; give all of them one"
    if taxonomy.most_severe:
        weighed: dict[int, str] = {}
        for one in voting:
            if (other := weighed.setdefault(one.severity, one.id)) != one.id:
                return (
                    f"the most severe label wins, and {other!r} and {one.id!r} both have the "
                    f"severity {one.severity}; give each label one of its own"
                )
    named = [(f"the example {one.id!r}", one.label) for one in taxonomy.examples]
    named += [("the second question", one) for one in ids["label of the second question"]]
    for where, label in named:
        if label not in ids["label"]:
            return f"{where} names the label {label!r}; there are {', '.join(ids['label'])}"
        if label in abstaining:
            return f"{where} names the label {label!r}, which abstains; name another"
    built_in = {one.name for one in resources.folder("templates").iterdir() if one.is_dir()}
    for example in taxonomy.examples:
        if example.template not in built_in:
            return (
                f"the example {example.id!r} names the template {example.template[:60]!r}, and no "
                "built-in one is called so; `memeloc templates list` names them"
            )
    return ""


def _own_problem(taxonomy: Taxonomy) -> str:
    """What is wrong with the texts or the name of a taxonomy that does not ship."""
    if taxonomy.name in taxonomy_names():
        return f"a shipped taxonomy is called {taxonomy.name!r}; give yours another name"
    before = f"taxonomy.{taxonomy.name}."
    keys = taxonomy.keys()
    if long := next((key for key in keys if len(key) > _LONGEST_KEY), None):
        return (
            f"the text {long!r} has a name of {len(long)} characters, and {_LONGEST_KEY} are the "
            "limit; shorten the ids"
        )
    for tag in (SOURCE, *sorted(taxonomy.texts)):
        texts = taxonomy.texts.get(tag, {})
        for key in keys:
            if not texts.get(key):
                return f"the text {key.removeprefix(before)!r} is missing in [text.{tag}]"
        for key in texts:
            if key not in keys:
                return (
                    f"the text {key.removeprefix(before)[:80]!r} in [text.{tag}] belongs to "
                    "nothing that this taxonomy has"
                )
        if problem := _name_problem(taxonomy, tag) or _caption_problem(taxonomy, tag):
            return problem
    return ""


def _name_problem(taxonomy: Taxonomy, tag: str) -> str:
    """Whether two answers have one name: importers could not tell them apart."""
    before, texts = f"taxonomy.{taxonomy.name}", taxonomy.texts[tag]
    questions = [[f"{before}.label.{one.id}.name" for one in taxonomy.labels]]
    if second := taxonomy.second:
        questions.append([f"{before}.second.{second.id}.answer.{one}" for one in second.answers])
    for keys in questions:
        names = [" ".join(texts[key].split()).casefold() for key in keys]
        for key, name in zip(keys, names, strict=True):
            if names.count(name) > 1:
                return (
                    f"two answers are called {texts[key][:60]!r} in [text.{tag}]; nobody could "
                    "tell them apart"
                )
    return ""


def _caption_problem(taxonomy: Taxonomy, tag: str) -> str:
    """Whether an example's caption has a part for each box of its template."""
    for example in taxonomy.examples:
        folder = resources.folder("templates") / example.template
        boxes = len(read_definition(folder / "template.toml").boxes)
        caption = taxonomy.texts[tag][f"taxonomy.{taxonomy.name}.example.{example.id}.caption"]
        parts = len(Caption.parse(caption).parts)
        if parts != boxes:
            ending = "" if parts == 1 else "s"
            return (
                f"the caption of the example {example.id!r} has {parts} part{ending} in "
                f"[text.{tag}], and the template {example.template!r} has {boxes} boxes; ` // ` "
                "stands between two parts"
            )
    return ""
