"""A model's labels in each round. In: `RoundLabel`s. Out: what all rounds agree on, what not.

Self-consistency after CHARMemes (4.1): a label is accepted where all rounds gave it, everything
else goes to people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memeloc.agreement import fleiss_kappa, pairwise_kappa
from memeloc.label.prompts import LabelPrompt
from memeloc.label.scheme import Category, GivenLabel, Scheme, TopicsForm
from memeloc.language_models import Answer, Question
from memeloc.language_models.job import sent_counts
from memeloc.language_models.passes import AskedMeme, MemeJob, Pass
from memeloc.reports.figures import BETWEEN, gap, joined, tidy

if TYPE_CHECKING:
    import pandas as pd

TEXTS = Path(__file__).with_name("report.toml")


def audit(
    answers: pd.DataFrame, labels: Mapping[str, str], model: str, outliers: Collection[str] = ()
) -> pd.DataFrame:
    """Measure how people agree with a model.

    Args:
        answers: `item`, `participant`, `label` of people, abstentions left out.
        labels: the model's label of each item of the sample.
        outliers: people who stand out; see `memeloc.survey.quality.outliers`.

    Returns:
        Figures of the analyses `audit` (all in all), `audit-people` (each with the model, those who
        agree most first) and `audit-pairs` (each two, the model among them).
    """
    import pandas as pd

    people = answers[answers["item"].isin(labels)][["item", "participant", "label"]]
    if people.empty:
        return gap("audit", "Nobody has labelled the sample yet.")
    by_model = pd.DataFrame(labels.items(), columns=["item", "label"], dtype=object)
    table = pd.concat([people, by_model.assign(participant=_MODEL)], ignore_index=True)
    pairs = pairwise_kappa(table).rename(columns={"items": "n"})
    # The model's name sorts before all others.
    beside = pairs[pairs["first"] == _MODEL].rename(columns={"second": "item"})
    beside = beside.drop(columns="first").sort_values(["kappa", "item"], ascending=False)
    beside["outlier"] = beside["item"].isin(list(outliers))
    votes = people[~people["participant"].isin(list(outliers))]
    majorities = votes.groupby("item")["label"].agg(lambda labels: labels.mode().tolist())
    same = [labels[str(item)] == most[0] and len(most) == 1 for item, most in majorities.items()]
    totals = {
        "sample": [len(labels)],
        "items": [people["item"].nunique()],
        "people": [len(beside)],
        "outliers": [beside["outlier"].sum()],
        "kappa": [beside.loc[~beside["outlier"], "kappa"].mean()],
        "fleiss": [fleiss_kappa(people)],
        "fleiss_kept": [fleiss_kappa(votes)],
        "same": [sum(same) / len(same) if same else None],
    }
    pairs["group"] = pairs.pop("first").replace(_MODEL, model) + BETWEEN + pairs.pop("second")
    return joined(
        [
            tidy("audit", pd.DataFrame(totals)),
            tidy("audit-people", beside, "Cohen 1960"),
            tidy("audit-pairs", pairs, "Cohen 1960"),
        ]
    )


_MODEL = "\0model"
"""Stands for the model among people, none of whom is called so."""


Equal = Literal["severe", "exact"]
"""When rounds are equal: by the most severe category, or by it and its subcategories."""
Status = Literal["answered", "refused", "wrong"]
"""Whether there are labels, the model would not answer, or never answered as it was asked to."""
State = Literal["accepted", "differing", "no answer", "missing"]
"""All rounds agree; they do not; a round has no labels; or a round has not been asked yet."""


@dataclass(frozen=True, slots=True)
class RoundLabel:
    """A model's answer about a meme in a round, as it is stored.

    Attributes:
        item: id of the collected item or the meme.
        content: of what the model was given; see `MemeInput`.
        question: `label` or `topics`.
        model: as it was asked for; `settings` has what the server calls it.
        prompt: SHA-256 of the prompt.
        round: from 1 on; `seed`, as it was sent, None where the server takes none.
        labels: as they were given, in order.
        caption: the meme's text as the model read it.
        topics: of the question `topics`; see `forms.TopicsForm.given`.
        answer: as the model wrote it; of a refusal, what it wrote instead.
        settings: what was sent, the server's name of the model, tokens and the like.
        cost: in `currency`; 0 where the answer was known.
        created_at: ISO 8601; empty before it is stored.
    """

    item: str
    content: str
    question: Literal["label", "topics"]
    taxonomy: str
    model: str
    prompt: str
    round: int
    seed: int | None
    status: Status
    labels: tuple[GivenLabel, ...] = ()
    caption: str = ""
    topics: tuple[Mapping[str, str], ...] = ()
    answer: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 0.0
    currency: str = ""
    created_at: str = ""

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """Return what one answer is stored of, under a taxonomy and a model."""
        return self.item, self.content, self.question, self.prompt, self.round


@dataclass(frozen=True, slots=True)
class Outcome:
    """A meme after its rounds.

    Attributes:
        state: by the chosen meaning of equal.
        label: the id of the category that all rounds agree on; empty without one.
        subcategories: those of `label` that every round named.
        rounds: what each round gave, in order: its most severe category with subcategories, empty
            where a round has no answer.
        severe, exact: whether all rounds are equal in either meaning.
    """

    item: str
    state: State
    label: str
    subcategories: tuple[str, ...]
    rounds: tuple[tuple[GivenLabel, ...], ...]
    severe: bool
    exact: bool


def outcomes(
    items: Iterable[str],
    answers: Iterable[RoundLabel],
    scheme: Scheme,
    rounds: int,
    equal: Equal = "severe",
) -> list[Outcome]:
    """Return what became of each meme after so many rounds, in order."""
    by_item: dict[str, dict[int, tuple[GivenLabel, ...]]] = defaultdict(dict)
    for answer in answers:
        by_item[answer.item][answer.round] = scheme.most_severe_of(answer.labels)
    results = []
    for item in items:
        asked = [by_item[item].get(number) for number in range(1, rounds + 1)]
        exact = [labels or () for labels in asked]
        categories = {labels[0].category if labels else "" for labels in exact}
        severe = len(categories) == 1 and "" not in categories
        same = severe and len(set(exact)) == 1
        state: State = "differing"
        if None in asked:
            state = "missing"
        elif "" in categories:
            state = "no answer"
        elif same if equal == "exact" else severe:
            state = "accepted"
        label, kinds = "", set[str]()
        if state == "accepted":
            (label,) = categories
            kinds = {each.subcategory for each in set.intersection(*map(set, exact))} - {""}
        results.append(
            Outcome(item, state, label, tuple(sorted(kinds)), tuple(exact), severe, same)
        )
    return results


def count(results: Sequence[Outcome]) -> dict[str, int]:
    """Return how many memes are in which state, and how many are equal in either meaning."""
    states = Counter(each.state.replace(" ", "_") for each in results)
    return {
        "items": len(results),
        **{state: states[state] for state in ("accepted", "differing", "no_answer", "missing")},
        "severe": sum(each.severe for each in results),
        "exact": sum(each.exact for each in results),
    }


def figures(
    answers: Sequence[RoundLabel],
    results: Sequence[Outcome],
    rounds: int,
    categories: Iterable[Category],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return of each round how many memes were `answered`, `refused` and `wrong`, and what was
    `sent`; and by category the memes that it was accepted for, and that differ with it in a round.
    """
    by_round = []
    for number in range(1, 1 + rounds):
        of_round = [answer for answer in answers if answer.round == number]
        states = Counter(answer.status for answer in of_round)
        sent = sent_counts(answer.settings for answer in of_round)
        counts = {"refused": states["refused"], "wrong": states["wrong"]}
        by_round.append({"round": number, "sent": sent, "answered": len(of_round), **counts})
    named = Counter(
        (outcome.state, category)
        for outcome in results
        for category in {labels[0].category for labels in outcome.rounds if labels}
    )
    labels = [
        {"label": each.id, "name": each.name}
        | {state: named[state, each.id] for state in ("accepted", "differing")}
        for each in categories
    ]
    return by_round, [row for row in labels if row["accepted"] or row["differing"]]


