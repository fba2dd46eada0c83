"""`memeloc survey`. In: memes of a workspace. Out: batches, and the commands that go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli import (
    survey_check,
    survey_decide,
    survey_export,
    survey_import,
    survey_plan,
    survey_settle,
    survey_status,
)
from memeloc.cli.output import Cell, print_json, say, table
from memeloc.cli.survey_options import AsJson, Name

if TYPE_CHECKING:
    from memeloc.survey.model import Batch
    from memeloc.survey.taxonomy import Taxonomy

app = typer.Typer(
    no_args_is_help=True,
    help="Ask annotators of many cultures: batches with attention checks out, labels back.\n\n\b\n"
    "Example:\n  memeloc survey plan --memes 300 --cultures US,DE,MX,IN,CN\n"
    "  memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN\n"
    "  memeloc survey export pilot --to html --contact lab@university.example\n"
    "  memeloc survey import pilot answers/*.json\n"
    "  memeloc survey check pilot\n  memeloc survey settle pilot\n  memeloc survey status pilot",
)


_SHOWN = 20


def build(
    name: Name,
    cultures: Annotated[
        str,
        typer.Option(
            metavar="CODES",
            help="Who is asked: countries, as US,DE,MX=es; =TAG names the language where the "
            "workspace has none, or several, of that country.",
        ),
    ],
    taxonomy: Annotated[
        str,
        typer.Option(metavar="NAME|FILE", help="What is asked; `memeloc survey taxonomies` lists."),
    ] = "multi3hate",
    size: Annotated[int, typer.Option(min=1, max=500, help="Memes a batch.")] = 20,
    answers: Annotated[int, typer.Option(min=1, help="Answers a meme and culture.")] = 5,
    explicit: Annotated[int, typer.Option(min=0, help="Explicit attention checks a sheet.")] = 1,
    implicit: Annotated[int, typer.Option(min=0, help="Implicit attention checks a sheet.")] = 3,
    seed: Annotated[int, typer.Option(help="Another one draws other batches.")] = 0,
    memes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Only these memes: a file with an id a line.", show_default="all"
        ),
    ] = None,
    relaxed: Annotated[
        str,
        typer.Option(metavar="CODES", help="Cultures whose people may live elsewhere; or none."),
    ] = "IN,CN",
    preannotate: Annotated[
        bool,
        typer.Option(
            "--preannotate",
            help="First ask about each meme twice, in one culture; `survey choose` goes on.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Deal memes into batches with attention checks, the same for every culture.

    The same seed gives the same batches. No two memes of one template come in a row; checks stand
    at drawn places, never first or last. A survey is never changed once it is built: build another
    under another name.

    \b
    Example:
      memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN --size 20 --seed 7
      memeloc survey build large --cultures US,DE --preannotate
    """
    from memeloc.cli.surveying import check_name, design_json, memes_for, read_cultures
    from memeloc.errors import InputError
    from memeloc.store import Workspace
    from memeloc.survey.design import build as building
    from memeloc.survey.design import preannotation
    from memeloc.survey.taxonomy import load_taxonomy

    check_name(name)
    asked = load_taxonomy(taxonomy)
    with Workspace.find() as workspace:
        whom = read_cultures(workspace, cultures, relaxed)
        for other in workspace.surveys():
            if other != name and other.casefold() == name.casefold():
                raise InputError(
                    f"There is a survey {other!r}; some systems keep both in one folder, so give "
                    f"this one another name than {name!r}."
                )
        chosen = None if memes is None else _ids(memes)
        found, lacking = memes_for(workspace, whom, chosen, memes)
        for tag, missing in lacking.items():
            say(f"{len(missing):,} memes have no caption in {tag} and are left out: {missing[0]}")
        if not found:
            raise InputError(
                "No meme has a caption in the language of every culture; translate first: "
                f"memeloc translate --langs {','.join(lacking) or 'TAGS'}"
            )
        design = building.Design(name, asked.name, whom, size, answers, explicit, implicit, seed)
        deal = preannotation.split if preannotate else building.build
        batches = deal(found, design, asked)
        new = workspace.add_survey(name, design_json(design, taxonomy, found), batches)
    remarks = building.notes(batches, found)
    _told(name, batches, remarks, new, as_json, len(found))


