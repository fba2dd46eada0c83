"""The recipes of published schemes end to end: simulated teams, labels counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from memeloc.errors import InputError
from memeloc.survey.design.simulate_team import Colleagues
from memeloc.workspace.surveys.discussing import GivenDecision
from memeloc.workspace.surveys.teams import assigned_to
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
        assert {batch.answers for batch in built.batches} == {3}
        (remark,) = built.remarks
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
                frozenset((pair.first, pair.second)): pair
                for pair in filled.agreement(question).measures.pairs
            }
            for group in FIVE_GROUPS:
                one, other = f"{group}-1@team.example", f"{group}-2@team.example"
                pair = pairs[frozenset((hashed(one), hashed(other)))]
                both = [row for row in given.values() if one in row and other in row]
                assert pair.items == len(both)
                if pair.kappa is not None:
                    assert pair.kappa == pytest.approx(kappa_of(given, one, other))


def test_harmemes_dry_run_is_labelled_by_everybody(tmp_path: Path) -> None:
    with workspace_of(tmp_path, []) as workspace:
        team = team_table(tmp_path, FIVE_GROUPS)
        built = workspace.surveys.build(
            "dry", "US", recipe="harmeme", mode="dry-run", people=team, sample=20
        )
        assert (built.memes, {batch.answers for batch in built.batches}) == (20, {15})
        filled = fill(workspace.survey("dry"), tmp_path, seed=5)
        given = answers(filled.sent)
        labels = sorted({label for row in given.values() for label in row.values()})
        counts = [[list(row.values()).count(label) for label in labels] for row in given.values()]
        measured = filled.agreement().measures
        assert measured.fleiss == pytest.approx(fleiss_kappa(counts, method="fleiss"))
        assert measured.annotators == 15
        assert filled.rounds == 1


# AraHarMeme


def test_araharmeme_discusses_what_all_three_label_otherwise(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ar"]) as workspace:
        team = team_table(tmp_path, {"native": 3})
        built = workspace.surveys.build("ara", "EG=ar", recipe="araharmeme", people=team)
        assert len(built.remarks) == 1
        filled = fill(
            workspace.survey("ara"), tmp_path, seed=2, colleagues=Colleagues(agreement=0.55)
        )
        votes = answers(filled.sent)
        expected = {
            item: next((label for label, n in Counter(row.values()).items() if n > 1), "")
            for item, row in votes.items()
        }
        assert filled.labels["label"].to_dict() == expected
        three_ways = {item for item, row in votes.items() if len(set(row.values())) == 3}
        assert three_ways
        assert filled.discussed() == {(item, "label") for item in three_ways}
        assert filled.rounds == 1  # nobody else is asked


def test_araharmemes_discussion_is_entered_with_its_people(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ar"]) as workspace:
        team = team_table(tmp_path, {"native": 3})
        workspace.surveys.build("ara", "EG=ar", recipe="araharmeme", people=team)
        survey = workspace.survey("ara")
        filled = fill(survey, tmp_path, seed=2, colleagues=Colleagues(agreement=0.55))
        discussed = {item for item, _ in filled.discussed()}
        people = [f"native-{n}" for n in (1, 2, 3)]
        result = survey.decide_labels(
            [
                GivenDecision(item, label="genuine", people=people, reason="session of May")
                for item in discussed
            ]
        )
        assert result.new == len(discussed) > 0
        after = survey.settle(close=True, next_round=True)
        assert after.discuss == ()
        labels = after.table.set_index("item")
        assert set(labels.index[labels["state"] == "decided"]) == discussed
        assert set(labels.loc[sorted(discussed), "label"]) == {"genuine"}
        assert {len(decision.people) for decision in result.decided} == {3}


def test_araharmemes_pairwise_kappa_is_that_of_statsmodels(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ar"]) as workspace:
        team = team_table(tmp_path, {"native": 3})
        workspace.surveys.build("ara", "EG=ar", recipe="araharmeme", people=team)
        filled = fill(workspace.survey("ara"), tmp_path, seed=2)
        names = [f"native-{n}@team.example" for n in (1, 2, 3)]
        kappas = [
            kappa_of(answers(filled.sent), first, second)
            for first, second in combinations(names, 2)
        ]
        assert filled.agreement().measures.cohen == pytest.approx(sum(kappas) / 3)


def test_araharmeme_shows_and_corrects_the_text_that_ocr_found(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ar"], memes=14) as workspace:
        ids = sorted(workspace.store.captions.templates())
        table = tmp_path / "ocr.csv"
        rows = [f"{item},{'text' if n else 'no-text'},ocr {n}" for n, item in enumerate(ids)]
        table.write_text("\n".join(("meme_id,readable,ocr-text", *rows)), encoding="utf-8")
        team = team_table(tmp_path, {"native": 3})
        workspace.surveys.build("ara", "EG=ar", recipe="araharmeme", people=team, items=table)
        filled = fill(workspace.survey("ara"), tmp_path, seed=2)
        readable, texts = answers(filled.sent, "readable"), answers(filled.sent, "ocr-text")
        assert readable.keys() == set(ids)
        for item in ids:
            assert filled.labels.loc[item, "readable"] == plurality(list(readable[item].values()))
            # The text is asked of those only who can read one.
            those = {who for who, answer in readable[item].items() if answer == "text"}
            assert texts.get(item, {}).keys() == those
        assert set(filled.result.answers["ocr-text"]) <= {"", *(f"ocr {n}" for n in range(14))}


# CHARMemes


def test_charmemes_finds_an_outlier_and_excludes_by_name(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ru"]) as workspace:
        team = team_table(tmp_path, {"rater": 7})
        workspace.surveys.build(
            "trial", "RU", recipe="charmemes", mode="validation", people=team, sample=40
        )
        filled = fill(
            workspace.survey("trial"), tmp_path, seed=4,
            colleagues=Colleagues(others={"rater-5": 0.1}),
        )  # fmt: skip
        survey, outlier = filled.survey, "rater-5@team.example"
        (remark,) = [row for row in survey.check().warnings if row.rule == "outlier"]
        assert remark.evidence["participant"] == survey.hashed(outlier)
        checked = survey.check(exclude=[outlier])
        assert checked.by_rule == {"outlier": 1}
        (measured,) = [part.measures for part in checked.agreement if part.question == "label"]
        kept = {
            item: [label for who, label in row.items() if who != outlier]
            for item, row in answers(filled.sent).items()
        }
        labels = sorted({label for row in kept.values() for label in row})
        counts = [[row.count(label) for label in labels] for row in kept.values()]
        assert measured.annotators == 6
        assert measured.fleiss == pytest.approx(fleiss_kappa(counts, method="fleiss"))
        assert len(survey.submissions) == 7  # nothing is deleted


def test_charmemes_labels_where_rounds_differ(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ru"]) as workspace:
        ids = sorted(workspace.store.captions.templates())
        table = tmp_path / "rounds.csv"
        rows = [
            f"{item},safe,{'nsfw' if n % 3 == 0 else 'safe'},safe" for n, item in enumerate(ids)
        ]
        table.write_text("\n".join(("meme_id,first,second,third", *rows)), encoding="utf-8")
        team = team_table(tmp_path, {"rater": 6})
        workspace.surveys.build(
            "final", "RU", recipe="charmemes", people=team, differing=table, size=5
        )
        survey = workspace.survey("final")
        assert set(survey.memes) == set(ids[::3])
        filled = fill(survey, tmp_path, seed=4)
        votes = answers(filled.sent)
        for item in survey.memes:
            assert len(votes[item]) == 2
            first, second = votes[item].values()
            assert filled.labels.loc[item, "label"] == (first if first == second else "")
            assert ((item, "label") in filled.discussed()) == (first != second)


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


def test_charmemes_settles_the_kind_of_a_label(tmp_path: Path) -> None:
    with workspace_of(tmp_path, ["ru"]) as workspace:
        team = team_table(tmp_path, {"rater": 4})
        workspace.surveys.build("final", "RU", recipe="charmemes", people=team)
        filled = fill(workspace.survey("final"), tmp_path, seed=8)
        kinds = answers(filled.sent, "hate-speech-kind")
        assert kinds
        for item, row in filled.labels.iterrows():
            own = list(kinds.get(str(item), {}).values()) if row["label"] == "hate-speech" else []
            assert row["hate-speech-kind"] == plurality(own)


# M-QUEST


def test_m_quests_judges_say_yes_to_what_is_kept(tmp_path: Path) -> None:
    columns = [
        "label", "toxicity-answer", "toxicity-statement",
        "linked-statement", "linked-question", "linked-answer",
    ]  # fmt: skip
    with workspace_of(tmp_path, []) as workspace:
        ids = sorted(workspace.store.captions.templates())
        table = tmp_path / "statements.csv"
        rows = []
        for n, item in enumerate(ids):
            texts = [f"{name} {n}" for name in (columns if n % 2 else columns[:2])]
            rows.append(",".join((item, *texts, *([] if n % 2 else [""] * 4))))
        table.write_text("\n".join((",".join(("meme_id", *columns)), *rows)), encoding="utf-8")
        team = team_table(tmp_path, {"judge": 14})
        workspace.surveys.build("valid", "US", recipe="m-quest", people=team, items=table, size=3)
        survey = workspace.survey("valid")
        filled = fill(survey, tmp_path, seed=9, colleagues=Colleagues(skip=0.1))
        given = {name: answers(filled.sent, name) for name in columns}
        for n, item in enumerate(ids):
            judge = [who for who, label in given["label"][item].items() if label != "unsure"]
            assert len(judge) == 1  # who is not sure leaves the meme to somebody else
            for place, name in enumerate(columns):
                answer = given[name].get(item, {}).get(judge[0], "")
                assert bool(answer) == (place < 2 or n % 2 == 1)
                assert filled.labels.loc[item, name] == answer
        is_kept = (filled.labels[["label", "toxicity-answer"]] == "yes").all(axis=1)
        assert set(filled.labels.index[is_kept]) == {
            item
            for item in ids
            if "yes" in given["label"][item].values()
            and "yes" in given["toxicity-answer"].get(item, {}).values()
        }
        assert not filled.discussed()


# Teams


def test_recipe_for_a_team_needs_its_people(tmp_path: Path) -> None:
    with (
        workspace_of(tmp_path, [], memes=14) as workspace,
        pytest.raises(InputError, match="harmeme is for people known by name"),
    ):
        workspace.surveys.build("harm", "US", recipe="harmeme")


def test_people_need_a_recipe_for_a_team(tmp_path: Path) -> None:
    with (
        workspace_of(tmp_path, [], memes=14) as workspace,
        pytest.raises(InputError, match="goes with a recipe for a named team"),
    ):
        workspace.surveys.build("open", "US", people=team_table(tmp_path, {"a": 3}))


def test_team_annotates_in_one_culture(tmp_path: Path) -> None:
    team = team_table(tmp_path, {"a": 3})
    with (
        workspace_of(tmp_path, ["de"], memes=14) as workspace,
        pytest.raises(InputError, match="in one culture"),
    ):
        workspace.surveys.build("harm", "US,DE", recipe="harmeme", people=team)


def test_survey_is_not_built_again_with_another_team(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3})
        first = workspace.surveys.build("ara", "US", recipe="araharmeme", people=team)
        assert workspace.surveys.build("ara", "US", recipe="araharmeme", people=team).new == 0
        assert first.new
        other = team_table(tmp_path, {"b": 3})
        with pytest.raises(InputError, match="built with another team"):
            workspace.surveys.build("ara", "US", recipe="araharmeme", people=other)


def test_smaller_team_than_the_scheme_has_is_remarked_on(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3, "b": 4})
        built = workspace.surveys.build("harm", "US", recipe="harmeme", people=team)
        assert "The scheme has 5 groups of people, and this team 2." in built.remarks
        assert {batch.answers for batch in built.batches} == {3, 4}


def test_team_is_listed_with_what_came(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3})
        workspace.surveys.build("ara", "US", recipe="araharmeme", people=team)
        survey = workspace.survey("ara")
        listed = survey.team(team)
        assert [(row.place, row.participant, row.came) for row in listed.sheets] == [
            (f"a-{n}", f"a-{n}@team.example", False) for n in (1, 2, 3)
        ]
        fill(survey, tmp_path, seed=1)
        assert all(row.came for row in survey.team().sheets)
        assert {row.participant for row in survey.team().sheets} == {""}
        with pytest.raises(InputError, match="another team"):
            survey.team(team_table(tmp_path, {"b": 3}))


def test_people_are_stored_as_hashes_only(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3})
        workspace.surveys.build("ara", "US", recipe="araharmeme", people=team)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "work").glob("*.db*"))
    assert stored
    assert b"team.example" not in stored


def test_sheet_filled_by_somebody_else_is_remarked_on(tmp_path: Path) -> None:
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3, "b": 3})
        workspace.surveys.build("harm", "US", recipe="harmeme", people=team)
        survey = workspace.survey("harm")
        fill(survey, tmp_path, seed=1)
        assert not any(row.rule == "not assigned" for row in survey.check().warnings)
        batch, places = next(iter(assigned_to(survey).items()))
        other = "b-1" if places[0].startswith("a") else "a-1"
        survey.put_state("team", batch, [other])
        (remark, *_) = [row for row in survey.check().warnings if row.rule == "not assigned"]
        assert remark.evidence == {"place": places[0]}


def test_erased_member_leaves_no_hash_and_is_asked_no_more(tmp_path: Path) -> None:
    who = "a-1@team.example"
    with workspace_of(tmp_path, [], memes=14) as workspace:
        team = team_table(tmp_path, {"a": 3, "b": 3})
        workspace.surveys.build("harm", "US", recipe="harmeme", people=team)
        survey = workspace.survey("harm")
        fill(survey, tmp_path, seed=1)
        survey.check(exclude=[who])
        hashed = survey.hashed(who)
        workspace.surveys.forget([who], agree=lambda costs: True)
        assert "a-1" not in {row.place for row in survey.team(team).sheets}
        again = survey.settle(close=True, next_round=True)
        asked = {place for batch in again.next for place in assigned_to(survey)[batch.batch]}
        assert again.next
        assert "a-1" not in asked
    stored = b"".join(path.read_bytes() for path in (tmp_path / "work").glob("*.db*"))
    assert hashed.encode() not in stored
