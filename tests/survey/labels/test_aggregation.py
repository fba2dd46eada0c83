"""Labels of several annotators: aggregated, decided, and how far a survey is."""

from __future__ import annotations

import random
import sys
import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import MissingError
from memeloc.survey.labels.checked import costs, progress
from memeloc.survey.labels.settling import aggregate, differences, settle
from memeloc.survey.model import LabelDecision, Submission
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import load_taxonomy
from tests.survey.annotators import careful, fill, person, sheet

pytest.importorskip("crowdkit")

HATE = load_taxonomy("multi3hate")


COLUMNS = ["item", "culture", "participant", "label"]


def toy() -> pd.DataFrame:
    """Three who mostly agree, and two who answer by a coin: item m9 is the coins' against one."""
    draw = random.Random(3)
    rows = []
    for number in range(40):
        truth = "hate" if number % 2 else "no-hate"
        for who in ("asha", "jonas", "mei"):
            if not (who == "mei" and number == 9) and not (who == "jonas" and number == 9):
                rows.append((f"m{number}", "US", who, truth))
        for who in ("coin-1", "coin-2"):
            message = draw.choice(["hate", "no-hate"])
            rows.append((f"m{number}", "US", who, "no-hate" if number == 9 else message))
    return pd.DataFrame(rows, columns=COLUMNS)


def by_hand(table: pd.DataFrame, steps: int) -> dict[str, float]:
    """Dawid and Skene's EM as the paper has it, for two labels: the probability of hate."""
    items = sorted(set(table["item"]))
    people = sorted(set(table["participant"]))
    given = {(row.item, row.participant): int(row.label == "hate") for row in table.itertuples()}
    hate = {}
    for item in items:
        votes = [given[item, who] for who in people if (item, who) in given]
        hate[item] = sum(votes) / len(votes)
    for _ in range(steps):
        share = sum(hate.values()) / len(items)
        confusion = {}
        for who in people:
            for truth in (0, 1):
                weights = {0: 0.0, 1: 0.0}
                for item in items:
                    if (item, who) in given:
                        weight = hate[item] if truth else 1 - hate[item]
                        weights[given[item, who]] += weight
                total = sum(max(weight, 1e-10) for weight in weights.values())
                for message in (0, 1):
                    confusion[who, truth, message] = max(weights[message], 1e-10) / total
        for item in items:
            odds = [1 - share, share]
            for truth in (0, 1):
                for who in people:
                    if (item, who) in given:
                        odds[truth] *= confusion[who, truth, given[item, who]]
            hate[item] = odds[1] / sum(odds)
    return hate


def test_dawid_skene_is_the_papers_em() -> None:
    table = toy()
    result = aggregate(table, HATE, "dawid-skene", iterations=3).set_index("item")
    expected = by_hand(table, 3)
    for item, hate in expected.items():
        row = result.loc[item]
        assert row["label"] == ("hate" if hate > 0.5 else "no-hate")
        assert row["probability"] == pytest.approx(max(hate, 1 - hate), abs=1e-6)


@pytest.mark.slow
def test_both_are_crowd_kits() -> None:
    from crowdkit.aggregation import MACE, DawidSkene

    table = toy()
    plain = table.rename(columns={"item": "task", "participant": "worker"})
    plain = plain[["task", "worker", "label"]].sort_values(["task", "worker", "label"])
    plain = plain.reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {
            "dawid-skene": DawidSkene(n_iter=100).fit_predict(plain),
            "mace": MACE(n_iter=30, random_state=np.random.RandomState(4)).fit_predict(plain),
        }
    ours = {
        "dawid-skene": aggregate(table, HATE, "dawid-skene"),
        "mace": aggregate(table, HATE, "mace", seed=4, iterations=30),
    }
    for name, labels in theirs.items():
        assert ours[name].set_index("item")["label"].to_dict() == labels.to_dict()


