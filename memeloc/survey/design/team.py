"""Named teams. In: a table of people. Out: batches, and who of the team labels which of them.

People of a team fill many sheets. How items are shared out among them is a `Sharing`:

- `all`: everybody labels everything (araharmeme 3.5, the validation of charmemes 4.2);
- `groups`: each group of people labels its own part (harmeme 4.3: five groups of three);
- `turns`: each item goes to as many people as it needs answers, who take turns (charmemes 4.2: two
  or more; m-quest: one judge a meme).

What is still open goes to people of the team who have not been asked about it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.design.arranging import assigned, chance, evenly
from memeloc.survey.design.build import Design, build
from memeloc.survey.design.settings import Sharing
from memeloc.survey.model import Batch
from memeloc.tables import read_table
from memeloc.taxonomy import Taxonomy

Assigned = Mapping[str, tuple[str, ...]]
"""By batch id the people who label it, by their places in the team."""

_GROUP = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Member:
    """A person of a team: the place, such as `a-2` (the second of group a), and the id."""

    place: str
    participant: str
    group: str


@dataclass(frozen=True, slots=True)
class Team:
    members: tuple[Member, ...]

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(member.place for member in self.members)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        groups: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for member in self.members:
            groups[member.group] += (member.place,)
        return dict(groups)


def read_team(path: Path) -> Team:
    """The people of a table with the columns `participant` and, where there are groups, `group`.

    Raises:
        InputError: with file, row and column: nobody is in it, somebody is twice, or a group cannot
            be called so.
    """
    members: list[Member] = []
    rows: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    for row in read_table(path, ("participant",)).rows:
        who = row["participant"]
        group = row["group"] or "team"
        if not who:
            raise InputError("Nobody is named here.", file=path, row=row.number)
        if who in rows:
            message = f"{who[:60]!r} is there already, in row {rows[who]}"
            raise InputError(message, file=path, row=row.number, column="participant")
        if not _GROUP.fullmatch(group) or len(group) > 30:
            raise InputError(
                f"A group cannot be called {group[:60]!r}: write letters, digits and '-'.",
                file=path,
                row=row.number,
                column="group",
            )
        rows[who] = row.number
        numbers[group] += 1
        members.append(Member(f"{group}-{numbers[group]}", who, group))
    if not members:
        raise InputError("has nobody in it; write a person a line", file=path)
    return Team(tuple(members))


def build_shared(
    memes: Mapping[str, str], design: Design, taxonomy: Taxonomy, team: Team, sharing: Sharing
) -> tuple[tuple[Batch, ...], Assigned]:
    """Batches of memes (template by id), and who labels which.

    Raises:
        InputError: the team has too few people for `design.answers` of each item; or as `build`.
    """
    parts: list[tuple[Mapping[str, str], tuple[str, ...]]] = [(memes, team.places)]
    if sharing == "groups":
        names = list(team.groups)
        shares = assigned(memes, len(names), chance(design.seed, "groups"))
        parts = [
            ({meme: memes[meme] for meme in share}, team.groups[name])
            for name, share in zip(names, shares, strict=True)
            if share
        ]
    batches: list[Batch] = []
    people: dict[str, tuple[str, ...]] = {}
    for part, places in parts:
        if len(places) < design.answers:
            raise InputError(
                f"Each item is to have {design.answers} answers, and {len(places)} people are in "
                f"{places[0].rpartition('-')[0]!r}; name more of them, or set --answers"
            )
        each = design.answers if sharing == "turns" else len(places)
        made = build(part, design, taxonomy, answers=each, first=len(batches) + 1)
        for number, batch in enumerate(made):
            turn = number * each
            people[batch.id] = tuple(places[(turn + more) % len(places)] for more in range(each))
        batches += made
    return tuple(batches), people


def build_next_shared(
    needs: Mapping[tuple[str, str], int],
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    team: Team,
    asked: Mapping[str, Iterable[str]],
    *,
    round: int,
) -> tuple[tuple[Batch, ...], Assigned]:
    """Batches of what is open, for people who have not been asked about it.

    Those with the fewest memes so far come first, of several by the order of the team. Items of
    which everybody has been asked are in no batch: they are for a discussion.

    Args:
        needs: by meme id and culture code, how many more answers.
        asked: by meme id, who has it in a sheet, by places.
        round: 2 or more.
    """
    load = Counter(place for places in asked.values() for place in places)
    by_people: dict[tuple[tuple[str, ...], int], list[str]] = defaultdict(list)
    for (meme, _), more in sorted(needs.items()):
        others = tuple(place for place in team.places if place not in set(asked.get(meme, ())))
        if others and more:
            by_people[others, min(more, len(others))].append(meme)
    batches: list[Batch] = []
    people: dict[str, tuple[str, ...]] = {}
    for (others, more), items in by_people.items():
        for part in evenly(items, -(-len(items) // design.size)):
            chosen = sorted(others, key=lambda place: load[place])[:more]
            made = build(
                {meme: memes[meme] for meme in part},
                design,
                taxonomy,
                round=round,
                answers=len(chosen),
                first=len(batches) + 1,
            )
            load.update({place: len(part) for place in chosen})
            people |= {batch.id: tuple(chosen) for batch in made}
            batches += made
    return tuple(batches), people


def team_remarks(team: Team, sharing: Sharing, groups: int, people: int) -> tuple[str, ...]:
    """How a team differs from what a scheme has, as sentences; 0 is any number."""
    remarks = []
    sizes = [len(places) for places in team.groups.values()]
    if sharing == "groups" and groups and len(sizes) != groups:
        remarks.append(f"The scheme has {groups} groups of people, and this team {len(sizes)}.")
    for name, size in zip(team.groups, sizes, strict=True):
        if sharing == "groups" and people and size != people:
            remarks.append(f"The scheme has {people} people a group, and {name} has {size}.")
    if sharing != "groups" and people and len(team.members) != people:
        remarks.append(f"The scheme has {people} people, and this team {len(team.members)}.")
    return tuple(remarks)
