"""Named teams: who labels what, and who is asked about what is still open."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design, build_next, build_shared
from memeloc.survey.design.settings import Sharing
from memeloc.survey.design.tables import Team, read_team
from memeloc.survey.model import Culture
from memeloc.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("harmeme")
US = (Culture("US", default().get("en")),)
MEMES = {f"m{number:03d}": f"t{number % 7}" for number in range(100)}
FIFTEEN = "participant,group\n" + "".join(
    f"p{number},{'abcde'[number // 3]}\n" for number in range(15)
)


def design(answers: int = 3, size: int = 10) -> Design:
    return Design("pilot", "harmeme", US, size, answers, explicit=0, implicit=0, seed=3)


def team(tmp_path: Path, table: str = FIFTEEN) -> Team:
    path = tmp_path / "team.csv"
    path.write_text(table, encoding="utf-8")
    return read_team(path)


def people_of(tmp_path: Path, sharing: Sharing, answers: int = 3) -> dict[str, set[str]]:
    """By meme the places of those who label it."""
    batches, assigned = build_shared(MEMES, design(answers), TAXONOMY, team(tmp_path), sharing)
    return {meme: set(assigned[batch.id]) for batch in batches for meme in batch.memes}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("participant\n", "has nobody in it"),
        ("participant,group\nann,a\nann,b\n", "'ann' is there already, in row 2"),
        ("participant,group\nann,a\n,b\n", "Nobody is named"),
        ("participant,group\nann,a b\n", "cannot be called 'a b'"),
        ("name\nann\n", "participant"),
    ],
)
def test_table_that_is_no_team_is_refused(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        team(tmp_path, table)


def test_fourth_person_is_of_another_group(tmp_path: Path) -> None:
    people = people_of(tmp_path, "groups")
    open_items = [meme for meme in MEMES if int(meme[1:]) % 3 == 0]
    needs = {(meme, "US"): 1 for meme in open_items}
    batches, assigned = build_next(
        needs, MEMES, design(), TAXONOMY, round=2, team=team(tmp_path), asked=people
    )
    fourth = {meme: set(assigned[batch.id]) for batch in batches for meme in batch.memes}
    assert fourth.keys() == set(open_items)
    for meme, places in fourth.items():
        assert len(places) == 1
        assert not places & people[meme]
    load = Counter(place for places in fourth.values() for place in places)
    assert max(load.values()) <= 10


def test_nobody_is_asked_where_everybody_was(tmp_path: Path) -> None:
    people = people_of(tmp_path, "all")
    needs = {(meme, "US"): 1 for meme in MEMES}
    assert build_next(
        needs, MEMES, design(), TAXONOMY, round=2, team=team(tmp_path), asked=people
    ) == ((), {})
