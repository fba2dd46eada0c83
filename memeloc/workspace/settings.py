"""The settings of a workspace. In: memeloc.toml. Out: checked `Settings`, or what is wrong with it.

Each setting's description below is what `memeloc init` writes above it and what an error explains
it with, so that there is one text to read.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from memeloc.errors import InputError

FILE = "memeloc.toml"
DATABASE_VARIABLE = "MEMELOC_DATABASE_URL"

_NEAR = 0.6
"""How similar a setting's name is to be offered in place of a wrong one."""

_TRANSLATE = {
    "with": 'the translator used by default, as "google"',
    "budget": "the most that one run may cost, in the translator's currency, as 20.0",
}
"""What stands in [translate] beside the translators' own tables."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DatabaseSettings(_Section):
    """Where the workspace's data are."""

    url: Annotated[
        str,
        Field(
            description="the database: empty for memeloc.db in this folder, or "
            "postgresql://name@host/database for a team; the variable MEMELOC_DATABASE_URL comes "
            "first and is the place for a password",
        ),
    ] = ""


class CorrectionSettings(_Section):
    """How people correct."""

    rounds: Annotated[
        int,
        Field(
            ge=1, le=9, description="rounds of correction; each sees the result of the one before"
        ),
    ] = 2
    people: Annotated[
        int,
        Field(ge=1, le=9, description="people who correct the same captions in each round"),
    ] = 1


class Settings(_Section):
    """All settings of a workspace."""

    source: Annotated[
        str, Field(min_length=2, description="the language that the captions are written in, a tag")
    ] = "en"
    languages: Annotated[
        list[str],
        Field(
            description="the languages to translate into, as a list of tags; "
            "`memeloc locales list` names all"
        ),
    ] = Field(default_factory=list)
    templates: Annotated[
        list[str], Field(description="folders of templates besides the built-in ones")
    ] = Field(default_factory=lambda: ["templates"])
    fonts: Annotated[
        list[str],
        Field(description="font files, or folders of them, that come before memeloc's own"),
    ] = Field(default_factory=lambda: ["fonts"])
    locales: Annotated[
        list[str], Field(description="folders of locales besides the built-in ones")
    ] = Field(default_factory=lambda: ["locales"])
    database: Annotated[DatabaseSettings, Field(description="where the data are")] = (
        DatabaseSettings()
    )
    correction: Annotated[CorrectionSettings, Field(description="how people correct")] = (
        CorrectionSettings()
    )
    translate: Annotated[
        dict[str, Any],
        Field(
            description="settings of the translators, a table each, as [translate.google]; `with` "
            "is the translator used by default and `budget` the most that one run may cost"
        ),
    ] = Field(default_factory=dict)
    collect: Annotated[
        dict[str, Any],
        Field(
            description="settings of the sources, a table each, as [collect.memegenerator], and of "
            "fetching, as [collect.fetch]"
        ),
    ] = Field(default_factory=dict)
    curate: Annotated[
        dict[str, Any],
        Field(
            description="settings of deduplication, filters and selection, a table each, as "
            "[curate.language]"
        ),
    ] = Field(default_factory=dict)
    survey: Annotated[
        dict[str, Any],
        Field(
            description="settings of surveys: a table for each rule of quality control, as "
            "[survey.check.speed], and how answers become labels, as [survey.settle]"
        ),
    ] = Field(default_factory=dict)
    language_model: Annotated[
        dict[str, Any],
        Field(
            description="the language model that filters may ask: its server, its name, its price; "
            "its key is in the environment only"
        ),
    ] = Field(default_factory=dict)

    def translator(self, name: str) -> dict[str, Any]:
        """The table [translate.NAME], empty when there is none."""
        table = self.translate.get(name, {})
        return dict(table) if isinstance(table, dict) else {}


def read_settings(file: Path) -> Settings:
    """Read memeloc.toml.

    Raises:
        InputError: it is not TOML, or has an unknown or a wrong setting; the sentence says what the
            setting means and what is allowed.
    """
    try:
        words = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("The file is not UTF-8; save it as UTF-8.", file=file) from error
    try:
        values = tomllib.loads(words)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"The file is not TOML: {error}.", file=file) from error
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems = [_sentence(problem, words) for problem in error.errors()]
        row, sentence = problems[0]
        more = f" ({len(problems) - 1} more after that)" if len(problems) > 1 else ""
        raise InputError(sentence + more, file=file, row=row) from error
    for name, value in settings.translate.items():
        if wrong := _wrong_in_translate(name, value):
            raise InputError(wrong, file=file, row=_line(words, ("translate", name)))
    return settings


