"""Options that several commands have, each defined once. In: nothing. Out: annotated types."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

if TYPE_CHECKING:
    from memeloc.engine import Engine, EngineSettings
    from memeloc.tables.column_map import ColumnMap

DryRun = Annotated[bool, Option("--dry-run", help="Only say what would be done; store nothing.")]
AnsweredBy = Annotated[
    str, Option("--person", metavar="NAME", help="Who answered, if the file does not say.")
]
SamePerson = Annotated[
    bool,
    Option("--allow-same-person", help="Let a person correct a caption in more than one round."),
]
DecidedBy = Annotated[
    str, Option("--as", metavar="NAME", help="Who decides.", show_default="your login")
]
Lang = Annotated[str, Option(metavar="TAG", help="The language.")]
Langs = Annotated[str, Option(metavar="TAGS", help="Languages, with commas between; or all.")]
Strict = Annotated[bool, Option("--strict", help="Do nothing if anything in the table is wrong.")]
TranslationState = Annotated[
    Literal["given", "machine"],
    Option(
        "--state",
        metavar="STATE",
        help="What the columns of other languages are: given, by people as they are; or a "
        "machine's, which `memeloc correct` sends out.",
    ),
]
MadeBy = Annotated[
    str,
    Option("--by", metavar="NAME", help="Who made them: the person, or the translator's name."),
]
TemplateFolders = Annotated[
    list[Path] | None,
    Option(
        "--templates",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="A folder of templates or pictures of yours; may be repeated.",
    ),
]
LocaleFolders = Annotated[
    list[Path] | None,
    Option(
        "--locales",
        metavar="DIR",
        help="A folder of locales of yours (one TOML each); may be repeated.",
    ),
]
FontFiles = Annotated[
    list[str] | None,
    Option(
        "--font",
        metavar="FONT",
        help="A font file of yours, or the name of a font of this system, used first; may be "
        "repeated. For a language or a style: ur=FILE, de:comic=FILE. Axes of a variable font "
        "follow a colon: My.ttf:wght=650,wdth=80.",
    ),
]
Jobs = Annotated[
    int | None, Option(min=1, help="Processes.", show_default="one a usable processor")
]
EngineName = Annotated[
    str,
    Option(
        "--engine",
        metavar="NAME",
        help="What spreads the work: processes, of this machine; ray, started here; or a cluster: "
        "ray:auto (this machine's), ray:HOST:PORT or ray://HOST:10001.",
        show_default="memeloc.toml's, else processes",
    ),
]
Kind = Annotated[
    Literal["caption", "transcript", "survey"],
    Option(
        metavar="KIND",
        help="caption; transcript, the text in pictures; or survey, the texts of surveys.",
    ),
]
Taxonomy = Annotated[
    str,
    Option(
        metavar="NAME",
        help="With --kind survey: only the texts of this taxonomy (or TOML file), and those that "
        "every survey has.",
        show_default="all",
    ),
]


CurationRecipe = Annotated[
    str,
    Option(
        "--recipe",
        metavar="NAME|FILE",
        help="Settings as a paper has them, in the place of memeloc.toml's: araharmeme, charmemes, "
        "harmeme, multi3hate, or a TOML of yours.",
        show_default="none",
    ),
]
ColumnMapOption = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="TOML|ROLE=COLUMN,...",
        help="What columns, labels and cultures mean: a file; or pairs, as item=ID,label=Hate, "
        "label.DE=COLUMN of one a culture, labels.1=hate, fixed.culture=DE. May be repeated.",
    ),
]
Settings = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="A setting, as below; may be repeated."),
]
TakenCaptions = Annotated[
    Literal["accepted", "corrected", "any"],
    Option(
        "--captions",
        metavar="WHICH",
        help="Of the workspace's captions: accepted (given, found right or settled), corrected "
        "(also those that nobody has found right yet) or any (also a machine's).",
    ),
]


Model = Annotated[
    str,
    Option(
        metavar="NAME", help="The model, as its server names it.", show_default="memeloc.toml's"
    ),
]
Budget = Annotated[float | None, Option(min=0, help="The most that it may cost; needs prices.")]
Cultures = Annotated[
    str,
    Option(metavar="CODES", help="Who is asked: countries, as RU; MX=es names a language."),
]
People = Annotated[
    Path | None,
    Option(metavar="TABLE", help="Who annotates: a column participant and, if wanted, group."),
]
AskDryRun = Annotated[bool, Option("--dry-run", help="Say what would be asked, at what cost.")]


def taking(
    options: Iterable[tuple[str, Any, Any]], before: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options (name, default and annotation) in the place of its `**options`.

    They come before the parameter `before`, else last.
    """
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in options
    ]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        declared = list(signature(command, eval_str=True).parameters.values())
        at = [parameter.name for parameter in declared].index(before or declared[-1].name)
        whole = [*declared[:at], *parameters, *declared[at:-1]]
        whole = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in whole]
        command.__signature__ = Signature(whole)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in whole}
        return command

    return with_options


