"""`memeloc survey taxonomies`, `texts`, `recipes`, `team`. In: a name. Out: what ships, shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show
from memeloc.cli.survey.options import Name

_TAXONOMIES = Table(
    "Taxonomies",
    "taxonomies",
    (
        "name",
        ("labels", lambda taxonomy: len(taxonomy["labels"])),
        ("questions", lambda taxonomy: ", ".join(taxonomy["questions"])),
        "examples source",
    ),
)
_VIEWS = (
    Table("Labels", "labels", "id severity class=group name definition"),
    Table(
        "Further questions",
        "questions",
        (
            "id kind text",
            ("after", lambda each: "; ".join(", ".join(ids) for ids in each["when"].values())),
            ("answers", lambda question: " | ".join(question["answers"].values())),
        ),
    ),
    Table("Examples", "examples", "id label template caption why"),
    lambda result: ["Of labels that fit, the most severe is chosen"] * result["most_severe"],
    lambda result: [f"Rule: {rule}" for rule in result["rules"]],
)


def taxonomies(
    name: str = Argument("", metavar="[NAME|FILE]", help="One of them.", show_default="all"),
    lang: str = Option("en", "--lang", metavar="TAG", help="The language of the texts."),
    as_json: AsJson = False,
) -> None:
    """List the label sets that ship, or show one whole: labels, rules, examples.

    Example:
      memeloc survey taxonomies
      memeloc survey taxonomies charmemes --lang de
      memeloc survey taxonomies my-labels.toml
    """
    from memeloc.locales import default
    from memeloc.survey.overview import describe, list_taxonomies
    from memeloc.survey.texts import readers

    if not name:
        overview = list_taxonomies()
        languages = f"Their texts are in {', '.join(overview['languages'])}"
        read = [tag for tag in overview["languages"] if readers(tag)]
        by_whom = f"Read by native speakers: {', '.join(read) or 'none of them yet'}"
        show(overview, _TAXONOMIES, languages, by_whom, as_json=as_json)
        return
    result = describe(name, default().get(lang))
    if result["lacking"]:
        into = f"not translated into {result['language']}; English is shown"
        say(f"{result['lacking']:,} of its texts are {into}")
    if not as_json:
        title = f"{result['name']}: {result['source']}"
        print(title, result["question"], result["definition"], sep="\n")
    show(result, *_VIEWS, as_json=as_json)


_TEXTS = Table("Texts", "texts", "name text")


def texts(
    beginning: str = Argument(
        "", metavar="[BEGINNING]", help="How their names begin.", show_default="all"
    ),
    lang: str = Option("en", "--lang", metavar="TAG", help="The language."),
    as_json: AsJson = False,
) -> None:
    """List the texts of surveys that ship, with the names that memeloc.toml replaces them by.

    A text of your own stands in memeloc.toml in the section `study.texts.TAG`, in English as well.

    Example:
      memeloc survey texts consent
      memeloc survey texts study --lang de
    """
    from memeloc.locales import default
    from memeloc.survey.overview import list_texts

    show(list_texts(default().get(lang), beginning), _TEXTS, _readers, as_json=as_json)


def _readers(result: Mapping[str, Any]) -> Iterator[str]:
    if result["read_by"]:
        yield f"Read by native speakers: {'; '.join(result['read_by'])}"
    else:
        yield f"No native speaker has read the texts in {result['language']} yet"


_RECIPES = Table("Recipes", "recipes", "name mode taxonomy sharing answers summary source")
_TEAM = Table(
    "{n:sheet} for {0[people]:person|people}",
    "sheets",
    ("place participant sheet round memes", ("came", lambda row: "yes" if row["came"] else "no")),
)


def recipes(
    name: str = Argument("", metavar="[NAME|FILE]", help="One of them.", show_default="all"),
    as_json: AsJson = False,
) -> None:
    """List the published schemes of annotation that `memeloc survey build --recipe` sets up.

    Example:
      memeloc survey recipes
      memeloc survey recipes mine.toml
    """
    from memeloc.survey.recipes import list_recipes

    result = list_recipes(name)
    show(
        result,
        _RECIPES,
        "Next: memeloc survey build NAME --recipe RECIPE --cultures CODES",
        as_json=as_json,
    )


def team(
    name: Name,
    people: Path | None = Option(
        None, metavar="TABLE", help="The team's table, for the names: only hashes are stored."
    ),
    as_json: AsJson = False,
) -> None:
    """Say who of a named team is to fill which sheet, and whose answers came.

    Example:
      memeloc survey team trial --people team.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.team(people)
    show(result, _TEAM, as_json=as_json)
