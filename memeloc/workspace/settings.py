"""The settings of a workspace. In: memeloc.toml. Out: checked `Settings`, or what is wrong with it.

Each setting's description below is what `memeloc init` writes above it and what an error explains
it with, so that there is one text to read.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc.engine import EngineSettings
from memeloc.errors import InputError
from memeloc.publish.release import ReleaseSettings
from memeloc.settings import explain, line_of, read_toml, setting_comment, setting_line
from memeloc.survey.study import Study
from memeloc.workspace.own_folders import FILE as FILE

DATABASE_VARIABLE = "MEMELOC_DATABASE_URL"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class DatabaseSettings(_Section):
    """The place of the workspace's data."""

    url: str = Field(
        default="",
        description="the database: empty for memeloc.db in this folder, or "
        "postgresql://name@host/database for a team; the variable MEMELOC_DATABASE_URL comes "
        "first and is the place for a password",
    )


class CorrectionSettings(_Section):
    """Settings of how people correct."""

    rounds: int = Field(
        default=2,
        ge=1,
        le=9,
        description="rounds of correction; each sees the result of the one before",
    )
    people: int = Field(
        default=1, ge=1, le=9, description="people who correct the same captions in each round"
    )


class GraphSettings(_Section):
    """Graphs of what memes mean."""

    base: str = Field(
        default="",
        description="what the IRIs of memes begin with, as https://example.org/memes/; empty for "
        "urn:memeloc:",
    )


