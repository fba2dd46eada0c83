"""`memeloc survey taxonomies`. In: a name. Out: the label sets, or one with all its texts."""

from __future__ import annotations

from typer import Argument, Option

from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show

_TAXONOMIES = Table(
    "Taxonomies",
    "taxonomies",
    (
        "name",
        ("labels", lambda taxonomy: len(taxonomy.labels)),
        ("questions", lambda taxonomy: ", ".join(taxonomy.questions)),
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
            ("after", lambda question: "; ".join(", ".join(ids) for ids in question.when.values())),
            ("answers", lambda question: " | ".join(question.answers.values())),
        ),
    ),
    Table("Examples", "examples", "id label template caption why"),
    lambda result: ["Of labels that fit, the most severe is chosen"] * result.most_severe,
    lambda result: [f"Rule: {rule}" for rule in result.rules],
)


def taxonomies(
    name: str = Argument("", metavar="[NAME|FILE]", help="One of them.", show_default="all"),
    lang: str = Option("en", "--lang", metavar="TAG", help="The language of the texts."),
    as_json: AsJson = False,
) -> None:
    """List the label sets that ship, or show one whole: labels, rules, examples.

    \b
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
        languages = f"Their texts are in {', '.join(overview.languages)}"
        read = [tag for tag in overview.languages if readers(tag)]
        by_whom = f"Read by native speakers: {', '.join(read) or 'none of them yet'}"
        show(overview, _TAXONOMIES, languages, by_whom, as_json=as_json)
        return
    result = describe(name, default().get(lang))
    if result.lacking:
        say(
            f"{result.lacking:,} of its texts are not translated into {result.language}; English "
            "is shown"
        )
    if not as_json:
        print(f"{result.name}: {result.source}", result.question, result.definition, sep="\n")
    show(result, *_VIEWS, as_json=as_json)
