"""Tables that a team gives for a design. In: a file. Out: batches, a team, memes; or `InputError`
with file, row and column.

- Batches, a row a meme: `batch` and `meme_id`, and if wanted `position` in the batch (else the
  rows' order) and `culture`, the codes that the batch goes to (else all). A batch is the same in
  all of its cultures (multi3hate A.6).
- People: `participant` and, where there are groups, `group`.
- The rounds of a model: `meme_id`, and a column for each round with its label.
- Memes: ids in the first column; texts of their own, a column a question of the taxonomy.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.survey.design.settings import LARGEST, RecipeDesign, Sharing, SurveySettings
from memeloc.tables import Row, read_table
from memeloc.taxonomy import LABEL, Taxonomy

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,28}[A-Za-z0-9])?")
_GROUP = re.compile(r"(?=.{1,30}$)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


class GivenBatch(NamedTuple):
    """A batch as a table has it: the row of each meme, in order, and the cultures' codes."""

    name: str
    rows: Mapping[str, int]
    cultures: tuple[str, ...]

    @property
    def memes(self) -> tuple[str, ...]:
        return tuple(self.rows)


@dataclass(frozen=True, slots=True)
class Team:
    """Named people: the participant by the place, such as `a-2`, the second of group a."""

    people: Mapping[str, str]

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(self.people)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        groups: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for place in self.people:
            groups[place.rpartition("-")[0]] += (place,)
        return dict(groups)

    def remarks(self, sharing: Sharing, groups: int, people: int) -> tuple[str, ...]:
        """Return how it differs from what a scheme has, as sentences; 0 is any number."""
        sizes = {group: len(places) for group, places in self.groups.items()}
        remarks = []
        if sharing == "groups":
            if groups and len(sizes) != groups:
                remarks.append(
                    f"The scheme has {groups} groups of people, and this team {len(sizes)}."
                )
            remarks += [
                f"The scheme has {people} people a group, and {group} has {size}."
                for group, size in sizes.items()
                if people and size != people
            ]
        elif people and len(self.people) != people:
            remarks.append(f"The scheme has {people} people, and this team {len(self.people)}.")
        return tuple(remarks)


def read_batches(path: Path, cultures: Sequence[str]) -> tuple[GivenBatch, ...]:
    """Return the batches of a table for `cultures` (codes), in the order in which they begin there.
    Raise InputError if a cell cannot be, a meme is twice in a batch or place, or a batch differs
    between its cultures."""
    batches: dict[str, dict[str, dict[int, tuple[str, int]]]] = {}
    spelled: dict[str, str] = {}
    for row in read_table(path, ("batch", "meme_id")).rows:
        name, meme = row["batch"], row["meme_id"]
        position = row["position"] if "position" in row else str(row.number)
        codes = [code.upper() for code in re.split(r"[,;\s]+", row["culture"]) if code]
        unknown = next((code for code in codes if code not in cultures), "")
        above = spelled.setdefault(name.casefold(), name)
        _refuse(
            path,
            row,
            ("", row.reason, row.error),
            ("batch", not _NAME.fullmatch(name), f"A batch cannot be called {name[:60]!r}: write 1 "
             "to 30 of a to z, A to Z, digits and '-', no '-' first or last."),
            ("batch", above != name, f"the batch is called {above!r} above; call it the same"),
            ("meme_id", not meme, "There is no meme here."),
            ("position", not re.fullmatch("[0-9]{1,6}", position), f"{position[:40]!r} is not a "
             "place in the batch; write a number such as 1"),
            ("culture", unknown, f"{unknown[:40]!r} is not a culture of the survey; it has "
             f"{', '.join(cultures)}"),
        )  # fmt: skip
        for code in codes or cultures:
            places = batches.setdefault(name, {}).setdefault(code, {})
            first, taken = dict(places.values()).get(meme), places.get(int(position))
            _refuse(
                path,
                row,
                ("meme_id", first, f"{meme[:80]!r} is in this batch already, in row {first}"),
                ("position", taken, f"the place {position} is taken already, in row "
                 f"{taken and taken[1]}"),
                ("", len(places) == LARGEST, f"A batch has {LARGEST} memes at the most."),
            )  # fmt: skip
            places[int(position)] = (meme, row.number)
    if not batches:
        raise InputError("has no batches in it; write a row a meme", file=path)
    return tuple(_given(name, by_code, cultures, path) for name, by_code in batches.items())


