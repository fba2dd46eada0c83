"""Named teams of a survey. In: a stored survey. Out: who labels what, and what came of it.

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
from memeloc.workspace.stored_survey import MEMBERS, TEAM, StoredSurvey


def note_team(survey: StoredSurvey, team: Team, assigned: Assigned) -> None:
    """Store the people, as hashes, and who labels what; raise InputError if the survey was built
    with another team."""
    people = team.people.items()
    members = [{"place": place, "participant": survey.hashed(who)} for place, who in people]
    if survey.state(TEAM).get(MEMBERS, members) != members:
        raise InputError(
            f"{survey.name} was built with another team; what went out is never changed, so give "
            "this one another name."
        )
    survey.put_state(TEAM, MEMBERS, members)
    note_assigned(survey, assigned)


def note_assigned(survey: StoredSurvey, assigned: Assigned) -> None:
    for batch, places in assigned.items():
        survey.put_state(TEAM, batch, list(places))


def next_batches(
    survey: StoredSurvey, needs: Mapping[tuple[str, str], int], *, round: int
) -> tuple[tuple[Batch, ...], Assigned]:
    """Return batches of what is open, and who of the team labels them; without one, who comes."""
    asked: dict[str, set[str]] = defaultdict(set)
    assigned = survey.assigned
    for batch in survey.batches:
        for meme in batch.memes:
            asked[meme].update(assigned.get(batch.id, ()))
    memes, design, taxonomy = survey.memes, survey.design, survey.taxonomy
    return build_next(needs, memes, design, taxonomy, round=round, team=survey.team, asked=asked)


def team_sheets(survey: StoredSurvey, people: Path | None = None) -> dict[str, Any]:
    """Return who of the `people` is to fill which of the `sheets` (of how many `memes`), and whose
    `came`.

    `participant` is empty where no table of the team is given; only hashes are stored.

    Raises:
        InputError: the survey has no named team, or another one than the table's.
    """
    team = survey.team
    if team is None:
        raise InputError(f"{survey.name} has no named team; whoever comes is asked.")
    names = dict.fromkeys(team.people, "")
    if people is not None:
        names |= read_team(people).people
        if any(survey.hashed(names[place]) != who for place, who in team.people.items()):
            raise InputError(f"{survey.name} was built with another team", file=people)
    came = {
        (sent.sheet, who)
        for sent in survey.submissions
        for who in (sent.participant, survey.hashed(sent.participant))
    }
    assigned, sheets = survey.assigned, survey.all_sheets
    rows = [
        {
            "place": place,
            "participant": names[place],
            "sheet": sheet.id,
            "round": sheet.round,
            "memes": len(sheet.memes),
            "came": (sheet.id, who) in came,
        }
        for place, who in team.people.items()
        for sheet in sheets
        if place in assigned.get(sheet.batch, ())
    ]
    return {"survey": survey.name, "people": len(team.people), "sheets": rows}


def not_assigned(survey: StoredSurvey) -> list[Remark]:
    """Return submissions of people to whom the sheet was not given; nobody is excluded for it."""
    team = survey.team
    if team is None:
        return []
    places = {who: place for place, who in team.people.items()}
    assigned = survey.assigned
    people = {sheet.id: assigned.get(sheet.batch, ()) for sheet in survey.all_sheets}
    remarks = []
    for sent in survey.submissions:
        place = places.get(sent.participant) or places.get(survey.hashed(sent.participant))
        if sent.sheet in people and place not in people[sent.sheet]:
            evidence = {"place": place or "not of the team"}
            remarks.append(Remark("not assigned", sent.sheet, (sent.id,), evidence))
    return remarks
