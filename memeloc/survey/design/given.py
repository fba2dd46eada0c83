"""Which memes a team asks about. In: a table of batches, or of a model's rounds; a number. Out: the
same batches with checks drawn in, the memes on which rounds differ, so many memes by chance.

The table of batches has a row a meme: `batch` and `meme_id`, and if wanted `position` in the batch
(else the rows' order) and `culture`, the codes that the batch goes to (else all). A batch is the
same in all of its cultures (multi3hate A.6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.design.arranging import chance, shuffled
from memeloc.survey.design.build import Design, batch_of, check_memes
from memeloc.survey.design.settings import LARGEST
from memeloc.survey.model import Batch
from memeloc.tables import Row, read_table
from memeloc.taxonomy import Taxonomy

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,28}[A-Za-z0-9])?")
_BATCH, _MEME, _POSITION, _CULTURE = "batch", "meme_id", "position", "culture"


@dataclass(frozen=True, slots=True)
class GivenBatch:
    """A batch as the table has it: memes in order, and for sentences the row of each."""

    name: str
    rows: Mapping[str, int]
    cultures: tuple[str, ...]

    @property
    def memes(self) -> tuple[str, ...]:
        return tuple(self.rows)


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    position: int
    row: int
    meme: str


def read_batches(path: Path, cultures: Sequence[str]) -> tuple[GivenBatch, ...]:
    """The batches of a table, in the order in which they begin there.

    `cultures` are the codes of the survey's.

    Raises:
        InputError: with file, row and column, a cell cannot be, a meme is twice in a batch or
            place, or a batch differs between its cultures.
    """
    places: dict[str, dict[str, list[_Place]]] = {}
    spelled: dict[str, str] = {}
    for row in read_table(path, (_BATCH, _MEME)).rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        name = _name(path, row)
        if spelled.setdefault(name.casefold(), name) != name:
            message = f"the batch is called {spelled[name.casefold()]!r} above; call it the same"
            raise InputError(message, file=path, row=row.number, column=_BATCH)
        place = _Place(_position(path, row), row.number, _meme(path, row))
        for code in _cultures(path, row, cultures):
            _add(path, places.setdefault(name, {}).setdefault(code, []), place)
    if not places:
        raise InputError("has no batches in it; write a row a meme", file=path)
    return tuple(_batch(path, name, by_code, cultures) for name, by_code in places.items())


def build_given(
    given: Sequence[GivenBatch], memes: Mapping[str, str], design: Design, taxonomy: Taxonomy
) -> tuple[Batch, ...]:
    """The batches as they are given, each with the checks of the design at drawn places.

    `memes` are the templates by id of all that are in them. The id of a batch is `r1-NAME`.

    Raises:
        InputError: as of `build`.
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


def _name(path: Path, row: Row) -> str:
    name = row[_BATCH]
    if not _NAME.fullmatch(name):
        raise InputError(
            f"A batch cannot be called {name[:60]!r}: write 1 to 30 of a to z, A to Z, digits and "
            "'-', no '-' first or last.",
            file=path,
            row=row.number,
            column=_BATCH,
        )
    return name


def _meme(path: Path, row: Row) -> str:
    if meme := row[_MEME]:
        return meme
    raise InputError("There is no meme here.", file=path, row=row.number, column=_MEME)


def _position(path: Path, row: Row) -> int:
    """Where the meme stands; the row's own number in a table without positions."""
    if _POSITION not in row:
        return row.number
    text = row[_POSITION]
    if not re.fullmatch(r"[0-9]{1,6}", text):
        message = f"{text[:40]!r} is not a place in the batch; write a number such as 1"
        raise InputError(message, file=path, row=row.number, column=_POSITION)
    return int(text)


def _cultures(path: Path, row: Row, cultures: Sequence[str]) -> Sequence[str]:
    codes = [code.upper() for code in re.split(r"[,;\s]+", row[_CULTURE]) if code]
    for code in codes:
        if code not in cultures:
            message = f"{code[:40]!r} is not a culture of the survey; it has {', '.join(cultures)}"
            raise InputError(message, file=path, row=row.number, column=_CULTURE)
    return list(dict.fromkeys(codes)) or cultures


def _add(path: Path, places: list[_Place], place: _Place) -> None:
    for other in places:
        if other.meme == place.meme:
            message = f"{place.meme[:80]!r} is in this batch already, in row {other.row}"
            raise InputError(message, file=path, row=place.row, column=_MEME)
        if other.position == place.position:
            message = f"the place {place.position} is taken already, in row {other.row}"
            raise InputError(message, file=path, row=place.row, column=_POSITION)
    if len(places) == LARGEST:
        raise InputError(f"A batch has {LARGEST} memes at the most.", file=path, row=place.row)
    places.append(place)


def _batch(
    path: Path, name: str, places: Mapping[str, list[_Place]], cultures: Sequence[str]
) -> GivenBatch:
    codes = tuple(code for code in cultures if code in places)
    first, *others = (sorted(places[code]) for code in codes)
    for code, other in zip(codes[1:], others, strict=True):
        if [place.meme for place in other] != [place.meme for place in first]:
            raise InputError(
                f"The batch {name} has other memes, or another order, in {code} than in "
                f"{codes[0]}; batches are the same in all their cultures, so call it otherwise in "
                f"{code}.",
                file=path,
                row=other[0].row,
                column=_BATCH,
            )
    return GivenBatch(name, {place.meme: place.row for place in first}, codes)


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
