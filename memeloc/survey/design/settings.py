"""Settings of a survey's design. In: keywords, a command's options, a recipe's table. Out:
settings.

Each is written here once: `Surveys.build` takes them as keywords, `memeloc survey build` has an
option for each (`option` has what typer's `Option` needs beyond it), and a recipe's table `design`
those of `RecipeDesign`. Who is asked is a text, as `US,DE,MX=es`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.settings import validate
from memeloc.survey.model import Culture

LARGEST = 500
"""Memes that a batch can have."""
RELAXED = "IN,CN"
"""Cultures whose people may live elsewhere (multi3hate 3.3)."""
Order = Literal["fixed", "turned", "drawn"]
"""In which people see the answers of choices: as the taxonomy lists them, turned round for every
second person, or drawn by the seed for each."""
Sharing = Literal["open", "all", "groups", "turns"]
"""Who of a team labels what; `open` is for whoever comes, so there is no team."""


def _names(value: Any) -> Any:
    return (
        tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value
    )


_Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
_Count = Annotated[int, Field(ge=0)]
_Checks = Annotated[int, Field(ge=0, le=50)]


def _setting(default: Any, description: str, shown: str = "", metavar: str = "") -> Any:
    option = {"show_default": shown, "metavar": metavar}
    extra: Any = {"option": {name: value for name, value in option.items() if value}}
    return Field(default, description=description, json_schema_extra=extra)


class DesignSettings(BaseModel):
    """Settings of a design that a recipe has, and a survey may have otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: Annotated[int, Field(ge=1, le=LARGEST)] = _setting(
        20, "Memes a batch.", "20, or the recipe's"
    )
    answers: Annotated[int, Field(ge=1, le=1000)] = _setting(
        5, "Answers a meme and culture.", "5, or the recipe's"
    )
    explicit: _Checks = _setting(1, "Explicit attention checks a sheet.", "1, or the recipe's")
    implicit: _Checks = _setting(3, "Implicit attention checks a sheet.", "3, or the recipe's")
    sample: _Count = _setting(0, "So many memes, drawn; 0 for all.", "all, or the recipe's")
    order: Order = _setting(
        "fixed",
        "The order of answers: as they are listed, turned round for every second person, or drawn "
        "for each.",
        "fixed, or the recipe's",
        "ORDER",
    )
    collected: str = _setting(
        "",
        "Ask about finished memes as they are: those that were selected, or all of a source or "
        "dataset that filters keep; none for the workspace's memes, rendered.",
        "none, or the recipe's",
        "selected|NAME|none",
    )


class RecipeDesign(DesignSettings):
    """The table `design` of a recipe. `groups` is how many groups the scheme has, `people` how many
    people in each (in all, where there are no groups); 0 for any number. A team that differs is
    remarked on."""

    sharing: Sharing = "open"
    groups: _Count = 0
    people: _Count = 0


class SurveySettings(DesignSettings):
    """Settings of a survey, besides its name and cultures."""

    recipe: str | Path = _setting(
        "",
        "A published scheme whole: what is asked of whom, which rules hold, how labels are "
        "settled; `memeloc survey show recipes` lists.",
        "none",
        "NAME|FILE",
    )
    mode: str = _setting("", "A mode of the recipe, as dry-run.", "the main one")
    people: Path | None = _setting(
        None,
        "Who annotates, for a recipe with a named team: participant and, if wanted, group.",
        "whoever comes",
        "TABLE",
    )
    taxonomy: str | Path = _setting(
        "",
        "What is asked; `memeloc survey show taxonomies` lists.",
        "multi3hate, or the recipe's",
        "NAME|FILE",
    )
    seed: int = _setting(0, "Another one draws other batches.", "0")
    memes: Path | Sequence[str] | None = _setting(
        None, "Only these memes: a file with an id a line.", "all", "FILE"
    )
    relaxed: str = _setting(
        RELAXED, "Cultures whose people may live elsewhere; or none.", RELAXED, "CODES"
    )
    differing: Path | None = _setting(
        None,
        "Only memes on which a model's rounds differ: meme_id, and a column a round.",
        "all",
        "TABLE",
    )
    preannotate: bool = _setting(
        False, "First ask about each meme twice, in one culture; `survey choose` goes on."
    )
    batches: Path | None = _setting(
        None,
        "These batches instead of drawn ones: batch, meme_id and, if wanted, position and culture.",
        "drawn",
        "TABLE",
    )
    items: Path | None = _setting(
        None,
        "Texts of the items' own: meme_id, and a column for each question that has them.",
        metavar="TABLE",
    )
    demographics: _Names = _setting(
        (),
        "Ask about the person at the end: gender, age, ethnicity, education, politics, religion, "
        "most-of-life; with commas between.",
        "nothing",
        "IDS",
    )
    captions: Literal["accepted", "corrected", "any"] = _setting(
        "accepted",
        "Of the workspace's captions: accepted (given, found right or settled), corrected (also "
        "those that nobody has found right yet) or any (also a machine's).",
        "accepted",
        "WHICH",
    )

    def over(self, recipe: RecipeDesign) -> RecipeDesign:
        """Return a recipe's design with what was said otherwise."""
        changed = self.model_fields_set & DesignSettings.model_fields.keys()
        return recipe.model_copy(update={name: getattr(self, name) for name in changed})


