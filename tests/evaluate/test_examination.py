"""An examination after M-QUEST: figures counted apart, models whose behaviour is known."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.scores import ChoiceScores, Evaluation, ScoreSettings, score
from memeloc.evaluate.scores.figures import BesideBaseline
from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.statistics.guessing import CAPTION_WORDS, CHANCE, LONGEST, QUESTION_WORDS

DIMENSIONS = ("toxicity", "textual-material", "scene", "emotion")
INPUTS = ("picture", "none", "text")
MODELS = ("always C", "longest", "knows scenes", "sees", "answers half")
LETTERS = "ABCD"


def questions() -> pd.DataFrame:
    """Questions about 80 memes, as `knowledge select` writes them: toxicity and some others."""
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
def evaluation(asked: pd.DataFrame, given: pd.DataFrame) -> Evaluation:
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


def choice(evaluation: Evaluation, model: str, kind: str = "picture") -> ChoiceScores:
    return next(
        each
        for each in evaluation.choices
        if (each.condition.model, each.condition.input) == (model, kind)
    )


def beside(
    evaluation: Evaluation, model: str, baseline: str, kind: str = "picture"
) -> BesideBaseline:
    return next(
        each
        for each in evaluation.beside_baselines
        if (each.condition.model, each.condition.input) == (model, kind)
        and (each.baseline, each.dimension) == (baseline, "")
    )


def test_dimensions_groups_and_macro_as_in_pandas(
    evaluation: Evaluation, marked: pd.DataFrame
) -> None:
    for (model, kind), own in marked.groupby(["model", "input"]):
        scores = choice(evaluation, model, kind)
        by_dimension = own.groupby("dimension")["right"].mean()
        assert {n: v.value for n, _, v in scores.dimensions} == pytest.approx(
            by_dimension.to_dict(), abs=1e-12
        )
        toxic = own["dimension"] == "toxicity"
        both = set(own[toxic]["meme"]) & set(own[~toxic]["meme"])
        whole = own[own["meme"].isin(both)].groupby("meme")["right"].min()
        expected = {
            "overall": own["right"].mean(),
            "macro": by_dimension.mean(),
            "toxicity": own[toxic]["right"].mean(),
            "reasoning": own[~toxic]["right"].mean(),
            "group": whole.mean(),
        }
        figures = {name: getattr(scores, name).value for name in expected}
        assert figures == pytest.approx(expected, abs=1e-12)
        assert scores.memes == len(whole)


def test_places_of_the_right_option_as_in_pandas(
    evaluation: Evaluation, marked: pd.DataFrame
) -> None:
    at = marked.apply(lambda row: [row[each] for each in LETTERS].index(row["correct"]) + 1, axis=1)
    expected = marked.groupby(["model", "input", at])["right"].agg(["mean", "size"])
    figures = {
        (*each.condition[:2], each.place): (each.accuracy.value, each.answers)
        for each in evaluation.places
    }
    assert figures.keys() == set(expected.index)
    for key, (accuracy, count) in figures.items():
        assert accuracy == pytest.approx(expected.loc[key, "mean"], abs=1e-12)
        assert count == expected.loc[key, "size"]


def test_the_longest_option_as_in_pandas(evaluation: Evaluation, asked: pd.DataFrame) -> None:
    lengths = asked[list(LETTERS)].map(len)
    longest = lengths.eq(lengths.max(axis=1), axis=0)
    right = asked[list(LETTERS)].eq(asked["correct"], axis=0)
    share = (longest & right).any(axis=1) / longest.sum(axis=1)
    scores = {each.name: each for each in evaluation.baselines}[LONGEST]
    assert scores.overall == pytest.approx(share.mean(), abs=1e-12)
    by_dimension = share.groupby(asked["dimension"]).mean()
    assert scores.macro == pytest.approx(by_dimension.mean(), abs=1e-12)
    toxic = asked["dimension"] == "toxicity"
    both = asked["meme"].isin(set(asked[~toxic]["meme"]))
    group = share[both].groupby(asked["meme"]).prod().mean()
    assert scores.group == pytest.approx(group, abs=1e-12)


def test_words_shared_as_in_pandas(evaluation: Evaluation, asked: pd.DataFrame) -> None:
    scores = {each.name: each for each in evaluation.baselines}
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
        assert scores[name].questions == len(rows)
        assert scores[name].overall == pytest.approx(expected, abs=1e-12)


def _overlap(option: str, text: str) -> float:
    words = set(option.lower().split())
    return len(words & set(text.lower().rstrip("?").split())) / len(words)


def test_chance_is_one_of_the_options(evaluation: Evaluation) -> None:
    chance = {each.name: each for each in evaluation.baselines}[CHANCE]
    assert {*[v for _, _, v in chance.dimensions], chance.overall, chance.macro} == {0.25}
    assert chance.group < 0.25**1.5


def test_differences_to_the_text_alone_as_in_pandas(
    evaluation: Evaluation, marked: pd.DataFrame
) -> None:
    wide = marked.pivot_table(index=["model", "item"], columns="input", values="right")
    for model, own in wide.groupby("model"):
        for kind, name in (("none", "question alone"), ("text", "caption alone")):
            pairs = own[["picture", kind]].dropna()
            each = beside(evaluation, model, name)
            assert each.questions == len(pairs)
            mean = (pairs["picture"] - pairs[kind]).mean()
            assert each.difference.value == pytest.approx(mean, abs=1e-12)
            assert each.accuracy - each.of_baseline == pytest.approx(mean, abs=1e-12)


def test_differences_by_dimension_as_in_pandas(
    evaluation: Evaluation, marked: pd.DataFrame
) -> None:
    own = marked[marked["model"] == "sees"]
    wide = own.pivot_table(index=["dimension", "item"], columns="input", values="right")
    expected = (wide["picture"] - wide["none"]).groupby("dimension").mean()
    figures = {
        each.dimension: each.difference.value
        for each in evaluation.beside_baselines
        if each.condition[:2] == ("sees", "picture") and each.baseline == "question alone"
    }
    assert figures.pop("") == pytest.approx((wide["picture"] - wide["none"]).mean(), abs=1e-12)
    assert figures == pytest.approx(expected.to_dict(), abs=1e-12)


def test_who_always_says_c_is_right_at_place_3_only(evaluation: Evaluation) -> None:
    places = {
        each.place: each.accuracy.value
        for each in evaluation.places
        if each.condition[:2] == ("always C", "picture")
    }
    assert places == {1: 0.0, 2: 0.0, 3: 1.0, 4: 0.0}


def test_who_takes_the_longest_equals_its_baseline(evaluation: Evaluation) -> None:
    each = beside(evaluation, "longest", LONGEST)
    assert abs(each.difference.value) < 0.02  # ties are drawn by one, taken in order by the other
    assert beside(evaluation, "longest", "question alone").difference.value == 0.0


def test_who_knows_one_dimension_is_found(evaluation: Evaluation) -> None:
    by_dimension = {n: v for n, _, v in choice(evaluation, "knows scenes").dimensions}
    assert by_dimension["scene"].value == 1.0
    assert all(v.high < 0.6 for n, v in by_dimension.items() if n != "scene")


def test_who_sees_needs_the_picture(evaluation: Evaluation) -> None:
    assert choice(evaluation, "sees").overall.value == 1.0
    for baseline in ("question alone", "caption alone"):
        assert beside(evaluation, "sees", baseline).difference.low > 0.5
    assert abs(beside(evaluation, "sees", CHANCE, "none").difference.value) < 0.15


def test_rules_need_the_questions_and_the_control_does_not(
    asked: pd.DataFrame, given: pd.DataFrame
) -> None:
    gold = Gold(asked[["correct"]].set_axis(["gold"], axis=1))
    own = given[given["model"] == "sees"]
    scores = score(ModelAnswers.of(own), gold, ScoreSettings(bootstraps=2))
    assert not scores.baselines
    assert not scores.places
    assert {each.baseline for each in scores.beside_baselines} == {
        "question alone",
        "caption alone",
    }
