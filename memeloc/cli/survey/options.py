"""Options of several `memeloc survey` commands. In: texts. Out: options and settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from memeloc.cli.options import pairs, split
from memeloc.cli.show import Table, getter
from memeloc.counts import counted
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Name = Annotated[str, Argument(metavar="NAME", help="The survey's name.")]
Changed = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="A setting of memeloc.toml's; repeatable."),
]
Contact = Annotated[
    str,
    Option(
        help="Whom annotators may ask, as they read it.",
        show_default="memeloc.toml's, or as before",
    ),
]
Cultures = Annotated[str, Option(metavar="CODES", help="Only these cultures.", show_default="all")]
Pictures = Annotated[Path, Option(metavar="DIR", help="The folder that `memeloc render` made.")]


def target_options(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return the values of `--set`; true and false are flags."""
    flags = {"true": True, "false": False}
    return {
        key.replace("-", "_"): flags.get(value.lower(), value)
        for key, value in pairs("--set", texts).items()
    }


def codes_of(cultures: str) -> list[str]:
    return [code.upper() for code in split(cultures)]


def changed_sentences(changed: Sequence[str]) -> list[str]:
    """Return the sentence for finished memes whose picture has changed, if there are any."""
    if not changed:
        return []
    which = changed[0]
    if len(changed) > 1:
        which = f"{counted(len(changed), 'meme')}, {which} the first,"
    return [
        f"The picture of {which} has changed since the survey was built. People see the one it was "
        "built of, and answers are about that; build another survey to ask about the new one."
    ]


def cause_sentences(result: Any) -> list[str]:
    """Return the sentence why nothing of what came is retained; the next step has no other."""
    cause = getter("cause")(result)
    return [f"Nothing is retained: {cause}"] if cause else []


def check_table(*paths: Path | None) -> None:
    """Raise InputError, before anything is done, if no table is written by a file's ending."""
    from memeloc.tables.writing import SUFFIXES

    for path in paths:
        if path is not None and path.suffix.lower() not in SUFFIXES:
            raise InputError(
                "A table is written as .csv, .jsonl or .parquet; name it so.", file=path
            )


def write_frame(path: Path, frame: pd.DataFrame) -> Path:
    """Write a DataFrame of integers and texts as a table; return where, see `memeloc.sheets`."""
    from memeloc.sheets import write_sheet_table
    from memeloc.tables import Column

    columns = [
        Column(str(name), "integer" if kind.kind == "i" else "text")
        for name, kind in frame.dtypes.items()
    ]
    return write_sheet_table(path, columns, frame.itertuples(index=False))[0]


def _figures(part: Any) -> dict[str, Any]:
    measures = part.measures
    more = next((each.changed for each in measures["further"]), None)
    shares = {"agree": measures["agreement"], "one more": more}
    names = {"alpha": "alpha", "ordinal": "alpha_ordinal", "Fleiss": "fleiss", "Cohen": "cohen"}
    return (
        {"culture": part.culture, "question": part.question}
        | {"items": measures["shared"], "people": measures["annotators"]}
        | {name: "-" if share is None else f"{share:.1%}" for name, share in shares.items()}
        | {
            name: "-" if (figure := measures[key]) is None else f"{figure:.3f}"
            for name, key in names.items()
        }
    )


AGREEMENT = Table(
    "Agreement; of one more answer an item, the share of labels that it would change",
    lambda result: [
        _figures(part) for part in getter("agreement")(result) if part.measures["shared"]
    ],
    (
        "culture question items people agree alpha ordinal Fleiss Cohen",
        ("one more", "one more"),
    ),
)
"""Without questions that nobody shared an item of; a measure that is not defined is `-`."""