def agreement(results: Sequence[Outcome]) -> tuple[float | None, dict[str, float | None]]:
    """Return Fleiss' kappa of the rounds, and Cohen's of each two, by most severe category."""
    import pandas as pd

    rows = [
        (each.item, f"round {number}", labels[0].category)
        for each in results
        for number, labels in enumerate(each.rounds, 1)
        if labels
    ]
    table = pd.DataFrame(rows, columns=["item", "participant", "label"], dtype=object)
    if table.empty:
        return None, {}
    pairs = pairwise_kappa(table)
    names = pairs["first"] + " and " + pairs["second"].str.removeprefix("round ")
    kappas = [None if pd.isna(kappa) else float(kappa) for kappa in pairs["kappa"]]
    return fleiss_kappa(table), dict(zip(names, kappas, strict=True))


def label_passes(prompt: LabelPrompt, rounds: int) -> list[Pass]:
    """Return a pass a round, each of which asks the same with the next seed, and one for topics."""

    def labelled(number: int) -> Pass:
        def question(meme: AskedMeme) -> Question[Any]:
            return replace(prompt.question(meme.input), round=number - 1)

        return Pass(("label", number), prompt.sha256, question)

    passes = [labelled(number) for number in range(1, rounds + 1)]
    if prompt.topics:

        def topics(meme: AskedMeme) -> Question[Any]:
            return prompt.topics_question(meme.input)

        passes.append(Pass(("topics", 1), prompt.topics_sha256, topics))
    return passes


def round_label(
    job: MemeJob, asked: Pass, meme: AskedMeme, answer: Answer[Any], how: Mapping[str, Any]
) -> RoundLabel:
    """Return what is stored of a model's answer."""
    value, (question, number) = answer.value, asked.key
    is_topics = isinstance(value, TopicsForm)
    return RoundLabel(
        meme.input.id,
        meme.input.content,
        question,  # type: ignore[arg-type]
        job.about["taxonomy"],
        job.model,
        asked.prompt,
        int(number),
        answer.settings.get("sent", {}).get("seed"),
        answer.status,
        labels=() if value is None or is_topics else value.given(),
        caption=getattr(value, "caption", ""),
        topics=value.given() if is_topics else (),
        answer=answer.text,
        settings=how,
        cost=answer.cost,
        currency=job.currency,
    )