def read_survey_settings(values: Mapping[str, Any]) -> SurveySettings:
    """Return settings from keywords; one that is None is left as it is by default. Raise InputError
    if there is no such setting, or it cannot have that value."""
    set_ = {name: value for name, value in values.items() if value is not None}
    return validate(SurveySettings, set_, "the survey")


_CODE = re.compile("[A-Z]{2}(-[A-Z]{2})?")


def read_cultures(
    text: str,
    languages: Iterable[Locale],
    find: Callable[[str], Locale],
    relaxed: str = RELAXED,
) -> tuple[Culture, ...]:
    """Return cultures of `DE,MX=es,IN=hi`: countries, each with its language if that is not plain.

    A country without a language takes the one of `languages` that is spoken there, by the locales'
    own countries; `find` gives that of a tag. `IN-US=hi+en` are bicultural people, who were born in
    the one country, live in the other, and speak both languages; their sheets are in the first.
    """
    by_tag = {locale.tag: locale for locale in languages}

    def spoken(country: str, tag: str) -> Locale:
        locales = [locale for locale in by_tag.values() if locale.country == country]
        if not tag and len(locales) != 1:
            raise InputError(
                f"Which language is {country} asked in? "
                + ("Several are" if locales else "None of the workspace's is")
                + f" of that country; write {country}=TAG, with one of {', '.join(by_tag)} or "
                "another."
            )
        return find(tag) if tag else locales[0]

    free = {code.strip().upper() for code in relaxed.split(",") if code.strip()}
    cultures = []
    for word in filter(None, map(str.strip, text.split(","))):
        code, _, tags = (part.strip() for part in word.partition("="))
        code, (first, _, other) = code.upper(), tags.partition("+")
        if not _CODE.fullmatch(code) or code[:2] == code[3:]:
            raise InputError(
                f"--cultures: {code[:20]!r} is not a country; write two letters each, with commas "
                "between, as US,DE,MX=es; for bicultural people two countries, as IN-US=hi+en"
            )
        if "UK" in code.split("-"):
            raise InputError("--cultures: the United Kingdom's code is GB (ISO 3166), not UK")
        if other and "-" not in code:
            raise InputError(
                f"--cultures: {word[:30]!r} has two languages and one country; bicultural people "
                "have two, as IN-US=hi+en"
            )
        locale = spoken(code[:2], first.strip())
        second = spoken(code[3:], other.strip()) if "-" in code else None
        cultures.append(Culture(code, locale, code not in free, second))
    codes = [culture.code for culture in cultures]
    unknown = free.difference(codes, {"NONE"})
    if unknown and relaxed != RELAXED:
        raise InputError(
            f"--relaxed: {min(unknown)[:20]!r} is not one of the cultures; name some of "
            f"{','.join(codes)}, or none"
        )
    return tuple(cultures)


_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?")
_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{device}{number}" for device in ("COM", "LPT") for number in range(10)
}
"""Names that no file of Windows can have."""


def check_name(name: str, others: Iterable[str]) -> None:
    """Refuse a survey's name that cannot be a folder's everywhere, nor stand in ids."""
    if name.split(".")[0].upper() in _RESERVED:
        raise InputError(f"A survey cannot be called {name[:80]!r}: no folder on Windows can.")
    if not _NAME.fullmatch(name):
        raise InputError(
            f"A survey cannot be called {name[:80]!r}: 1 to 60 of a to z, A to Z, digits, '.', "
            "'-' and '_', a letter or digit first, no '.' last."
        )
    for other in others:
        if other != name and other.casefold() == name.casefold():
            raise InputError(
                f"There is a survey {other!r}; some systems keep both in one folder, so give "
                f"this one another name than {name!r}."
            )
