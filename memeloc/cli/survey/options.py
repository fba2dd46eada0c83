"""What several `memeloc survey` commands take. In: texts. Out: arguments, options and settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from memeloc.cli.options import pairs
from memeloc.cli.show import Table
from memeloc.counts import counted
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


AGREEMENT = Table(
    "Agreement; of one more answer an item, the share of labels that it would change",
    lambda result: [part for part in result.agreement if part.measures["shared"]],
    (
        "culture question",
        ("items", lambda part: part.measures["shared"]),
        ("people", lambda part: part.measures["annotators"]),
        ("agree", lambda part: _figure(part.measures["agreement"], ".1%")),
        ("alpha", lambda part: _figure(part.measures["alpha"])),
        ("ordinal", lambda part: _figure(part.measures["alpha_ordinal"])),
        ("Fleiss", lambda part: _figure(part.measures["fleiss"])),
        ("Cohen", lambda part: _figure(part.measures["cohen"])),
        (
            "one more",
            lambda part: next(
                (_figure(each.changed, ".1%") for each in part.measures["further"]), "-"
            ),
        ),
    ),
)
"""Without questions that nobody shared an item of; a measure that is not defined is `-`."""


def _figure(value: float | None, form: str = ".3f") -> str:
    return "-" if value is None else format(value, form)


Name = Annotated[str, Argument(metavar="NAME", help="The survey's name.")]
Changed = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="A setting of memeloc.toml's; repeatable."),
]


def target_options(texts: Sequence[str] | None) -> dict[str, Any]:
    """The values of `--option`; true and false are flags."""
    flags = {"true": True, "false": False}
    return {
        key.replace("-", "_"): flags.get(value.lower(), value)
        for key, value in pairs("--option", texts).items()
    }


def changed_sentences(changed: Sequence[str]) -> list[str]:
    """The sentence for finished memes whose picture has changed, if there are any."""
    if not changed:
        return []
    which = (
        changed[0]
        if len(changed) == 1
        else f"{counted(len(changed), 'meme')}, {changed[0]} the first,"
    )
    return [
        f"The picture of {which} has changed since the survey was built. People see the one it was "
        "built of, and answers are about that; build another survey to ask about the new one."
    ]


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
