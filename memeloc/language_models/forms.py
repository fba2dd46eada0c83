"""What an answer must look like. In: a pydantic model. Out: its schema, and values read from JSON.

A form is two things that must agree: the JSON Schema that a server holds its model to, and the
check of what it answers all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from memeloc.language_models.answers import read_json

Value_co = TypeVar("Value_co", covariant=True)
Fields = TypeVar("Fields", bound=BaseModel)

_NOT_IN_STRICT = frozenset(("default", "title", "minLength", "maxLength", "format"))
"""Keywords that servers with strict schemas refuse, or that say nothing to a model."""


class Form(Protocol[Value_co]):
    """What an answer must look like.

    Its name has letters, digits, `_` and `-`; its schema is a JSON Schema in the strict subset:
    every field is required, no others are allowed.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def schema(self) -> Mapping[str, Any]: ...  # noqa: D102

    def read(self, text: str) -> Value_co:
        """The value of an answer.

        Raises:
            ValueError: it is not what was asked for. The message says what is wrong with it, in
                words that are sent back to the model.
        """
        ...


class ModelForm(Form[Fields]):
    """A form by a pydantic model, whose field descriptions the model reads."""

    def __init__(self, fields: type[Fields]) -> None:
        self.fields = fields

    @property
    def name(self) -> str:
        """The class's name."""
        return self.fields.__name__

    @property
    def schema(self) -> Mapping[str, Any]:
        """The class's schema, made strict."""
        return strict_schema(self.fields)

    def read(self, text: str) -> Fields:
        """See `Form.read`. Values are not converted: "yes" is no boolean."""
        try:
            return self.fields.model_validate(read_json(text), strict=True)
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, problem['loc']))[:80] or 'the answer'}: "
                f"{problem['msg'][:1].lower()}{problem['msg'][1:]}"
                for problem in error.errors(include_input=False, include_url=False)[:5]
            )
            raise ValueError(f"it does not fit the schema ({problems})") from None


@lru_cache(maxsize=64)
def strict_schema(fields: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a pydantic model as servers with strict schemas take it."""
    schema: dict[str, Any] = _strict(fields.model_json_schema())
    return schema


def _strict(node: Any, *, names: bool = False) -> Any:
    """A schema without what is refused; `names` where the keys are fields, not keywords."""
    if isinstance(node, list):
        return [_strict(element) for element in node]
    if not isinstance(node, dict):
        return node
    strict = {
        key: _strict(value, names=key in ("properties", "$defs") and not names)
        for key, value in node.items()
        if names or key not in _NOT_IN_STRICT
    }
    if not names and node.get("type") == "object" and isinstance(node.get("properties"), dict):
        strict |= {"required": list(node["properties"]), "additionalProperties": False}
    return strict
