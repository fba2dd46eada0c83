"""Dimensions, and which are extracted in which order. In: TOMLs. Out: `Dimension`, `Recipe`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, shipped_names, validate

_DIMENSIONS, _RECIPES = (Path(__file__).parent / name for name in ("shipped_dimensions", "recipes"))

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
_Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=40)]
_Property = Annotated[str, StringConstraints(pattern=r"^[a-z][A-Za-z0-9]*$", max_length=40)]


class Dimension(BaseModel):
    """A dimension of meaning: what is extracted of it, and how a question about it reads."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: _Id = Field(description="small letters, digits and -, such as background")
    name: _Text = Field(description="for people")
    class_name: str = Field(
        alias="class",
        pattern=r"^[A-Z][A-Za-z0-9]{0,39}$",
        description="its class in the ontology: letters and digits, the first a capital",
    )
    definition: _Text = Field(description="what the dimension is")
    extract: _Text = Field(description="what a model extracts, as an order to it")
    question: _Text = Field(description="how a question about the dimension reads")
    kinds: dict[_Id, _Text] = Field(
        default_factory=dict, description="kinds of entities, each with what it is"
    )
    relations: dict[_Property, _Text] = Field(
        default_factory=dict,
        description="relations of entities, each with a sentence; names such as nextTo",
    )
    values: dict[_Id, _Text] = Field(
        default_factory=dict,
        description="closed list of values, each with its meaning; a statement has one of them",
    )


def dimension_names() -> tuple[str, ...]:
    """Return the ids of the shipped dimensions, sorted."""
    return shipped_names(_DIMENSIONS)


def read_dimension(name: str, folder: Path | None = None) -> Dimension:
    """Return a shipped dimension by its id, or one of a TOML file, whose path may be relative to a
    folder; raise InputError if there is no such dimension, or its file is wrong."""
    file = (folder or Path()) / shipped_file(name, _DIMENSIONS, "dimension").expanduser()
    return validate(Dimension, read_toml(file), "a dimension", file=file)


class _RecipeFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Id = Field(description="small letters, digits and -")
    source: str = Field(default="", description="where it comes from")
    order: tuple[str, ...] = Field(
        min_length=1,
        max_length=40,
        description="dimensions as they are extracted: ids of shipped ones, or .toml files",
    )
    contexts: Literal["earlier"] | dict[str, tuple[str, ...]] = Field(
        default="earlier",
        description="which dimensions each is shown what was found of; earlier is all before it",
    )
    link: str = Field(
        default="",
        description="the dimension whose statements are linked to those that they rest on",
    )


@dataclass(frozen=True)
class Recipe:
    """Dimensions in the order in which they are extracted.

    Attributes:
        contexts: by id the dimensions that it is shown what was found of; all stand before it.
        link: id of the dimension whose statements are linked at the end; empty for none.
    """

    name: str
    source: str
    dimensions: tuple[Dimension, ...]
    contexts: Mapping[str, tuple[str, ...]]
    link: str = ""

    @cached_property
    def by_id(self) -> dict[str, Dimension]:
        return {dimension.id: dimension for dimension in self.dimensions}

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of all of it but its name and source, in hex."""
        dimensions = [dimension.model_dump() for dimension in self.dimensions]
        parts = [dimensions, self.contexts, self.link]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def recipe_names() -> tuple[str, ...]:
    """Return the names of the shipped recipes, sorted."""
    return shipped_names(_RECIPES)


def read_recipe(name: str) -> Recipe:
    """Return a shipped recipe by its name, or one of a TOML file; its files are relative to it.
    Raise InputError if there is no such recipe, it or a dimension is wrong, or its contexts name
    what is not there, go in a circle, or come later."""
    file = shipped_file(name, _RECIPES, "recipe of dimensions").expanduser()
    read = validate(_RecipeFile, read_toml(file), "a recipe of dimensions", file=file)
    dimensions = tuple(read_dimension(each, file.parent) for each in read.order)
    ids = [dimension.id for dimension in dimensions]
    if isinstance(read.contexts, str):
        contexts = {each: tuple(ids[:place]) for place, each in enumerate(ids)}
    else:
        contexts = dict.fromkeys(ids, ()) | read.contexts
    classes = [each.class_name for each in dimensions]
    if problem := next(_problems(ids, classes, contexts, read.link), ""):
        raise InputError(problem, file=file)
    return Recipe(read.name, read.source, dimensions, contexts, read.link)


def _problems(
    ids: list[str], classes: list[str], contexts: Mapping[str, tuple[str, ...]], link: str
) -> Iterator[str]:
    """Yield what is wrong with a recipe; each rule takes those before it for granted."""
    for names, what in ((ids, "dimension"), (classes, "class")):
        for repeated in sorted({name for name in names if names.count(name) > 1}):
            yield f"the {what} {repeated} stands in the order twice"
    if link and link not in ids:
        yield f"link names {link[:60]!r}, which is not in the order"
    for name in (*contexts, *chain.from_iterable(contexts.values())):
        if name not in ids:
            yield (
                f"contexts name the dimension {name[:60]!r}, which is not in the order: "
                f"{', '.join(ids)}"
            )
    try:
        TopologicalSorter(contexts).prepare()
    except CycleError as error:
        yield f"the contexts go in a circle: {' is shown to '.join(error.args[1])}"
    for name, shown in contexts.items():
        for each in shown:
            if ids.index(each) > ids.index(name):
                yield f"{name} is shown {each}, which comes later: put {each} before it"
