"""HTML pages. In: a Jinja2 template beside the module that fills it, and values. Out: the page.

Every value is escaped, as text or (by `tojson`) as JSON within a script. What a page does without
network and what it may run stands in its Content-Security-Policy.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

if TYPE_CHECKING:
    from jinja2 import Environment


def fill_page(template: Path, **values: Any) -> str:
    """Return a page of a template; a value that it names and that is not given is an error.

    Args:
        template: the file; it may extend and include others of its folder.
        values: what it names. Texts are escaped; only our own styles and scripts may be put in
            with `|safe`.
    """
    return _environment(template.parent).get_template(template.name).render(values)


def encode_json(value: Any, indent: int | None = None) -> str:
    """Return JSON, on one line without `indent`; a lone surrogate, which no UTF-8 has, becomes a
    `?`.

    Python's own encoder takes three times as long for files with megabytes of text.
    """
    try:
        return to_json(value, indent=indent).decode()
    except ValueError:
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        return text.encode("utf-8", "replace").decode()


def browser_store() -> str:
    """Return the script by which a page keeps values in the browser; it stands before the page's
    own."""
    return (Path(__file__).parent / "browser_store.js").read_text(encoding="utf-8")


def script_hash(script: str) -> str:
    """Return the source expression by which a Content-Security-Policy allows one inline script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_function"] = encode_json
    environment.policies["json.dumps_kwargs"] = {}
    environment.filters["commas"] = lambda number: f"{number:,}"
    return environment
