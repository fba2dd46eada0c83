"""What an answer must look like. In: a `Dimension`. Out: pydantic models, with limits."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from memeloc.knowledge.dimensions import Dimension

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
    """The text with single spaces for all white space.

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
    """What a statement rests on."""

    model_config = _FORBID

    statement: _ID  # type: ignore[valid-type]
    rests_on: Annotated[list[_ID], Field(max_length=MOST_STATEMENTS)]  # type: ignore[valid-type]


class LinksForm(BaseModel):
    """An answer of the linking step."""

    model_config = _FORBID

    links: Annotated[list[LinkForm], Field(max_length=MOST_STATEMENTS)]


def dimension_form(dimension: Dimension) -> type[BaseModel]:
    """The form of an answer about a dimension: entities, relations if it has any, statements."""
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