def _given(
    name: str,
    places: Mapping[str, Mapping[int, tuple[str, int]]],
    cultures: Sequence[str],
    path: Path,
) -> GivenBatch:
    codes = tuple(code for code in cultures if code in places)
    rows = {code: dict(places[code][at] for at in sorted(places[code])) for code in codes}
    first = rows[codes[0]]
    for code in codes:
        if list(rows[code]) != list(first):
            raise InputError(
                f"The batch {name} has other memes, or another order, in {code} than in "
                f"{codes[0]}; batches are the same in all their cultures, so call it otherwise "
                f"in {code}.",
                file=path,
                row=next(iter(rows[code].values())),
                column="batch",
            )
    return GivenBatch(name, first, codes)


def read_team(path: Path) -> Team:
    """Return the people of a table; raise InputError if nobody is in it, somebody is twice, or a
    group cannot be called so."""
    people: dict[str, str] = {}
    rows: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    for row in read_table(path, ("participant",)).rows:
        who, group = row["participant"], row["group"] or "team"
        _refuse(
            path,
            row,
            ("", not who, "Nobody is named here."),
            ("participant", who in rows, f"{who[:60]!r} is there already, in row {rows.get(who)}"),
            ("group", not _GROUP.fullmatch(group), f"A group cannot be called {group[:60]!r}: "
             "write letters, digits and '-'."),
        )  # fmt: skip
        rows[who] = row.number
        numbers[group] += 1
        people[f"{group}-{numbers[group]}"] = who
    if not people:
        raise InputError("has nobody in it; write a person a line", file=path)
    return Team(people)


def read_differing(path: Path) -> list[str]:
    """Return the memes on which the rounds of a model differ (CHARMemes 4.1: three rounds).

    Where all are the same the label is taken as it is, and nobody is asked. Raise InputError if
    there are fewer than two rounds, a label is missing, a meme is there twice, or all rounds agree
    everywhere.
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
        _refuse(
            path,
            row,
            ("meme_id", meme in rows, f"{meme[:80]!r} is there already, in row {rows.get(meme)}"),
            (missing, missing, f"{meme[:80]!r} has no label here"),
        )
        rows[meme] = row.number
        if len({row[name] for name in rounds}) > 1:
            differing.append(meme)
    if not differing:
        raise InputError("All rounds agree on every meme; there is nothing to ask", file=path)
    return differing


def _refuse(path: Path, row: Row, *problems: tuple[str, object, str]) -> None:
    """Raise the first of a row's problems: its column, whether there is one, and the sentence."""
    for column, is_wrong, message in problems:
        if is_wrong:
            raise InputError(message, file=path, row=row.number, column=column or None)


class MemeChoice(NamedTuple):
    """The memes that somebody asks for: ids with their rows in `file`; `rows` is None for all."""

    rows: Mapping[str, int | None] | None = None
    file: Path | None = None
    batches: tuple[GivenBatch, ...] = ()

    def among(self, existing: Mapping[str, object], where: str) -> list[str]:
        """Return the ids; raise InputError if one does not exist, `where` it was looked for."""
        ids = list(existing if self.rows is None else self.rows)
        if unknown := [meme for meme in ids if meme not in existing]:
            more = f" ({len(unknown) - 1:,} more are not there)" if len(unknown) > 1 else ""
            raise self.wrong(unknown[0], f"{where} has no meme {unknown[0][:80]!r}{more}.")
        return ids

    def wrong(self, meme: str, message: str, row: int | None = None) -> InputError:
        column = "meme_id" if self.batches else None
        row = row or (self.rows or {}).get(meme)
        return InputError(message, file=self.file, row=row, column=column)


