"""JSON of strangers. In: a file. Out: its values, and what is odd about them.

Whatever encoding it was saved in is read. A key that is there twice with different values, and
values that are nested deeper than any program nests them, are told instead of half taken. A half of
a surrogate pair, which no database takes, becomes its escape, so two different texts stay two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import LARGEST_FILE

DEEPEST = 60
"""Levels of lists and objects that a value may have."""

DOUBLED, DEEP, BROKEN = "doubled key", "nested too deep", "broken text"
MESSAGES = {
    DOUBLED: "A key is there twice with different values; which one holds cannot be told.",
    DEEP: f"It is nested more than {DEEPEST} levels deep, which no program does.",
    BROKEN: "Some of its characters are broken; they are kept as their numbers.",
}
"""What is odd about a value, in a sentence."""

_HALF = re.compile("[\ud800-\udfff]")


class Doubled(dict[str, Any]):
    """An object in which a key was there twice; the later ones have a number behind."""


def ascii_of(head: bytes) -> bytes:
    """The beginning of a JSON file without byte order marks, white space and what UTF-16 adds."""
    return head.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")


def read_text(path: Path, most: int = LARGEST_FILE) -> str:
    """A file's text; bytes that are in no encoding become halves of surrogate pairs.

    Raises:
        InputError: it cannot be read, is empty, or is too large.
    """
    try:
        if path.stat().st_size > most:
            raise InputError(f"is larger than {most // 10**6} MB; split it", file=path)
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if not data.strip():
        raise InputError("is empty", file=path)
    encoding = json.detect_encoding(data)
    return data.decode(encoding, "surrogateescape" if "8" in encoding else "replace")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    kept: dict[str, Any] = {}
    times: dict[str, int] = {}
    for key, value in pairs:
        if key in kept and kept[key] == value:
            continue  # The very same once more means nothing.
        times[key] = times.get(key, 0) + 1
        kept[key if times[key] == 1 else f"{key} ({times[key]})"] = value
    return Doubled(kept) if len(kept) > len(found) else kept


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=str)
"""Reads JSON, and keeps keys that are there twice."""


def parsed(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError, RecursionError: it is none.
    """
    return DECODER.decode(text)


def read_json(path: Path, most: int = LARGEST_FILE) -> Any:
    """The value of a file.

    Raises:
        InputError: it cannot be read, is too large, or is not JSON.
    """
    try:
        return parsed(read_text(path, most))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=path) from error


def read_lines(text: str) -> Iterator[tuple[int, Any]]:
    """The values of a text with one a line, with their numbers; a line that is none as its text."""
    # Not splitlines: U+2028 and others may stand in a JSON string as they are.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, parsed(line)
            except (ValueError, RecursionError):
                yield number, line.rstrip("\r")


def odd(value: Any) -> str:
    """What is odd about a value: a key of `MESSAGES`, or empty."""
    found = BROKEN if isinstance(value, str) and _HALF.search(value) else ""
    level = [value] if isinstance(value, dict | list) else []
    depth = 1
    while level:
        if depth > DEEPEST:
            return DEEP
        below: list[Any] = []
        for one in level:
            inside: Iterable[Any] = one
            if isinstance(one, dict):
                if isinstance(one, Doubled):
                    found = DOUBLED
                inside = one.values()
                if not found and any(not key.isascii() and _HALF.search(key) for key in one):
                    found = BROKEN
            for inner in inside:
                kind = type(inner)
                if kind is str:
                    if not found and not inner.isascii() and _HALF.search(inner):
                        found = BROKEN
                elif kind is dict or kind is list or kind is Doubled:
                    below.append(inner)
        level, depth = below, depth + 1
    return found


def whole(value: Any) -> Any:
    """A value with halves of surrogate pairs as their escapes; it is not nested too deep."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {escaped(key): whole(inner) for key, inner in value.items()}
    return [whole(inner) for inner in value] if isinstance(value, list) else value


def escaped(text: str) -> str:
    """A text with halves of surrogate pairs as their escapes.

    >>> escaped("a\\ud800")
    'a\\\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def content_of(value: Any) -> Mapping[str, Any]:
    """A value as an object that can be stored, whatever it is and however deep."""
    if odd(value) == DEEP:
        return {"value": escaped("".join(_tokens(value)))}
    kept = whole(value)
    return kept if isinstance(kept, dict) else {"value": kept}


def _tokens(value: Any) -> Iterator[str]:
    """JSON of a value that is too deep for recursion."""
    stack: list[Any] = [(value,)]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
            continue
        (inner,) = one
        if isinstance(inner, Mapping):
            stack.append("}")
            for key, each in reversed(list(inner.items())):
                stack += [",", (each,), f"{json.dumps(key, ensure_ascii=False)}:"]
            yield "{"
        elif isinstance(inner, Sequence) and not isinstance(inner, str):
            stack.append("]")
            for each in reversed(inner):
                stack += [",", (each,)]
            yield "["
        else:
            yield json.dumps(inner, ensure_ascii=False)
