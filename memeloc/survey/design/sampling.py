"""Parts of a set of memes. In: memes, or labels of a model's rounds. Out: those to ask about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.design.chance import chance, shuffled
from memeloc.tables import read_table


def sampled(memes: Mapping[str, str], count: int, seed: int) -> dict[str, str]:
    """So many memes (template by id), drawn by the seed; all of them where there are fewer."""
    drawn = shuffled(sorted(memes), chance(seed, "sample"))[: count or None]
    return {meme: memes[meme] for meme in sorted(drawn)}


def read_differing(path: Path) -> list[str]:
    """The memes on which the rounds of a model differ (CHARMemes 4.1: three rounds).

    The table has `meme_id` and a column for each round, with the label of the round. Where all are
    the same the label is taken as it is, and nobody is asked.

    Raises:
        InputError: with file, row and column: there are fewer than two rounds, a label is missing,
            a meme is there twice, or all rounds agree everywhere.
    """
    table = read_table(path, ("meme_id",))
    rounds = [name for name in table.columns if name != "meme_id"]
    if len(rounds) < 2:
        raise InputError("has to have a column for each round, two or more", file=path)
    rows: dict[str, int] = {}
    differing = []
    for row in table.rows:
        meme = row["meme_id"]
        if meme in rows:
            message = f"{meme[:80]!r} is there already, in row {rows[meme]}"
            raise InputError(message, file=path, row=row.number, column="meme_id")
        rows[meme] = row.number
        labels = {name: row[name] for name in rounds}
        if missing := [name for name, label in labels.items() if not label]:
            message = f"{meme[:80]!r} has no label here"
            raise InputError(message, file=path, row=row.number, column=missing[0])
        if len(set(labels.values())) > 1:
            differing.append(meme)
    if not differing:
        raise InputError("All rounds agree on every meme; there is nothing to ask", file=path)
    return differing
