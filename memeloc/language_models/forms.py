"""What an answer must look like: a pydantic model. In: the model. Out: its schema, values.

Two things must agree: the JSON Schema that a server holds its model to, and the check of what it
answers all the same. The language model reads the descriptions of the fields.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memeloc.language_models.answers import read_json

_SCHEMAS: dict[type[BaseModel], dict[str, Any]] = {}
_TEXTS: dict[type[BaseModel], str] = {}
Fields = TypeVar("Fields", bound=BaseModel)

_NOT_IN_STRICT = frozenset(("default", "title", "minLength", "maxLength", "format"))
"""Keywords that servers with strict schemas refuse, or that say nothing to a model."""


def read_form(form: type[Fields], text: str) -> Fields:
    """The value of an answer. Values are not converted: "yes" is no boolean.

    Raises:
        ValueError: it is not what was asked for. The message says what is wrong with it, in words
            that are sent back to the model.
    """
    try:
        return form.model_validate(read_json(text), strict=True)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))[:80] or 'the answer'}: "
            f"{problem['msg'][:1].lower()}{problem['msg'][1:]}"
            for problem in error.errors(include_input=False, include_url=False)[:5]
        )
        raise ValueError(f"it does not fit the schema ({problems})") from None


def strict_schema(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a pydantic model as servers with strict schemas take it."""
    if form not in _SCHEMAS:
        _SCHEMAS[form] = _strict(form.model_json_schema())
    return _SCHEMAS[form]


def schema_text(form: type[BaseModel]) -> str:
    """The same schema as JSON."""
    if form not in _TEXTS:
        _TEXTS[form] = json.dumps(strict_schema(form), sort_keys=True)
    return _TEXTS[form]


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
