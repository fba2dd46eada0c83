"""Files that exporters write. In: a text, or a JSON value. Out: a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memeloc.files import replacing
from memeloc.pages import encode_json


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, its lines ended by a line feed on every system.

    A lone surrogate, which no UTF-8 has, becomes a question mark.

    Raises:
        InputError: it cannot be written.
    """
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, keys in their order; raises as `write_text` does."""
    write_text(path, encode_json(value, indent=1) + "\n")