def _wrong_in_translate(name: str, value: Any) -> str:
    """What is wrong with a line of [translate], empty when nothing is."""
    if name == "with":
        good = isinstance(value, str)
    elif name == "budget":
        good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    elif isinstance(value, dict):
        return ""
    else:
        near = difflib.get_close_matches(name, _TRANSLATE, n=1, cutoff=_NEAR)
        if near:
            return f"There is no setting {name!r}; did you mean {near[0]!r}, {_TRANSLATE[near[0]]}?"
        return (
            f"There is no setting {name!r} in [translate]. There are with and budget; a translator "
            "has its settings in a table of its own, as [translate.google]."
        )
    return "" if good else f"{name} is {_TRANSLATE[name]}; it is not {_shown(value)}."


def database_url(settings: Settings) -> str:
    """The URL that the environment or the settings name, empty for the workspace's own file."""
    return os.environ.get(DATABASE_VARIABLE, "").strip() or settings.database.url.strip()


def _sentence(problem: Mapping[str, Any], words: str) -> tuple[int | None, str]:
    """The line of a problem and a sentence about it."""
    path = [str(step) for step in problem["loc"]]
    known, name = _known(path)
    if problem["type"] == "extra_forbidden":
        row = _line(words, path)
        near = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
        if near:
            meaning = known[near[0]].description
            return row, f"There is no setting {name!r}; did you mean {near[0]!r} ({meaning})?"
        choice = ", ".join(known)
        return row, f"There is no setting {name!r} here. There are: {choice}."
    field = known.get(name)
    meaning = f"{name} is {field.description}" if field else f"{'.'.join(path)} is wrong"
    given = _shown(problem["input"])
    return _line(words, path), f"{meaning}. {_allowed(problem)}, not {given}."


def _known(path: Sequence[str]) -> tuple[dict[str, FieldInfo], str]:
    """The settings at the place of a problem, and the one it is about."""
    model: type[BaseModel] = Settings
    for index, step in enumerate(path):
        field = model.model_fields.get(step)
        inner = field.annotation if field else None
        last = index == len(path) - 1
        if last or not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return dict(model.model_fields), step
        model = inner
    return dict(model.model_fields), ""


def _allowed(problem: Mapping[str, Any]) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind.startswith("int_"):
        return "A whole number is needed"
    if kind == "greater_than_equal":
        return f"It is at least {context['ge']}"
    if kind == "less_than_equal":
        return f"It is at most {context['le']}"
    if kind == "list_type":
        return 'A list is needed, as ["de", "hi"]'
    if kind == "string_type":
        return 'A text in quotation marks is needed, as "en"'
    if kind == "string_too_short":
        return "It needs at least two letters"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return "A table is needed, as [" + str(problem["loc"][0]) + "]"
    return str(problem["msg"])


def _shown(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 40 else words[:40] + "..."


def _line(words: str, path: Sequence[str]) -> int | None:
    """The line on which a setting stands, None when it cannot be told."""
    table: list[str] = []
    found: int | None = None
    for number, line in enumerate(words.splitlines(), start=1):
        header = re.match(r"\s*\[+([^\]]+)\]", line)
        if header:
            table = [name.strip().strip("\"'") for name in header[1].split(".")]
            if table == list(path[: len(table)]):
                found = number
            continue
        key = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
        if key:
            whole = [*table, *(name.strip("\"'") for name in key[1].split("."))]
            if whole == list(path[: len(whole)]):
                return number
    return found


def first_file(source: str, languages: Sequence[str]) -> str:
    """The memeloc.toml that `memeloc init` writes: every setting, its meaning and its default."""
    start = Settings(source=source, languages=list(languages))
    lines = ["# The settings of this workspace. What stands here is what holds; a setting that is"]
    lines += ["# left out has the value that it has in a new workspace.", ""]
    for name in ("source", "languages", "templates", "fonts", "locales"):
        lines += [
            *_comment(_meaning(Settings, name)),
            f"{name} = {_toml(getattr(start, name))}",
            "",
        ]
    for section, model in (("database", DatabaseSettings), ("correction", CorrectionSettings)):
        lines += [f"[{section}]"]
        for name in model.model_fields:
            value = getattr(getattr(start, section), name)
            lines += [*_comment(_meaning(model, name)), f"{name} = {_toml(value)}"]
        lines += [""]
    lines += [
        "[translate]",
        *_comment(_meaning(Settings, "translate")),
        '# with = "google"',
        "# budget = 20.0",
        "",
        "# [translate.google]",
        '# project = "my-project"',
        "",
        "[collect]",
        *_comment(_meaning(Settings, "collect")),
        "",
        "[curate]",
        *_comment(_meaning(Settings, "curate")),
        "",
        "[survey]",
        *_comment(_meaning(Settings, "survey")),
        "",
        "[language_model]",
        *_comment(_meaning(Settings, "language_model")),
        "",
    ]
    return "\n".join(lines)


def _meaning(model: type[BaseModel], name: str) -> str:
    return model.model_fields[name].description or ""


def _comment(meaning: str) -> list[str]:
    import textwrap

    return textwrap.wrap(
        meaning[0].upper() + meaning[1:] + ".",
        96,
        initial_indent="# ",
        subsequent_indent="# ",
        break_on_hyphens=False,
    )


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