def choose(
    name: Name,
    total: Annotated[int, typer.Option(min=1, help="Memes in all.")] = 300,
    harmful: Annotated[float, typer.Option(min=0, max=1, help="Share called harmful.")] = 0.4,
    harmless: Annotated[float, typer.Option(min=0, max=1, help="Share called harmless.")] = 0.4,
    tied: Annotated[float, typer.Option(min=0, max=1, help="Share that people differ on.")] = 0.2,
    fewest_votes: Annotated[
        int, typer.Option(min=1, help="Votes without which a meme is not chosen.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Choose a balanced set by pre-annotation, and deal it into the survey's batches.

    Takes the answers of `survey build --preannotate` that `survey check` retains. Which memes of
    each kind are taken is drawn by the survey's seed, templates as evenly as they allow.

    \b
    Example:
      memeloc survey choose large --total 300
      memeloc survey choose large --total 100 --harmful 0.5 --harmless 0.5 --tied 0
    """
    from memeloc.cli.survey_check import checked
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.errors import InputError
    from memeloc.store import Workspace
    from memeloc.survey.design import build as building
    from memeloc.survey.design import preannotation
    from memeloc.survey.labels.settling import answers_table
    from memeloc.survey.quality.checking import retained

    balance = preannotation.Balance.of(total, harmful, harmless, tied)
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        if preannotation.ROUND not in survey.rounds:
            raise InputError(f"{name} has no pre-annotation; build it with --preannotate.")
        sheets = plain_sheets(survey, [preannotation.ROUND])
        report, submissions = checked(workspace, survey, sheets)
        answers = answers_table(retained(submissions, report), sheets)
        pairs = zip(answers["item"], answers["label"], strict=True)
        templates = dict(survey.memes)
        outcomes = preannotation.outcomes(
            pairs, templates, survey.taxonomy, fewest_votes=fewest_votes
        )
        chosen = preannotation.choose(outcomes, templates, balance, seed=survey.design.seed)
        found = [(one, templates[one]) for one in chosen.memes]
        batches = building.build(found, survey.design, survey.taxonomy)
        new = workspace.add_batches(name, batches)
    for kind, count in chosen.taken.items():
        say(f"{kind}: {count:,} of {chosen.there[kind]:,} taken")
    _told(name, batches, building.notes(batches, found), new, as_json, len(found))


def taxonomies(
    name: Annotated[
        str, typer.Argument(metavar="[NAME|FILE]", help="One of them.", show_default="all")
    ] = "",
    lang: Annotated[
        str, typer.Option("--lang", metavar="TAG", help="The language of the words.")
    ] = "en",
    as_json: AsJson = False,
) -> None:
    """List the label sets that ship, or show one whole: labels, rules, examples.

    \b
    Example:
      memeloc survey taxonomies
      memeloc survey taxonomies charmemes --lang de
      memeloc survey taxonomies my-labels.toml
    """
    from memeloc.survey.taxonomy import load_taxonomy, taxonomy_names
    from memeloc.survey.texts import shipped_languages

    if name:
        _show_taxonomy(load_taxonomy(name), lang, as_json)
        return
    several = [load_taxonomy(one) for one in taxonomy_names()]
    if as_json:
        print_json(
            {
                "taxonomies": [
                    {
                        "name": one.name,
                        "source": one.source,
                        "labels": [label.id for label in one.labels],
                        "second": None if one.second is None else one.second.id,
                        "examples": len(one.examples),
                    }
                    for one in several
                ],
                "languages": list(shipped_languages()),
            }
        )
        return
    table(
        "Taxonomies",
        ("name", "labels", "second question", "examples", "source"),
        [
            (
                one.name,
                len(one.labels),
                "" if one.second is None else one.second.id,
                len(one.examples),
                one.source,
            )
            for one in several
        ],
    )
    print(f"Their words are in {', '.join(shipped_languages())}")


def _show_taxonomy(taxonomy: Taxonomy, tag: str, as_json: bool) -> None:
    from memeloc.locales import default
    from memeloc.survey.instructions import explained
    from memeloc.survey.texts import survey_texts

    locale = default().get(tag)
    texts = survey_texts(locale, taxonomy=taxonomy)
    if lacking := set(taxonomy.keys()).intersection(texts.lacking(taxonomy)):
        say(f"{len(lacking):,} of its texts are not translated into {locale.tag}; English is shown")
    if as_json:
        print_json(
            {
                "name": taxonomy.name,
                "source": taxonomy.source,
                "most_severe": taxonomy.most_severe,
                "texts": {key: texts.get(key) for key in taxonomy.keys()},  # noqa: SIM118
            }
        )
        return
    before = f"taxonomy.{taxonomy.name}"
    print(f"{taxonomy.name}: {taxonomy.source}")
    print(texts.get(f"{before}.question"))
    print(texts.get(f"{before}.definition"))
    rows: list[Sequence[Cell]] = [
        (
            one.id,
            one.severity,
            texts.get(f"{before}.group.{one.group}") if one.group else "",
            texts.get(f"{before}.label.{one.id}.name"),
            explained(texts, taxonomy, one),
        )
        for one in taxonomy.labels
    ]
    table("Labels", ("id", "severity", "class", "name", "definition"), rows)
    if taxonomy.most_severe:
        print("Of several labels that fit, the most severe is chosen")
    if taxonomy.second is not None:
        second = taxonomy.second
        print(texts.get(f"{before}.second.{second.id}.question"))
        table(
            f"Answers, after {', '.join(second.when)}",
            ("id", "name"),
            [
                (one, texts.get(f"{before}.second.{second.id}.answer.{one}"))
                for one in second.answers
            ],
        )
    for rule in taxonomy.rules:
        print(f"Rule: {texts.get(f'{before}.rule.{rule}')}")
    table(
        "Examples",
        ("id", "label", "template", "caption", "why"),
        [
            (
                one.id,
                one.label,
                one.template,
                texts.get(f"{before}.example.{one.id}.caption"),
                texts.get(f"{before}.example.{one.id}.why"),
            )
            for one in taxonomy.examples
        ],
    )


def _told(
    name: str, batches: Sequence[Batch], remarks: Sequence[str], new: int, as_json: bool, memes: int
) -> None:
    sheets = sum(len(one.cultures) for one in batches)
    places = sum(len(one.cultures) * one.answers for one in batches)
    if as_json:
        told: dict[str, Any] = {
            "survey": name,
            "memes": memes,
            "batches": [
                {
                    "id": one.id,
                    "memes": list(one.memes),
                    "cultures": list(one.cultures),
                    "answers": one.answers,
                }
                for one in batches
            ],
            "sheets": sheets,
            "annotators": places,
            "new": new,
            "remarks": list(remarks),
        }
        print_json(told)
        return
    for remark in remarks[:_SHOWN]:
        say(f"Note: {remark}")
    if len(remarks) > _SHOWN:
        say(f"and {len(remarks) - _SHOWN:,} more such batches")
    fresh = "" if new else " (all of them were there)"
    print(
        f"{name}: {memes:,} memes in {len(batches):,} batches, {sheets:,} sheets for {places:,} "
        f"annotators{fresh}"
    )
    print(f"Next: memeloc survey export {name} --to html --contact WHO")


def _ids(path: Path) -> dict[str, int]:
    """The ids in a file, one a line, with their rows.

    Of a CSV the first column counts, without a heading `meme_id`.
    """
    import csv

    from memeloc.errors import InputError

    ids: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.reader(stream), start=1):
                if row and (one := row[0].strip()) and not (one == "meme_id" and not ids):
                    ids.setdefault(one, number)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "is no list of ids in UTF-8; write an id a line, or a table with them in front",
            file=path,
        ) from error
    except csv.Error as error:
        raise InputError(f"cannot be read as a list of ids: {error}", file=path) from error
    if not ids:
        raise InputError("has no ids in it; write one a line", file=path)
    return ids


app.command("taxonomies")(taxonomies)
app.command("plan")(survey_plan.plan)
app.command("power")(survey_plan.power)
app.command("build")(build)
app.command("choose")(choose)
app.command("export")(survey_export.export)
app.command("filters")(survey_export.filters)
app.command("import")(survey_import.import_)
app.command("check")(survey_check.check)
app.command("decide")(survey_decide.decide)
app.command("settle")(survey_settle.settle)
app.command("status")(survey_status.status)