def chosen_memes(
    chosen: SurveySettings, cultures: Sequence[str], numbers: RecipeDesign, team: Team | None
) -> MemeChoice:
    """Return the memes that a survey's settings name: ids, or those of a table's first column (a
    heading `meme_id` is none), of the rounds of a model, or of batches; raise InputError if
    several do."""
    memes, differing, batches = chosen.memes, chosen.differing, chosen.batches
    if batches and (chosen.preannotate or memes is not None or differing or numbers.sample or team):
        raise InputError(
            "A table of batches says itself which memes are asked about where; leave "
            "out --memes, --differing, --preannotate, samples and teams"
        )
    if differing and memes is not None:
        raise InputError("Both --memes and --differing say which memes; leave one out")
    if batches:
        tables = read_batches(batches, cultures)
        rows = {meme: row for batch in reversed(tables) for meme, row in batch.rows.items()}
        return MemeChoice(rows, batches, tables)
    if differing:
        memes = read_differing(differing)
    if memes is None or not isinstance(memes, Path):
        return MemeChoice() if memes is None else MemeChoice(dict.fromkeys(memes))
    table = read_table(memes)
    first = table.columns[0]
    of_table: dict[str, int | None] = {} if first == "meme_id" else {first: 1}
    for row in table.rows:
        of_table.setdefault(row[first], row.number)
    of_table.pop("", None)
    if not of_table:
        raise InputError("has no ids in it; write one a line", file=memes)
    return MemeChoice(of_table, memes)


def named_team(recipe: str, sharing: Sharing, people: Path | None) -> Team | None:
    """Return the people who are named in a table; None where whoever comes is asked."""
    if recipe and sharing != "open":
        if people is None:
            raise InputError(
                f"{recipe} is for people known by name: list them in a table with a column "
                "participant (and group), and give it by --people"
            )
        return read_team(people)
    if people is not None:
        raise InputError("--people goes with a recipe for a named team, such as harmeme")
    return None


def read_item_texts(
    path: Path | None, taxonomy: Taxonomy, memes: Collection[str]
) -> dict[str, dict[str, str]]:
    """Return by meme and question id the texts that questions have of their own, but for empty
    ones. Raise InputError if the taxonomy has such questions and there is no table, or the other
    way round; a column or meme is missing, or is there twice; or a meme is asked about nothing."""
    columns, drafts = taxonomy.item_columns, taxonomy.draft_columns
    if path is None:
        if columns:
            raise InputError(
                f"{taxonomy.name} asks about texts of each item's own: give a table with the "
                f"columns meme_id, {', '.join(columns)} by --items"
            )
        return {}
    if not columns and not drafts:
        raise InputError(f"{taxonomy.name} has no question with a text of an item's own", file=path)
    table = read_table(path)
    if absent := [name for name in ("meme_id", *columns) if name not in table.columns]:
        message = "has no such column; its headings are the questions' ids"
        raise InputError(message, file=path, column=absent[0])
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        meme = row["meme_id"]
        if meme in texts:
            raise InputError(f"The meme {meme[:80]!r} is there twice.", file=path, row=row.number)
        cells = {name: row[name] for name in (*columns, *drafts) if name in table.columns}
        texts[meme] = {name: text for name, text in cells.items() if text}
        if taxonomy.item_text and meme in memes and not row[LABEL]:
            message = f"The meme {meme[:80]!r} has no text to be asked about."
            raise InputError(message, file=path, row=row.number, column=LABEL)
    if missing := [meme for meme in memes if meme not in texts]:
        raise InputError(
            f"has no row for {len(missing):,} of {counted(len(memes), 'meme')}, "
            f"{missing[0][:80]!r} the first; leave cells empty where there is no text",
            file=path,
        )
    return {meme: texts[meme] for meme in sorted(memes)}
