"""The settings of a workspace. In: memeloc.toml. Out: checked `Settings`, or what is wrong with it.

Each setting's description below is what `memeloc init` writes above it and what an error explains
it with, so that there is one text to read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc.errors import InputError
from memeloc.settings import explain, parse_toml

FILE = "memeloc.toml"
DATABASE_VARIABLE = "MEMELOC_DATABASE_URL"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DatabaseSettings(_Section):
    """Where the workspace's data are."""

    url: Annotated[
        str,
        Field(
            description="the database: empty for memeloc.db in this folder, or "
            "postgresql://name@host/database for a team; the variable MEMELOC_DATABASE_URL comes "
            "first and is the place for a password"
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
        int, Field(ge=1, le=9, description="people who correct the same captions in each round")
    ] = 1


class TranslateSettings(_Section):
    """The translator used by default, and the settings of each translator in a table of its own."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]] = Field(init=False)

    translator: Annotated[
        str | None, Field(alias="with", description='the translator used by default, as "google"')
    ] = None
    budget: Annotated[
        float | None,
        Field(
            ge=0,
            strict=False,
            description="the most that one run may cost, in the translator's currency, as 20.0",
        ),
    ] = None


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
        TranslateSettings,
        Field(
            description="settings of the translators, a table each, as [translate.google]; `with` "
            "is the translator used by default and `budget` the most that one run may cost"
        ),
    ] = TranslateSettings()
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
        """The table [translate.NAME], empty when it is not there."""
        return dict((self.translate.model_extra or {}).get(name, {}))


def read_settings(file: Path) -> Settings:
    """Read memeloc.toml.

    Raises:
        InputError: it is not TOML, or has an unknown or a wrong setting; the sentence says what the
            setting means and what is allowed.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("The file is not UTF-8; save it as UTF-8.", file=file) from error
    try:
        return Settings.model_validate(parse_toml(text, file=file))
    except ValidationError as error:
        row = _line(text, [str(step) for step in error.errors()[0]["loc"]])
        raise InputError(explain(error, Settings, FILE), file=file, row=row) from error


def database_url(settings: Settings) -> str:
    """The URL that the environment or the settings name, empty for the workspace's own file."""
    return os.environ.get(DATABASE_VARIABLE, "").strip() or settings.database.url.strip()


def _line(words: str, path: Sequence[str]) -> int | None:
    """The line on which a setting stands, None when it is not found."""
    table: list[str] = []
    section: int | None = None
    for number, line in enumerate(words.splitlines(), start=1):
        header = re.match(r"\s*\[+([^\]]+)\]", line)
        if header:
            table = [name.strip().strip("\"'") for name in header[1].split(".")]
            if table == list(path[: len(table)]):
                section = number
            continue
        key = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
        if key:
            whole = [*table, *(name.strip("\"'") for name in key[1].split("."))]
            if whole == list(path[: len(whole)]):
                return number
    return section


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
