"""A dimension of a meme's meaning. In: a TOML, shipped or a team's own. Out: `Dimension`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memeloc.errors import InputError
from memeloc.settings import parse_toml, read_toml, validate

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
_Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=40)]
_Property = Annotated[str, StringConstraints(pattern=r"^[a-z][A-Za-z0-9]*$", max_length=40)]


class Dimension(BaseModel):
    """What is extracted of one dimension, and how a question about it reads."""

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
    """The ids of the shipped dimensions, sorted."""
    folder = files(__package__) / "shipped"
    return tuple(sorted(Path(each.name).stem for each in folder.iterdir()))


def read_dimension(name: str, folder: Path | None = None) -> Dimension:
    """A shipped dimension by its id, or one of a TOML file.

    Args:
        folder: what a file's path is relative to.

    Raises:
        InputError: there is no such dimension, or its file is wrong.
    """
    values: dict[str, Any]
    if name.endswith(".toml"):
        file = (folder or Path()) / Path(name).expanduser()
        return validate(Dimension, read_toml(file), "a dimension", file=file)
    if name not in dimension_names():
        raise InputError(
            f"There is no dimension {name[:60]!r}: there are {', '.join(dimension_names())}, and "
            "one of your own is named by its .toml file."
        )
    values = parse_toml((files(__package__) / "shipped" / f"{name}.toml").read_text("utf-8"))
    return validate(Dimension, values, f"the dimension {name}")