def test_models_trust_the_reliable_and_differences_are_listed() -> None:
    table = toy()
    settled = settle(table, HATE)
    assert settled.table.set_index("item").loc["m9", "label"] == "no-hate"
    result = differences(
        settled,
        dawid_skene=aggregate(table, HATE, "dawid-skene"),
        mace=aggregate(table, HATE, "mace", iterations=15, restarts=2),
    )
    assert list(result.columns) == [
        "item", "culture", "majority", "dawid_skene", "dawid_skene.probability", "mace",
        "mace.probability",
    ]  # fmt: skip
    (row,) = result[result["item"] == "m9"].to_dict("records")
    assert (row["majority"], row["dawid_skene"], row["mace"]) == ("no-hate", "hate", "hate")
    assert set(result["item"]) <= {"m9"}


def test_without_crowd_kit_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    with pytest.raises(MissingError, match=r'pip install "memeloc\[crowd\]"'):
        aggregate(toy(), HATE, "mace")


HARMEME = load_taxonomy("harmeme")


SETTINGS = Settling(answers=2)


LABELS = ("very-harmful", "harmless", "cartoon", "")


def answers(*rows: tuple[str, str, str, str]) -> pd.DataFrame:
    """Item, participant, label and target, in Germany."""
    table = [(item, "DE", who, label, target) for item, who, label, target in rows]
    return pd.DataFrame(table, columns=["item", "culture", "participant", "label", "target"])


def decision(label: str, target: str = "", item: str = "m1") -> LabelDecision:
    values = {"label": label, "target": target}
    decided = {name: (answer,) for name, answer in values.items() if answer}
    return LabelDecision(item, "DE", decided, ("eve",), "a session")


@given(
    votes=st.lists(st.tuples(st.sampled_from("mno"), st.sampled_from(LABELS[:3])), max_size=9),
    decided=st.lists(st.tuples(st.sampled_from("mnox"), st.sampled_from(LABELS)), max_size=6),
)
def test_votes_hold_exactly_where_nothing_was_decided(
    votes: list[tuple[str, str]], decided: list[tuple[str, str]]
) -> None:
    rows = [(item, f"p{number}", label, "") for number, (item, label) in enumerate(votes)]
    voted = settle(answers(*rows), HARMEME, SETTINGS)
    made = [decision(label, item=item) for item, label in decided]
    after = settle(answers(*rows), HARMEME, SETTINGS, decisions=made)
    last = {item: label for item, label in decided if label}
    for before, now in zip(voted.rows, after.rows, strict=True):
        label = last.get(before["item"])
        if label is None:
            assert now == before
        else:
            assert (now["label"] or now["reasons"]) == label
            assert now["votes"] == before["votes"]
    assert after.needs.keys() == {cell for cell in voted.needs if cell[0] not in last}


US, DE, SECOND = sheet("US"), sheet("DE"), sheet("US", 2, memes=10)


SHEETS = [US, DE, SECOND]


def prices(**by_culture: str) -> dict[str, Decimal]:
    return {one.id: Decimal(by_culture[one.culture.code]) for one in SHEETS}


def came_in() -> list[Submission]:
    return [
        *careful(US, 3),
        fill(US, "careless", wrong=("check-1",)),
        fill(DE, "jo"),
        replace(fill(DE, "left"), status="returned"),
        fill(SECOND, "mo", skipped=("m2-00", "m2-01")),
    ]


def test_money_is_exact() -> None:
    submissions = came_in()
    people = [
        replace(person("careful-0", US), status="APPROVED"),
        replace(person("careful-1", US), status="APPROVED"),
        person("careful-2", US),
        replace(person("careless", US), status="REJECTED"),
        person("jo", DE),
        replace(person("left", DE), status="RETURNED"),
        replace(person("at-it", DE), status="ACTIVE"),
    ]
    rewards = prices(US="1.10", DE="2.05")
    report = check(submissions, SHEETS, people)
    places = {row["name"]: row["places"] for row in progress(SHEETS, report)["sheets"]}
    money = costs(places, report, people, rewards, Decimal("0.333"))
    # 1.10 * 1.333 = 1.4663 and 2.05 * 1.333 = 2.73265, to the cent; places: US 2 + 4, DE 4 less 1.
    assert money == {
        "paid": Decimal("2.94"),
        "owed": Decimal("4.20"),
        "running": Decimal("2.73"),
        "to_come": Decimal("1.47") * 6 + Decimal("2.73") * 3,
        "total": Decimal("26.88"),
    }
