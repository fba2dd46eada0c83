"""Settings from outside. In: a mapping or a TOML text, and a model. Out: the model's object.

Models are pydantic models or dataclasses. What is wrong with a value is one sentence that names
the setting, what it means and what is allowed.
"""

from __future__ import annotations

import difflib
import json
import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memeloc.errors import InputError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic.fields import FieldInfo

Model = TypeVar("Model")

LARGEST_TOML = 1 << 20
"""Bytes of a TOML file that is read."""


def validate(
    model: type[Model], values: Mapping[str, Any], where: str, *, file: Path | None = None
) -> Model:
    """Return an object of a pydantic model or a dataclass from plain values, by setting.

    `where` is what they belong to, for sentences, such as "the translator google"; `file`, where
    they stand, if they stand in a file. Raise InputError if a setting is unknown, missing or has a
    value that it cannot have.
    """
    from pydantic import BaseModel, TypeAdapter, ValidationError

    descriptions = _descriptions(model)
    for key in values:
        if key not in descriptions:
            raise InputError(_unknown(key, descriptions, where), file=file)
    try:
        if issubclass(model, BaseModel):  # of which an adapter would be built each time
            return model.model_validate(dict(values))
        return TypeAdapter(model).validate_python(dict(values))
    except ValidationError as error:
        raise InputError(explain(error, model, where), file=file) from error


@contextmanager
def naming_line(path: Path, table: str = "", number: int = 1) -> Iterator[None]:
    """Add the line of a TOML file to an InputError about a setting in it, where it can be found.

    tomllib keeps no lines, so the setting that the sentence names is looked for in the text: in the
    `number`th table headed `table`; a setting that is missing is at that table's header. Not found
    are settings within braces, and those with a dotted key.
    """
    try:
        yield
    except InputError as error:
        named = re.search(r"setting '?([\w.-]+)", error.message)
        inner, _, key = named[1].rpartition(".") if named else ("", "", "")
        line = _line_of(path, table or inner, key, number)
        if not line:
            raise
        raise InputError(f"{error.message} (at line {line})", file=error.file) from error


def _line_of(path: Path, table: str, key: str, number: int) -> int:
    """Return the line of a key in the `number`th table of a name, else of that table, or 0."""
    here, header, seen = "", 0, Counter[str]()
    lines = path.read_text("utf-8-sig").splitlines() if path.is_file() else []
    for at, line in enumerate(lines, 1):
        if match := re.match(r"\s*\[+\s*([\w.-]+)", line):
            here = match[1]
            seen[here] += 1
            if here in (table, f"{table}.{key}".strip(".")) and seen[here] == number:
                header = at
        elif (
            here == table
            and seen[here] == (number if table else 0)
            and (key and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line))
        ):
            return at
    return header


def explain(error: ValidationError, model: type[Any], where: str) -> str:
    """Return the sentence for what pydantic first found wrong, with the setting's description.

    A setting that is unknown comes first: it may be a missing one that is misspelt.
    """
    problems = error.errors(include_input=False, include_url=False)
    problem = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    path = [str(step) for step in problem["loc"]]
    model, path_in_model = _innermost(model, path)
    descriptions = _descriptions(model)
    name = ".".join(path)[:60]
    if problem["type"] == "extra_forbidden" and len(path_in_model) == 1:
        return _unknown(name, descriptions, where)
    if problem["type"] == "extra_forbidden":
        return f"{where} has no setting {name!r}"
    if problem["type"] == "missing":
        return f"{where} needs the setting {name}{_meaning(descriptions, path_in_model)}"
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message[:1].lower() + message[1:]
    if problem["type"] == "string_pattern_mismatch" and (
        meaning := _meaning(descriptions, path_in_model)
    ):
        return f"the setting {name} of {where} is not as it must be{meaning}"
    if not name:
        return f"the settings of {where}: {message}"
    return f"the setting {name} of {where}: {message}{_meaning(descriptions, path_in_model)}"


def _innermost(model: type[Any], path: list[str]) -> tuple[type[Any], list[str]]:
    """Return the model of the section that a setting stands in, and the setting's path in it."""
    fields_of_model = getattr(model, "model_fields", {})
    inner = fields_of_model[path[0]].annotation if path and path[0] in fields_of_model else None
    if len(path) > 1 and isinstance(inner, type) and hasattr(inner, "model_fields"):
        return _innermost(inner, path[1:])
    return model, path


def _descriptions(model: type[Any]) -> dict[str, str]:
    if is_dataclass(model):
        return {field.name: "" for field in fields(model) if field.init}
    described = model.model_fields.items()
    # A description may be a docstring, over several lines.
    return {
        field.alias or name: " ".join((field.description or "").split())
        for name, field in described
    }


def _unknown(name: object, meanings: Mapping[str, str], where: str) -> str:
    near = difflib.get_close_matches(str(name).rpartition(".")[2][:60], meanings, n=1)
    meant = f"; did you mean {near[0]!r}{_meaning(meanings, near)}?" if near else ";"
    return (
        f"{where} has no setting {str(name)[:60]!r}{meant} it has {', '.join(meanings) or 'none'}"
    )


def _meaning(meanings: Mapping[str, str], path: list[str]) -> str:
    description = meanings.get(path[0], "") if path else ""
    return f" ({description})" if description else ""


def shipped_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the TOML files that ship in a folder, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def shipped_file(name: str | Path, folder: Path, kind: str) -> Path:
    """Return a TOML file that ships in a folder, by its name, or one of your own, by its path.

    `kind` is what it holds, for the sentence. Raises InputError if there is none of that name.
    """
    if isinstance(name, str) and name in (names := shipped_names(folder)):
        return folder / f"{name}.toml"
    if isinstance(name, str) and not name.lower().endswith(".toml"):
        raise InputError(
            f"There is no {kind} {name[:60]!r}; there are {', '.join(names)}. One of your own is "
            "named by its .toml file."
        )
    return Path(name)


def read_toml(path: Path, *, largest: int = LARGEST_TOML) -> dict[str, Any]:
    """Return the values of a TOML file. Raise InputError if it cannot be read, is too large, or is
    not TOML."""
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if len(content) > largest:
        raise InputError(f"has more than {largest // 1024:,} kB, which is too large", file=path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8, as TOML has to be; save it as that", file=path) from error
    return parse_toml(text, file=path)


def parse_toml(text: str, *, file: Path | None = None) -> dict[str, Any]:
    """Return the values of a TOML text; `file` is named in sentences. Raise InputError if it is not
    TOML."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # tomllib raises plain ValueErrors for numbers beyond Python's limits.
        raise InputError(f"is not TOML: {error}", file=file) from error


def line_of(text: str, path: Sequence[str]) -> int | None:
    """Return the line of a TOML text on which a setting stands, None when it is not found."""
    table: list[str] = []
    section: int | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+([^\]]+)\]", line):
            table = [name.strip().strip("\"'") for name in header[1].split(".")]
            if table == list(path[: len(table)]):
                section = number
        elif key := re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line):
            names = [*table, *(name.strip("\"'") for name in key[1].split("."))]
            if names == list(path[: len(names)]):
                return number
    return section


def setting_comment(field: FieldInfo) -> list[str]:
    """Return the lines of a TOML comment that say what a setting means."""
    meaning = field.description or ""
    text = f"{meaning[0].upper()}{meaning[1:]}."
    return ["# " + line for line in textwrap.wrap(text, 94, break_on_hyphens=False)]


def setting_line(name: str, value: object) -> str:
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"  # lists and texts as TOML has them
