"""Named teams, simulated, for examples and tests. In: sheets, who fills them. Out: submissions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from examples.simulation import START, values_after
from memeloc.survey.design.build import Assigned, chance, one_of
from memeloc.survey.model import Answer, MemeEntry, Sheet, Submission
from memeloc.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class Colleagues:
    """What the people of a team are like.

    Attributes:
        agreement: probability of the true answer to each question.
        others: the same of single people, by their places.
        skip: probability that somebody leaves an item to others, where the taxonomy allows it.
        invalid: items that are invalid: most say so, where the taxonomy allows it.
    """

    agreement: float = 0.85
    others: Mapping[str, float] = field(default_factory=dict)
    skip: float = 0.0
    invalid: Collection[str] = ()


def simulate_team(
    sheets: Sequence[Sheet],
    assigned: Assigned,
    names: Mapping[str, str],
    taxonomy: Taxonomy,
    truth: Mapping[tuple[str, str], str],
    *,
    seed: int,
    colleagues: Colleagues | None = None,
) -> list[Submission]:
    """What the people of a team send for their sheets, all of it complete.

    Args:
        assigned: by batch id the places of those who fill its sheet.
        names: participants' ids by place.
        truth: by meme id and culture code, such as from `simulate.truths`.
    """
    colleagues = colleagues or Colleagues()
    submissions: list[Submission] = []
    for sheet in sheets:
        for place in assigned.get(sheet.batch, ()):
            random = chance(seed, "colleague", sheet.id, place)
            answers = [
                _answer(entry, sheet, place, taxonomy, truth, colleagues, random, seed)
                for entry in sheet.entries
                if isinstance(entry, MemeEntry)
            ]
            start = START + timedelta(hours=sheet.round)
            submissions.append(
                Submission(
                    f"{sheet.id}/{place}",
                    sheet.id,
                    names[place],
                    tuple(answers),
                    "simulated",
                    start + timedelta(seconds=30 * len(answers)),
                    start,
                    row=len(submissions) + 1,
                )
            )
    return submissions


def _answer(
    entry: MemeEntry,
    sheet: Sheet,
    place: str,
    taxonomy: Taxonomy,
    truth: Mapping[tuple[str, str], str],
    colleagues: Colleagues,
    random: Random,
    seed: int,
) -> Answer:
    agreement = colleagues.others.get(place, colleagues.agreement)
    sure = random.random() < agreement
    skips, rejects = taxonomy.of_role("skip"), taxonomy.of_role("reject")
    own = truth[entry.meme_id, sheet.culture.code]
    label = own
    if skips and random.random() < colleagues.skip:
        label = skips[0].id
    elif rejects and entry.meme_id in colleagues.invalid and sure:
        label = one_of(rejects, chance(seed, "reason", entry.meme_id)).id
    elif not sure:
        others = [other.id for other in taxonomy.of_role("vote") if other.id != own]
        label = one_of(others, random)
    return Answer(entry.meme_id, values_after(taxonomy, entry, label, random, seed, agreement))
