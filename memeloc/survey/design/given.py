"""Which memes a team asks about. In: a table of batches, or of a model's rounds; a number. Out: the
same batches with checks drawn in, the memes on which rounds differ, so many memes by chance.

The table of batches has a row a meme: `batch` and `meme_id`, and if wanted `position` in the batch
(else the rows' order) and `culture`, the codes that the batch goes to (else all). A batch is the
same in all of its cultures (multi3hate A.6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memeloc.errors import InputError
from memeloc.survey.design.arranging import chance, shuffled
from memeloc.survey.design.build import Design, batch_of, check_memes
from memeloc.survey.design.settings import LARGEST
from memeloc.survey.model import Batch
from memeloc.tables import read_table
from memeloc.taxonomy import Taxonomy

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,28}[A-Za-z0-9])?")


class GivenBatch(NamedTuple):
    """A batch as the table has it: the row of each meme, in order, and the cultures' codes."""

    name: str
    rows: Mapping[str, int]
    cultures: tuple[str, ...]

    @property
    def memes(self) -> tuple[str, ...]:
        return tuple(self.rows)


def read_batches(path: Path, cultures: Sequence[str]) -> tuple[GivenBatch, ...]:
    """Return the batches of a table for `cultures` (codes), in the order in which they begin there.

    Raises:
        InputError: with file, row and column, a cell cannot be, a meme is twice in a batch or
            place, or a batch differs between its cultures.
    """
    rows_of: dict[str, dict[str, dict[int, tuple[str, int]]]] = {}
    spelled: dict[str, str] = {}
    for row in read_table(path, ("batch", "meme_id")).rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        name, meme = row["batch"], row["meme_id"]
        position = row["position"] if "position" in row else str(row.number)
        codes = [code.upper() for code in re.split(r"[,;\s]+", row["culture"]) if code]
        unknown = next((code for code in codes if code not in cultures), "")
        above = spelled.setdefault(name.casefold(), name)
        problems = [
            ("batch", not _NAME.fullmatch(name), f"A batch cannot be called {name[:60]!r}: write 1 "
             "to 30 of a to z, A to Z, digits and '-', no '-' first or last."),
            ("batch", above != name, f"the batch is called {above!r} above; call it the same"),
            ("meme_id", not meme, "There is no meme here."),
            ("position", not re.fullmatch("[0-9]{1,6}", position), f"{position[:40]!r} is not a "
             "place in the batch; write a number such as 1"),
            ("culture", unknown, f"{unknown[:40]!r} is not a culture of the survey; it has "
             f"{', '.join(cultures)}"),
        ]  # fmt: skip
        places = rows_of.setdefault(name, {})
        for code in codes or cultures:
            own = dict(places.get(code, {}).values())
            problems.append(
                ("meme_id", meme in own, f"{meme[:80]!r} is in this batch already, in row "
                 f"{own.get(meme)}")
            )  # fmt: skip
            if position.isdecimal() and (taken := places.get(code, {}).get(int(position))):
                message = f"the place {position} is taken already, in row {taken[1]}"
                problems.append(("position", True, message))
        for column, is_wrong, message in problems:
            if is_wrong:
                raise InputError(message, file=path, row=row.number, column=column)
        for code in codes or cultures:
            places.setdefault(code, {})[int(position)] = (meme, row.number)
            if len(places[code]) > LARGEST:
                message = f"A batch has {LARGEST} memes at the most."
                raise InputError(message, file=path, row=row.number)
    if not rows_of:
        raise InputError("has no batches in it; write a row a meme", file=path)
    batches = []
    for name, by_code in rows_of.items():
        codes = [code for code in cultures if code in by_code]
        ordered = {code: dict(by_code[code][at] for at in sorted(by_code[code])) for code in codes}
        first = ordered[codes[0]]
        for code, rows in ordered.items():
            if list(rows) != list(first):
                raise InputError(
                    f"The batch {name} has other memes, or another order, in {code} than in "
                    f"{codes[0]}; batches are the same in all their cultures, so call it otherwise "
                    f"in {code}.",
                    file=path,
                    row=next(iter(rows.values())),
                    column="batch",
                )
        batches.append(GivenBatch(name, first, tuple(codes)))
    return tuple(batches)


def build_given(
    given: Sequence[GivenBatch], memes: Mapping[str, str], design: Design, taxonomy: Taxonomy
) -> tuple[Batch, ...]:
    """Return the batches as they are given, `r1-NAME`, with the design's checks at drawn places.

    `memes` are the templates by id of all that are in them. Raises as `build`.
    """
    check_memes(memes, design, taxonomy)
    return tuple(
        batch_of(
            f"r1-{batch.name}",
            batch.memes,
            memes,
            design,
            taxonomy,
            chance(design.seed, "given", batch.name, *batch.cultures),
            cultures=batch.cultures,
        )
        for batch in given
    )


def sampled(memes: Mapping[str, str], count: int, seed: int) -> dict[str, str]:
    """Return so many memes (template by id), drawn by the seed; all of them where there are
    fewer."""
    drawn = shuffled(sorted(memes), chance(seed, "sample"))[: count or None]
    return {meme: memes[meme] for meme in sorted(drawn)}


def read_differing(path: Path) -> list[str]:
    """Return the memes on which the rounds of a model differ (CHARMemes 4.1: three rounds).

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
        missing = next((name for name in rounds if not row[name]), "")
        if meme in rows or missing:
            raise InputError(
                f"{meme[:80]!r} is there already, in row {rows[meme]}"
                if meme in rows
                else f"{meme[:80]!r} has no label here",
                file=path,
                row=row.number,
                column="meme_id" if meme in rows else missing,
            )
        rows[meme] = row.number
        if len({row[name] for name in rounds}) > 1:
            differing.append(meme)
    if not differing:
        raise InputError("All rounds agree on every meme; there is nothing to ask", file=path)
    return differing
