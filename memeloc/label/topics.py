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
        """As models read it."""
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
    """Known topics of a table with the columns `id`, `name` and, if wanted, `definition`.

    Raises:
        InputError: with file, row and column: an id cannot be one, or is there twice; or there is
            no topic.
    """
    table = read_table(Path(path), ("id", "name"))
    rows: dict[str, int] = {}
    topics = []
    for row in table.rows:
        id, name = row["id"].strip(), row["name"].strip()
        if not _ID.fullmatch(id):
            message = f"{id[:60]!r} is no id of a topic: small letters, digits, '_' and '-'"
            raise InputError(message, file=Path(path), row=row.number, column="id")
        if id in rows:
            message = f"the topic {id!r} is there already, in row {rows[id]}"
            raise InputError(message, file=Path(path), row=row.number, column="id")
        if not name:
            message = f"the topic {id!r} needs a name"
            raise InputError(message, file=Path(path), row=row.number, column="name")
        rows[id] = row.number
        definition = row["definition"].strip() if "definition" in table.columns else ""
        topics.append(Topic(id, name, definition))
    if not topics:
        raise InputError("has no topic in it; write one a line", file=Path(path))
    return tuple(topics)


def merged(id: str, merges: Mapping[str, str]) -> str:
    """The topic that one is merged into, over any number of merges; itself where nobody decided.

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
    """The topics that models proposed, those of most memes first.

    Args:
        proposed: by meme its topics; a new one has a `name`.
        decided: by id what people merged it into, and who.
    """
    first: dict[str, tuple[str, str, str]] = {}
    memes: dict[str, set[str]] = {}
    for meme, topics in proposed:
        for topic in topics:
            if "name" in topic:
                id = topic["id"]
                first.setdefault(id, (topic["name"], topic.get("definition", ""), meme))
                memes.setdefault(id, set()).add(meme)
    rows = []
    for id, (name, definition, example) in first.items():
        into, person = decided.get(id, ("", ""))
        rows.append(NewTopic(id, name, definition, len(memes[id]), example, into, person))
    return tuple(sorted(rows, key=lambda topic: (-topic.memes, topic.id)))


def read_merges(path: str | Path, known: Iterable[str]) -> dict[str, str]:
    """What a person filled into a sheet of new topics: the topic that each is merged into, by id.

    Rows with an empty cell are left open; `keep` keeps a topic as it is.

    Raises:
        InputError: with file, row and column: there is no such topic, or topics are merged in a
            circle.
    """
    file = Path(path)
    table = read_table(file, ("id", MERGED_INTO))
    rows = {row["id"].strip(): row for row in table.rows}
    topics = {*known, *rows}
    merges: dict[str, str] = {}
    for id, row in rows.items():
        into = row[MERGED_INTO].strip()
        if not into:
            continue
        if into != KEEP and into not in topics:
            message = f"there is no topic {into[:60]!r}; write an id, or {KEEP}"
            raise InputError(message, file=file, row=row.number, column=MERGED_INTO)
        merges[id] = id if into == KEEP else into
    for id in merges:
        path_of = [id]
        while (into := merges.get(path_of[-1], path_of[-1])) != path_of[-1]:
            if into in path_of:
                message = f"{' -> '.join([*path_of, into])} goes in a circle"
                raise InputError(message, file=file, row=rows[id].number, column=MERGED_INTO)
            path_of.append(into)
    return merges
