"""Named teams of a survey. In: a stored survey. Out: its people by hash, and who labels what.

A person is stored as a keyed hash, and called by the place in the team's table, such as `a-2`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.design.build import Assigned, build_next
from memeloc.survey.design.tables import Team, read_team
from memeloc.survey.model import Batch
from memeloc.survey.quality.checking import Remark
from memeloc.workspace.stored_survey import StoredSurvey

_TEAM = "team"
"""Under which subject a survey's state has its people, and by batch id who labels it."""
_MEMBERS = "members"


def note_team(survey: StoredSurvey, team: Team, assigned: Assigned) -> None:
    """Store the people, as hashes, and who labels what.

    Raises:
        InputError: the survey was built with another team.
    """
    members = [
        {"place": place, "participant": survey.hashed(who)} for place, who in team.people.items()
    ]
    if survey.state(_TEAM).get(_MEMBERS, members) != members:
        raise InputError(
            f"{survey.name} was built with another team; what went out is never changed, so give "
            "this one another name."
        )
    survey.put_state(_TEAM, _MEMBERS, members)
    note_assigned(survey, assigned)


def note_assigned(survey: StoredSurvey, assigned: Assigned) -> None:
    for batch, places in assigned.items():
        survey.put_state(_TEAM, batch, list(places))


def team_of(survey: StoredSurvey) -> Team | None:
    """Return the people of a survey, known by hashes; None where whoever comes is asked."""
    members = survey.state(_TEAM).get(_MEMBERS)
    if members is None:
        return None
    # Of somebody who was erased the place alone is left, and nobody is asked there any more.
    return Team({row["place"]: row["participant"] for row in members if "participant" in row})


def assigned_to(survey: StoredSurvey) -> dict[str, tuple[str, ...]]:
    """Return by batch id the places of those who label it."""
    values = survey.state(_TEAM).items()
    return {key: tuple(places) for key, places in values if key != _MEMBERS}


def next_batches(
    survey: StoredSurvey, needs: Mapping[tuple[str, str], int], *, round: int
) -> tuple[tuple[Batch, ...], Assigned]:
    """Return batches of what is open, and who of the team labels them; without one, who comes."""
    asked: dict[str, set[str]] = defaultdict(set)
    assigned = assigned_to(survey)
    for batch in survey.batches:
        for meme in batch.memes:
            asked[meme].update(assigned.get(batch.id, ()))
    memes, team = survey.memes, team_of(survey)
    return build_next(
        needs, memes, survey.design, survey.taxonomy, round=round, team=team, asked=asked
    )


def team_sheets(survey: StoredSurvey, people: Path | None = None) -> dict[str, Any]:
    """Return who of the `people` is to fill which of the `sheets` (of how many `memes`), and whose
    `came`.

    `participant` is empty where no table of the team is given; only hashes are stored.

    Raises:
        InputError: the survey has no named team, or another one than the table's.
    """
    team = team_of(survey)
    if team is None:
        raise InputError(f"{survey.name} has no named team; whoever comes is asked.")
    hash_of = team.people
    names = dict.fromkeys(hash_of, "")
    if people is not None:
        given = read_team(people).people
        if any(survey.hashed(given.get(place, "")) != who for place, who in hash_of.items()):
            raise InputError(f"{survey.name} was built with another team", file=people)
        names |= given
    came = {
        (sent.sheet, who)
        for sent in survey.submissions
        for who in (sent.participant, survey.hashed(sent.participant))
    }
    assigned, order = assigned_to(survey), list(hash_of)
    rows: list[dict[str, Any]] = [
        {
            "place": place,
            "participant": names[place],
            "sheet": sheet.id,
            "round": sheet.round,
            "memes": len(sheet.memes),
            "came": (sheet.id, hash_of[place]) in came,
        }
        for sheet in survey.all_sheets
        for place in assigned.get(sheet.batch, ())
        if place in hash_of
    ]
    rows.sort(key=lambda row: order.index(row["place"]))
    return {"survey": survey.name, "people": len(team.people), "sheets": rows}


def not_assigned(survey: StoredSurvey) -> list[Remark]:
    """Return submissions of people to whom the sheet was not given; nobody is excluded for it."""
    team = team_of(survey)
    places = {who: place for place, who in team.people.items()} if team else {}
    assigned = assigned_to(survey)
    batches = {sheet.id: sheet.batch for sheet in survey.all_sheets} if team else {}
    remarks = []
    for sent in survey.submissions if team else ():
        place = places.get(sent.participant) or places.get(survey.hashed(sent.participant))
        if sent.sheet in batches and place not in assigned.get(batches[sent.sheet], ()):
            evidence = {"place": place or "not of the team"}
            remarks.append(Remark("not assigned", sent.sheet, (sent.id,), evidence))
    return remarks
