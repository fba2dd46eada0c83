"""Named teams: who labels what, and who is asked about what is still open."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design
from memeloc.survey.design.team import (
    Sharing,
    Team,
    build_next_shared,
    build_shared,
    read_team,
    team_remarks,
)
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


def test_places_are_numbered_within_groups(tmp_path: Path) -> None:
    read = team(tmp_path, "participant,group\nann,b\nben,a\ncem,b\n")
    assert [(one.participant, one.place) for one in read.members] == [
        ("ann", "b-1"), ("ben", "a-1"), ("cem", "b-2"),
    ]  # fmt: skip
    assert read.groups == {"b": ("b-1", "b-2"), "a": ("a-1",)}


def test_people_without_groups_are_one_team(tmp_path: Path) -> None:
    assert team(tmp_path, "participant\nann\nben\n").places == ("team-1", "team-2")


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


def test_all_label_everything(tmp_path: Path) -> None:
    people = people_of(tmp_path, "all")
    assert people.keys() == MEMES.keys()
    assert {len(places) for places in people.values()} == {15}


def test_each_group_labels_its_own_part(tmp_path: Path) -> None:
    people = people_of(tmp_path, "groups")
    assert people.keys() == MEMES.keys()
    shares = Counter("".join(sorted({place[0] for place in places})) for places in people.values())
    assert shares == dict.fromkeys("abcde", 20)
    assert {len(places) for places in people.values()} == {3}


def test_turns_are_even(tmp_path: Path) -> None:
    people = people_of(tmp_path, "turns", answers=2)
    assert {len(places) for places in people.values()} == {2}
    load = Counter(place for places in people.values() for place in places)
    assert max(load.values()) - min(load.values()) <= 10  # a sheet


def test_batches_have_as_many_places_as_people(tmp_path: Path) -> None:
    batches, assigned = build_shared(MEMES, design(), TAXONOMY, team(tmp_path), "groups")
    assert {batch.answers for batch in batches} == {3}
    assert assigned.keys() == {batch.id for batch in batches}


def test_group_with_too_few_people_is_refused(tmp_path: Path) -> None:
    small = team(tmp_path, "participant,group\nann,a\nben,a\ncem,b\n")
    with pytest.raises(InputError, match="3 answers, and 2 people are in 'a'"):
        build_shared(MEMES, design(), TAXONOMY, small, "groups")


def test_fourth_person_is_of_another_group(tmp_path: Path) -> None:
    people = people_of(tmp_path, "groups")
    open_items = [meme for meme in MEMES if int(meme[1:]) % 3 == 0]
    batches, assigned = build_next_shared(
        {(meme, "US"): 1 for meme in open_items},
        MEMES, design(), TAXONOMY, team(tmp_path), people, round=2,
    )  # fmt: skip
    fourth = {meme: set(assigned[batch.id]) for batch in batches for meme in batch.memes}
    assert fourth.keys() == set(open_items)
    for meme, places in fourth.items():
        assert len(places) == 1
        assert not places & people[meme]
    load = Counter(place for places in fourth.values() for place in places)
    assert max(load.values()) <= 10


def test_nobody_is_asked_where_everybody_was(tmp_path: Path) -> None:
    people = people_of(tmp_path, "all")
    assert build_next_shared(
        {(meme, "US"): 1 for meme in MEMES},
        MEMES, design(), TAXONOMY, team(tmp_path), people, round=2,
    ) == ((), {})  # fmt: skip


def test_same_seed_gives_the_same_people(tmp_path: Path) -> None:
    assert people_of(tmp_path, "groups") == people_of(tmp_path, "groups")


def test_team_that_differs_from_the_scheme_is_remarked_on(tmp_path: Path) -> None:
    small = team(tmp_path, "participant,group\nann,a\nben,a\ncem,b\n")
    assert team_remarks(small, "groups", 5, 2) == (
        "The scheme has 5 groups of people, and this team 2.",
        "The scheme has 2 people a group, and b has 1.",
    )
    assert team_remarks(small, "all", 0, 5) == ("The scheme has 5 people, and this team 3.",)
    assert team_remarks(team(tmp_path), "groups", 5, 3) == ()
