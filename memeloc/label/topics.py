"""Topics. In: a table of known topics, decisions on new ones. Out: `Topic`s, merged ids.

CHARMemes (appendix J) gives a model some known topics and lets it propose new ones; here people
then merge those that mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import InputError
from memeloc.tables import read_table

_ID = re.compile(r"[a-z][a-z0-9_-]{0,59}")
MERGED_INTO = "merge into"
"""The column of a sheet of new topics that a person fills in."""
KEEP = "keep"
"""What stands there for a topic that stays, as a known one from now on."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that models may name by its id."""

    id: str
    name: str
    definition: str = ""

    def line(self) -> str:
        return f"{self.id}: {self.name}. {self.definition}".strip()


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic that models proposed: of how many memes, with names and definitions as given.

    `into` is the topic that a person merged it into (its own id where it stays), `person` who did;
    both are empty while nobody has decided.
    """

    id: str
    name: str
    definition: str
    memes: int
    example: str
    into: str = ""
    person: str = ""


def read_topics(path: str | Path) -> tuple[Topic, ...]:
    """Return the known topics of a table with columns `id`, `name` and, if wanted, `definition`.

    Raises:
        InputError: with file, row and column: an id cannot be one, or is there twice; or there is
            no topic.
    """
    file = Path(path)
    table = read_table(file, ("id", "name"))
    rows: dict[str, int] = {}
    topics = []
    for row in table.rows:
        id, name = row["id"].strip(), row["name"].strip()
        column, problem = "id", ""
        if not _ID.fullmatch(id):
            problem = f"{id[:60]!r} is no id of a topic: small letters, digits, '_' and '-'"
        elif id in rows:
            problem = f"the topic {id!r} is there already, in row {rows[id]}"
        elif not name:
            column, problem = "name", f"the topic {id!r} needs a name"
        if problem:
            raise InputError(problem, file=file, row=row.number, column=column)
        rows[id] = row.number
        definition = row["definition"].strip() if "definition" in table.columns else ""
        topics.append(Topic(id, name, definition))
    if not topics:
        raise InputError("has no topic in it; write one a line", file=file)
    return tuple(topics)


def merged(id: str, merges: Mapping[str, str]) -> str:
    """Return the topic that one is merged into, over any number of merges; else itself.

    >>> merged("kitten", {"kitten": "cats", "cats": "animals"})
    'animals'
    """
    seen = {id}
    while (into := merges.get(id, id)) not in seen:
        seen.add(into)
        id = into
    return id


def new_topics(
    proposed: Iterable[tuple[str, Sequence[Mapping[str, str]]]],
    decided: Mapping[str, tuple[str, str]],
) -> tuple[NewTopic, ...]:
    """Return the topics that models proposed, those of most memes first.

    Args:
        proposed: by meme its topics; a new one has a `name`.
        decided: by id what people merged it into, and who.
    """
    first: dict[str, tuple[str, str, str]] = {}
    memes: dict[str, set[str]] = {}
    for meme, topics in proposed:
        for topic in topics:
            if "name" in topic:
                about = (topic["name"], topic.get("definition", ""), meme)
                first.setdefault(topic["id"], about)
                memes.setdefault(topic["id"], set()).add(meme)
    rows = [
        NewTopic(id, name, definition, len(memes[id]), example, *decided.get(id, ()))
        for id, (name, definition, example) in first.items()
    ]
    return tuple(sorted(rows, key=lambda topic: (-topic.memes, topic.id)))


def read_merges(path: str | Path, existing: Iterable[str]) -> dict[str, str]:
    """Return by id the topic that a person merged each into, in a sheet of new topics.

    Rows with an empty cell are left open; `keep` keeps a topic as it is.

    Raises:
        InputError: with file, row and column: there is no such topic, or topics are merged in a
            circle.
    """
    file = Path(path)
    rows = {row["id"].strip(): row for row in read_table(file, ("id", MERGED_INTO)).rows}
    cells = {id: row[MERGED_INTO].strip() for id, row in rows.items()}
    merges = {id: id if into == KEEP else into for id, into in cells.items() if into}
    topics = {*existing, *rows}
    for id, into in merges.items():
        problem, path_of = "", [id]
        if into not in topics:
            problem = f"there is no topic {into[:60]!r}; write an id, or {KEEP}"
        while not problem and (into := merges.get(path_of[-1], path_of[-1])) != path_of[-1]:
            if into in path_of:
                problem = f"{' -> '.join([*path_of, into])} goes in a circle"
            path_of.append(into)
        if problem:
            raise InputError(problem, file=file, row=rows[id].number, column=MERGED_INTO)
    return merges
