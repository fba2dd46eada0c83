"""An examination after M-QUEST: figures counted apart, models whose behaviour is known."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.knowledge.questions import MemeQuestion
from memeloc.reports.figures import of_analysis, value_of, wide
from memeloc.statistics.significance import CAPTION_WORDS, LONGEST, QUESTION_WORDS

DIMENSIONS = ("toxicity", "textual-material", "scene", "emotion")
INPUTS = ("picture", "none", "text")
MODELS = ("always C", "longest", "knows scenes", "sees", "answers half")
LETTERS = "ABCD"


def questions() -> pd.DataFrame:
    """Questions about 80 memes as of a benchmark: toxicity and some others."""
    return pd.DataFrame(_rows()).set_index("item")


def _rows() -> Iterator[dict[str, str]]:
    drawn = random.Random(3)
    for number, dimension in product(range(80), DIMENSIONS):
        if dimension != "toxicity" and drawn.random() < 0.5:
            continue
        correct = f"a {drawn.choice(['cat', 'teapot', 'very long office desk'])} {number}"
        question = MemeQuestion(
            f"m{number}", "en", dimension, "en", f"What about the cat in meme {number}?",
            correct, f"a rainy Monday {number}", "sea", "None of the others", "Look.",
        )  # fmt: skip
        options = question.options(seed=1)
        yield {
            "item": question.id,
            "meme": question.meme,
            "dimension": dimension,
            "question": question.question,
            **dict(zip(LETTERS, options, strict=True)),
            "correct": correct,
            "caption": "a teapot on a Monday" if number % 2 else "",
        }


def answers(asked: pd.DataFrame) -> pd.DataFrame:
    drawn = random.Random(5)
    rows = []
    for (item, row), model, kind in product(asked.iterrows(), MODELS, INPUTS):
        if kind == "text" and not row["caption"]:
            continue
        options = [row[letter] for letter in LETTERS]
        choice = _choice(model, kind, row, options, drawn)
        rows.append(
            {
                "model": model,
                "item": item,
                "input": kind,
                "meme": row["meme"],
                "dimension": row["dimension"],
                "choice": choice,
                "position": options.index(choice) + 1 if choice else 0,
                "invalid": not choice,
            }
        )
    return pd.DataFrame(rows)


def _choice(model: str, kind: str, row: pd.Series, options: list[str], drawn: random.Random) -> str:
    match model:
        case "always C":
            return options[2]
        case "longest":
            return max(options, key=len)
        case "knows scenes" if row["dimension"] == "scene":
            return row["correct"]
        case "sees" if kind == "picture":
            return row["correct"]
        case "answers half" if drawn.random() < 0.5:
            return ""
    return drawn.choice(options)


@pytest.fixture(scope="module")
def asked() -> pd.DataFrame:
    return questions()


@pytest.fixture(scope="module")
def given(asked: pd.DataFrame) -> pd.DataFrame:
    return answers(asked)


@pytest.fixture(scope="module")
def figures(asked: pd.DataFrame, given: pd.DataFrame) -> pd.DataFrame:
    known = {
        str(item): ChoiceQuestion(
            row["question"], tuple(row[letter] for letter in LETTERS), "en", row["caption"]
        )
        for item, row in asked.iterrows()
    }
    gold = Gold(asked[["correct"]].set_axis(["gold"], axis=1), questions=known)
    return score(ModelAnswers.of(given), gold, ScoreSettings(bootstraps=200))


@pytest.fixture(scope="module")
def marked(asked: pd.DataFrame, given: pd.DataFrame) -> pd.DataFrame:
    """Each answer with whether it is right: what all is counted of apart."""
    table = given.join(asked[["correct", *LETTERS]], on="item")
    return table.assign(right=(table["choice"] == table["correct"]).astype(float))


TITLES = {"picture": "picture", "none": "question alone", "text": "text"}
"""Of the inputs in the titles of conditions."""


def difference(figures: pd.DataFrame, model: str, baseline: str, kind: str = "picture") -> float:
    group = f"{model} · {TITLES[kind]}"
    return value_of(figures, "beside-baselines", "difference", group, baseline)


def test_dimensions_groups_and_macro_as_in_pandas(
    figures: pd.DataFrame, marked: pd.DataFrame
) -> None:
    whole = wide(figures, "choice").set_index("group")
    for (model, kind), own in marked.groupby(["model", "input"]):
        group = f"{model} · {TITLES[kind]}"
        by_dimension = own.groupby("dimension")["right"].mean()
        for dimension, expected in by_dimension.items():
            value = value_of(figures, "dimensions", "accuracy", group, str(dimension))
            assert value == pytest.approx(expected, abs=1e-12)
        toxic = own["dimension"] == "toxicity"
        both = set(own[toxic]["meme"]) & set(own[~toxic]["meme"])
        memes = own[own["meme"].isin(both)].groupby("meme")["right"].min()
        expected = {
            "overall": own["right"].mean(),
            "macro": by_dimension.mean(),
            "toxicity": own[toxic]["right"].mean(),
            "reasoning": own[~toxic]["right"].mean(),
            "group_accuracy": memes.mean(),
        }
        scores = whole.loc[group, list(expected)].to_dict()
        assert scores == pytest.approx(expected, abs=1e-12)
        rows = of_analysis(figures, "choice", "group_accuracy")
        assert rows["n"][rows["group"] == group].item() == len(memes)


def test_places_of_the_right_option_as_in_pandas(
    figures: pd.DataFrame, marked: pd.DataFrame
) -> None:
    at = marked.apply(lambda row: [row[each] for each in LETTERS].index(row["correct"]) + 1, axis=1)
    expected = marked.groupby(["model", "input", at])["right"].agg(["mean", "size"])
    places = wide(figures, "right-places").set_index(["group", "item"])
    assert len(places) == len(expected)
    for (model, kind, place), row in expected.iterrows():
        own = places.loc[(f"{model} · {TITLES[kind]}", f"place {place}")]
        assert own["accuracy"] == pytest.approx(row["mean"], abs=1e-12)
        assert own["n"] == row["size"]


def test_the_longest_option_as_in_pandas(figures: pd.DataFrame, asked: pd.DataFrame) -> None:
    lengths = asked[list(LETTERS)].map(len)
    longest = lengths.eq(lengths.max(axis=1), axis=0)
    right = asked[list(LETTERS)].eq(asked["correct"], axis=0)
    share = (longest & right).any(axis=1) / longest.sum(axis=1)
    scores = wide(figures, "baselines").set_index("group").loc[LONGEST]
    assert scores["overall"] == pytest.approx(share.mean(), abs=1e-12)
    by_dimension = share.groupby(asked["dimension"]).mean()
    assert scores["macro"] == pytest.approx(by_dimension.mean(), abs=1e-12)
    toxic = asked["dimension"] == "toxicity"
    both = asked["meme"].isin(set(asked[~toxic]["meme"]))
    group = share[both].groupby(asked["meme"]).prod().mean()
    assert scores["group_accuracy"] == pytest.approx(group, abs=1e-12)


def test_words_shared_as_in_pandas(figures: pd.DataFrame, asked: pd.DataFrame) -> None:
    scores = wide(figures, "baselines").set_index("group")
    for name, column in ((QUESTION_WORDS, "question"), (CAPTION_WORDS, "caption")):
        rows = asked[asked[column] != ""]
        shares = rows.apply(
            lambda row, column=column: pd.Series(
                {each: _overlap(row[each], row[column]) for each in LETTERS}
            ),
            axis=1,
        )
        best = shares.eq(shares.max(axis=1), axis=0)
        right = rows[list(LETTERS)].eq(rows["correct"], axis=0)
        expected = ((best & right).any(axis=1) / best.sum(axis=1)).mean()
        assert scores.loc[name, "n"] == len(rows)
        assert scores.loc[name, "overall"] == pytest.approx(expected, abs=1e-12)


def _overlap(option: str, text: str) -> float:
    words = set(option.lower().split())
    return len(words & set(text.lower().rstrip("?").split())) / len(words)


def test_differences_to_the_text_alone_as_in_pandas(
    figures: pd.DataFrame, marked: pd.DataFrame
) -> None:
    by_input = marked.pivot_table(index=["model", "item"], columns="input", values="right")
    for model, own in by_input.groupby("model"):
        for kind, name in (("none", "question alone"), ("text", "caption alone")):
            pairs = own[["picture", kind]].dropna()
            rows = wide(figures, "beside-baselines").set_index(["group", "item"])
            each = rows.loc[(f"{model} · picture", name)]
            assert each["n"] == len(pairs)
            mean = (pairs["picture"] - pairs[kind]).mean()
            assert each["difference"] == pytest.approx(mean, abs=1e-12)
            assert each["accuracy"] - each["of_baseline"] == pytest.approx(mean, abs=1e-12)


def test_rules_need_the_questions_and_the_control_does_not(
    asked: pd.DataFrame, given: pd.DataFrame
) -> None:
    gold = Gold(asked[["correct"]].set_axis(["gold"], axis=1))
    own = given[given["model"] == "sees"]
    figures = score(ModelAnswers.of(own), gold, ScoreSettings(bootstraps=2))
    assert not {"baselines", "right-places"} & set(figures["analysis"])
    beside = of_analysis(figures, "beside-baselines")
    assert set(beside["item"]) == {"question alone", "caption alone"}
