"""The recipes of published schemes end to end: simulated teams, labels counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from examples.simulated_team import Colleagues
from tests.workspace.teams import answers, fill, kappa_of, team_table, workspace_of

HARMFUL = ("very-harmful", "partially-harmful")
FIVE_GROUPS = dict.fromkeys("abcde", 3)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
        monkeypatch.delenv(name, raising=False)


def plurality(votes: Sequence[str]) -> str:
    """The answer that more gave than any other; empty for none."""
    ranked = Counter(votes).most_common()
    return ranked[0][0] if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]) else ""


# HarMeme


def test_harmeme_settles_harmfulness_and_target_apart(tmp_path: Path) -> None:
    with workspace_of(tmp_path, []) as workspace:
        team = team_table(tmp_path, FIVE_GROUPS)
        built = workspace.surveys.build("harm", "US", recipe="harmeme", people=team, size=6)
        assert {batch["answers"] for batch in built["batches"]} == {3}
        (remark,) = built["remarks"]
        assert "asks about finished memes; none were collected" in remark
        survey = workspace.survey("harm")
        filled = fill(survey, tmp_path, seed=3, colleagues=Colleagues(agreement=0.6))
        votes, targets = answers(filled.sent), answers(filled.sent, "target")
        first, first_targets = answers(filled.first), answers(filled.first, "target")
        for item in survey.memes:
            assert {len(first[item])} == {3}
            label = plurality(list(first[item].values()))
            target = plurality(list(first_targets.get(item, {}).values()))
            is_open = not label or (label in HARMFUL and not target)
            # A fourth person where either is open, of another group.
            assert len(votes[item]) == (4 if is_open else 3)
            groups = Counter(who.partition("-")[0] for who in votes[item])
            assert sorted(groups.values()) == ([1, 3] if is_open else [3])
            expected = plurality(list(votes[item].values()))
            assert filled.labels.loc[item, "label"] == expected
            asked = expected in HARMFUL
            settled = plurality(list(targets.get(item, {}).values())) if asked else ""
            assert filled.labels.loc[item, "target"] == settled
            assert ((item, "label") in filled.discussed()) == (not expected)
            assert ((item, "target") in filled.discussed()) == (asked and not settled)
        assert filled.rounds == 2
        assert filled.discussed()


def test_harmemes_kappa_of_targets_is_over_items_both_answered(tmp_path: Path) -> None:
    with workspace_of(tmp_path, []) as workspace:
        team = team_table(tmp_path, FIVE_GROUPS)
        workspace.surveys.build("harm", "US", recipe="harmeme", people=team, size=6)
        filled = fill(workspace.survey("harm"), tmp_path, seed=5)
        hashed = filled.survey.hashed
        for question in ("label", "target"):
            given = answers(filled.sent, question)
            pairs = {
                frozenset((pair["first"], pair["second"])): pair
                for pair in filled.agreement(question).measures["pairs"]
            }
            for group in FIVE_GROUPS:
                one, other = f"{group}-1@team.example", f"{group}-2@team.example"
                pair = pairs[frozenset((hashed(one), hashed(other)))]
                both = [row for row in given.values() if one in row and other in row]
                assert pair["items"] == len(both)
                if pair["kappa"] is not None:
                    assert pair["kappa"] == pytest.approx(kappa_of(given, one, other))


# CHARMemes


def test_charmemes_skip_leaves_a_meme_to_others_and_trash_marks_it(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ru"]) as workspace:
        team = team_table(tmp_path, {"rater": 6})
        workspace.surveys.build("final", "RU", recipe="charmemes", people=team, size=5)
        survey = workspace.survey("final")
        invalid = sorted(survey.memes)[::12]
        filled = fill(
            survey, tmp_path, seed=6, colleagues=Colleagues(0.9, skip=0.1, invalid=invalid)
        )
        given = answers(filled.sent)
        skipped = {item for item, row in given.items() if "skip" in row.values()}
        assert skipped
        for item, row in given.items():
            votes = [label for label in row.values() if label != "skip"]
            assert len(votes) == 2  # whoever skips it is replaced by somebody else
            trash = votes.count("trash")
            state, label = filled.labels.loc[item, ["state", "label"]]
            assert (state == "rejected") == (trash == 2)
            assert label == (votes[0] if len(set(votes)) == 1 and not trash else "")
            assert ((item, "label") in filled.discussed()) == (len(set(votes)) == 2)
        assert set(filled.labels["state"]) == {"settled", "given up", "rejected"}
        assert filled.rounds > 1


# Teams


def test_sheet_filled_by_somebody_else_is_remarked_on(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3, "b": 3})
        workspace.surveys.build("harm", "US", recipe="harmeme", people=team)
        survey = workspace.survey("harm")
        fill(survey, tmp_path, seed=1)
        assert not any(row.rule == "not assigned" for row in survey.answers.check().report.warnings)
        batch, places = next(iter(survey.assigned.items()))
        other = "b-1" if places[0].startswith("a") else "a-1"
        survey.put_state("team", batch, [other])
        (remark, *_) = [
            row for row in survey.answers.check().report.warnings if row.rule == "not assigned"
        ]
        assert remark.evidence == {"place": places[0]}


def test_erased_member_leaves_no_hash_and_is_asked_no_more(tmp_path: Path) -> None:
    who = "a-1@team.example"
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3, "b": 3})
        workspace.surveys.build("harm", "US", recipe="harmeme", people=team)
        survey = workspace.survey("harm")
        fill(survey, tmp_path, seed=1)
        survey.answers.check(exclude=[who])
        hashed = survey.hashed(who)
        workspace.surveys.forget([who], agree=lambda costs: True)
        assert "a-1" not in {row["place"] for row in survey.people.team(team)["sheets"]}
        again = survey.labels.settle(close=True, next_round=True)
        asked = {place for batch in again.next for place in survey.assigned[batch["batch"]]}
        assert again.next
        assert "a-1" not in asked
    stored = b"".join(path.read_bytes() for path in (tmp_path / "work").glob("*.db*"))
    assert hashed.encode() not in stored
