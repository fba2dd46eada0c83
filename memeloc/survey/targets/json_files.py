"""JSON files that came back from programs. In: a file. Out: its values, or why they are invalid."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from memeloc.errors import InputError
from memeloc.files import read_head
from memeloc.survey.model import RejectedRow

Model = TypeVar("Model", bound=BaseModel)

_LOOKED_AT = 1 << 20
"""Bytes: pictures that are written into a task come before its annotations."""


def starts_as_json(path: Path, *marks: str) -> bool:
    """Whether a file's beginning is a JSON object or list with these texts in it."""
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return False
    head = head.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    return head[:1] in (b"{", b"[") and all(mark.encode() in head for mark in marks)


def read_json(path: Path) -> Any:
    """The value of a file.

    Raises:
        InputError: it cannot be read, is too large, or is not JSON.
    """
    try:
        return _parse(_text(path))
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=path) from error


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """The records of a file with their numbers: one value, a list, or one a line.

    Among lines of JSON, one that is not comes as its text.

    Raises:
        InputError: it cannot be read, is too large, or is not JSON.
    """
    text = _text(path)
    try:
        value = _parse(text)
    except ValueError as error:
        # Not splitlines: U+2028 and others may stand in a JSON string as they are.
        lines = [(number, _parsed_line(line)) for number, line in enumerate(text.split("\n"), 1)]
        if all(isinstance(value, str) for _, value in lines):
            raise InputError(f"is not JSON: {error}", file=path) from error
        yield from ((number, value) for number, value in lines if value != "")
        return
    yield from enumerate(value if isinstance(value, list) else [value], 1)


def validated(model: type[Model], value: Any, row: int, reason: str) -> Model | RejectedRow:
    """A record as its model; or why it is invalid, under `reason`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))[:80]
        message = f"{where}: {problem['msg']}." if where else f"{problem['msg']}."
        return RejectedRow("", row, reason, message, content_of(value))


def content_of(value: Any) -> Mapping[str, Any]:
    """A JSON value as the content of a rejected row."""
    return value if isinstance(value, Mapping) else {"value": value}


def _text(path: Path) -> str:
    """A text in UTF-8, UTF-16 or UTF-32; broken bytes become U+FFFD."""
    read_head(path)
    data = path.read_bytes()
    return data.decode(json.detect_encoding(data), "replace")


def _parse(text: str) -> Any:
    return from_json(text, allow_inf_nan=False)


def _parsed_line(line: str) -> Any:
    try:
        return _parse(line)
    except ValueError:
        return line.strip()