class TranslateSettings(_Section):
    """The translator used by default, and the settings of each translator in a table of its own."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]] = Field(init=False)

    translator: str | None = Field(
        default=None, alias="with", description='the translator used by default, as "google"'
    )
    budget: float | None = Field(
        default=None,
        ge=0,
        strict=False,
        description="the most that one run may cost, in the translator's currency, as 20.0",
    )
    instructions: str = Field(
        default="",
        description="what language models are told beside the prompt: a text, or a file, "
        "as house.md",
    )


class Settings(_Section):
    """All settings of a workspace."""

    source: str = Field(
        default="en",
        min_length=2,
        description="the language that the captions are written in, a tag",
    )
    languages: list[str] = Field(
        default=[],
        description="the languages to translate into, as a list of tags; "
        "`memeloc locales show` names all",
    )
    templates: list[str] = Field(
        default=["templates"], description="folders of templates besides the built-in ones"
    )
    fonts: list[str] = Field(
        default=["fonts"],
        description="fonts that come before memeloc's own: files, folders of them, or names of "
        "fonts of the system; for a language or a style ur=FILE or de:comic=FILE",
    )
    locales: list[str] = Field(
        default=["locales"], description="folders of locales besides the built-in ones"
    )
    glossary: str = Field(
        default="",
        description="the team's glossary, a table with a column of terms and one a language, as "
        "glossary.csv; sheets show it, prompts carry it and checks use it",
    )
    database: DatabaseSettings = Field(
        default_factory=DatabaseSettings, description="where the data are"
    )
    engine: EngineSettings = Field(
        default_factory=EngineSettings, description="what spreads the work of long commands"
    )
    correction: CorrectionSettings = Field(
        default_factory=CorrectionSettings, description="how people correct"
    )
    translate: TranslateSettings = Field(
        default_factory=TranslateSettings,
        description="settings of the translators, a table each, as [translate.google]; `with` "
        "is the translator used by default and `budget` the most that one run may cost",
    )
    knowledge: GraphSettings = Field(
        default_factory=GraphSettings, description="graphs of what memes mean"
    )
    collect: dict[str, Any] = Field(
        default={},
        description="settings of the sources, a table each, as [collect.memegenerator], and of "
        "fetching, as [collect.fetch]",
    )
    curate: dict[str, Any] = Field(
        default={},
        description="settings of deduplication, filters and selection, a table each, as "
        "[curate.language]",
    )
    survey: dict[str, Any] = Field(
        default={},
        description="settings of surveys: a table for each rule of quality control, as "
        "[survey.check.speed], and how answers become labels, as [survey.settle]",
    )
    study: Study = Field(
        default_factory=Study,
        description="what a study tells the people who answer: who is responsible for the data, "
        "whom to ask, what for, how long, by which approval; each one text, or a text a language",
    )
    release: ReleaseSettings = Field(
        default_factory=ReleaseSettings,
        description="what is published: the dataset's name, licence, authors and "
        "description; the splits; which surveys, and which demographics of annotators",
    )
    language_model: dict[str, Any] = Field(
        default={},
        description="the language model that filters may ask: its server, its name, its price; "
        "its key is in the environment only",
    )

    def translator(self, name: str) -> dict[str, Any]:
        """Return the table [translate.NAME], empty when it is not there."""
        return dict((self.translate.model_extra or {}).get(name, {}))


def read_settings(file: Path) -> Settings:
    """Read memeloc.toml; raise InputError with what a setting means and what is allowed."""
    try:
        return Settings.model_validate(read_toml(file))
    except ValidationError as error:
        text = file.read_text(encoding="utf-8-sig")
        row = line_of(text, [str(step) for step in error.errors()[0]["loc"]])
        raise InputError(explain(error, Settings, FILE), file=file, row=row) from error


def database_url(settings: Settings) -> str:
    """Return the URL that the environment or the settings name; empty for memeloc.db."""
    return os.environ.get(DATABASE_VARIABLE, "").strip() or settings.database.url.strip()


def without_url(text: str, file: Path) -> str:
    """Return the text of a memeloc.toml without the database's URL; raise InputError if that does
    not stand on a line of its own."""
    if not tomllib.loads(text).get("database", {}).get("url"):
        return text
    row = line_of(text, ["database", "url"])
    lines = text.splitlines(keepends=True)
    lines[(row or 1) - 1] = re.sub(r"=.*", '= ""', lines[(row or 1) - 1])
    with suppress(tomllib.TOMLDecodeError):
        if not tomllib.loads("".join(lines))["database"]["url"]:
            return "".join(lines)
    raise InputError(
        'The setting database.url does not stand on a line of its own, as url = "..." below '
        "[database]. Write it so: it is left out of what others get.",
        file=file,
        row=row,
    )


def first_file(source: str, languages: Sequence[str]) -> str:
    """Return the memeloc.toml that `memeloc init` writes: every setting, its meaning and its
    default."""
    settings = Settings(source=source, languages=list(languages))
    lines = ["# The settings of this workspace. What stands here is what holds; a setting that is"]
    lines += ["# left out has the value that it has in a new workspace.", ""]
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, _PLAIN):
            lines.append(f"[{name}]")
            for inner, inner_field in type(value).model_fields.items():
                lines += [*setting_comment(inner_field), setting_line(inner, getattr(value, inner))]
        elif isinstance(value, TranslateSettings | Study | ReleaseSettings | dict):
            lines += [f"[{name}]", *setting_comment(field), *_EXAMPLES.get(name, ())]
        else:
            lines += [*setting_comment(field), setting_line(name, value)]
        lines.append("")
    return "\n".join(lines)


_PLAIN = DatabaseSettings | EngineSettings | CorrectionSettings | GraphSettings
"""Sections whose settings are written with their defaults."""

_EXAMPLES = {
    "study": (
        '# controller = "Example University, Example Street 1, 12345 Example"',
        '# contact = "lab@university.example"',
        '# purpose = {en = "to learn how people see memes"}',
        '# retention = {en = "until the end of 2031"}',
        '# ethics = "Ethics committee of Example University, no. 12/2026"',
        "",
        "# [study.texts.en.consent]",
        '# text = "The whole text of consent, in the place of the one that ships. {contact}"',
    ),
    "release": (
        '# name = "tea-and-weather-memes"',
        '# title = "Memes about tea and the weather"',
        '# licence = "CC-BY-4.0"',
        '# authors = ["Lee, Ann", "Tea Research Group"]    # people as "Family, Given"',
        '# date = "2026-11-23"',
        '# content_warning = "Some memes may offend."',
        '# demographics = ["gender", "age"]           # none without it',
        "# smallest_cell = 5                          # people who share what goes out of them",
        "",
        "# [release.splits]",
        "# train = 0.8",
        "# validation = 0.1",
        "# test = 0.1",
    ),
    "translate": (
        '# with = "google"',
        "# budget = 20.0",
        "",
        "# [translate.google]",
        '# project = "my-project"',
    ),
}