def option(
    name: str,
    default: Any,
    help: str,
    metavar: str | None = None,
    shown: str | bool = True,
    **more: Any,
) -> tuple[str, Any, Any]:
    """Return an option for `taking`: its parameter's name, its default and its annotation.

    Args:
        shown: the default as people read it.
        more: `kind` is its type where the default is None, `flag` its name where that is not
            `--name`; all else is for typer's `Option`.
    """
    kind, flag = more.pop("kind", type(default)), more.pop("flag", f"--{name.replace('_', '-')}")
    declared = Option(flag, help=help, metavar=metavar, show_default=shown, **more)
    return name, default, Annotated[kind, declared]


def options_of(settings: type, shared: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, default and annotation of an option for each field of settings.

    Args:
        settings: a dataclass; what its fields' metadata has are arguments of typer's `Option`.
        shared: by field an annotation that other commands have, too.
    """
    kinds: Mapping[str, Any] = {"int | None": int | None, "str | None": str | None}
    for field in fields(settings):
        if field.name in shared:
            default = field.default if field.type == "bool" else None
            yield field.name, default, shared[field.name]
            continue
        option = dict(field.metadata)
        name = option.pop("name", "--" + field.name.replace("_", "-"))
        kind = kinds.get(str(field.type), type(field.default))
        yield field.name, field.default, Annotated[kind, Option(name, **option)]


def check_taxonomy(taxonomy: str, kind: str) -> None:
    """Refuse `--taxonomy` where it is not about the texts of surveys."""
    if taxonomy and kind != "survey":
        raise typer.BadParameter("only with --kind survey", param_hint="--taxonomy")


def split(text: str) -> list[str]:
    """Return the values of an option that takes several with commas between."""
    return [value.strip() for value in text.split(",") if value.strip()]


def column_map(texts: Sequence[str] | None) -> ColumnMap:
    """Return the map of `--map`: its TOML file, before which its pairs go. Raise InputError if the
    file cannot be read, or there is no such role."""
    import re

    from memeloc.tables.column_map import read_map

    file, values = None, dict[str, Any]()
    for part in (part for text in texts or () for part in re.split(r",(?=[^,=]+=)", text)):
        key, equals, value = map(str.strip, part.partition("="))
        role, dot, name = key.partition(".")
        if not equals:
            file = Path(key)
        elif dot:
            values.setdefault(role, {})[name] = value
        elif role in ("order", "abstentions", "missing", "models"):
            values[role] = tuple(value.split("|"))
        elif role in values:
            before = values[role]
            values[role] = (*(before if isinstance(before, tuple) else (before,)), value)
        else:
            values[role] = value if role != "scale" else value.lower() != "false"
    return read_map(file, **values)


def own_and(
    folders: Sequence[Path] | None, kind: Literal["templates", "locales", "fonts"]
) -> list[Path]:
    """Return the workspace's own folders of a kind, where the command runs in one, and those given.
    Raise InputError if memeloc.toml cannot be read."""
    from memeloc.workspace.own_folders import own_folders

    return [*getattr(own_folders(), kind), *(folders or ())]


def languages(text: str) -> list[str] | None:
    """Return the tags of `--langs`; None for `all` and for nothing."""
    tags = split(text)
    return None if tags in ([], ["all"]) else tags


def pairs(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    """`KEY=VALUE` as a mapping. Raise InputError if one is not written so."""
    from memeloc.errors import InputError

    values = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{option} is KEY=VALUE, not {text[:60]!r}")
        values[key.strip()] = value.strip()
    return values


def settings(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return the values of `--set`: JSON, and tables as in memeloc.toml, as such; all else as
    text."""
    import json
    import tomllib

    values: dict[str, Any] = {**pairs("--set", texts)}
    for key, text in values.items():
        with suppress(ValueError):
            if text.startswith("{"):  # elsewhere TOML has dates and times, which are texts here
                values[key] = tomllib.loads(f"value = {text}")["value"]
        with suppress(ValueError):
            values[key] = json.loads(text)
    return values


def engine(name: str, settings: EngineSettings | None = None) -> Engine:
    """Return what `--engine` names; without it, what the settings do. Raise InputError if there is
    no such engine; MissingError if it is not installed."""
    from memeloc.engine import EngineSettings, engine_of
    from memeloc.settings import validate

    values = (settings or EngineSettings()).model_dump()
    kind, colon, address = name.partition(":")
    if name:
        values["name"] = kind
    if colon:
        values["address"] = name if address.startswith("//") else address
    # Ray would print what died among a command's results, which are to be piped.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    return engine_of(validate(EngineSettings, values, "--engine"))


def login() -> str:
    """Return the name of who runs the command, as the system knows it."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"


ASKED_MEMES = [
    option(
        "collected",
        "",
        "Ask about finished memes: those that were selected, or all of a source or dataset; none "
        "for the workspace's captions.",
        "selected|NAME|none",
        "what was collected, or else the captions",
    ),
    option("language", "", "Of the captions.", "TAG", "the source language", flag="--lang"),
    option("pictures", "", "The rendered captions: what `render` wrote.", "DIR", "none"),
    option("longest_side", 768, "Of the picture, in pixels.", min=64, max=4096),
]
"""Options for `taking`: which memes a model is asked about, and what it is given of them."""
