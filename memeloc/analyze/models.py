"""A model's labels beside each culture's (multi3hate 5). In: `Answers`. Out: a `Section`.

A model's answer to an item is right for a culture if it is the culture's majority label. An answer
that is not one of the labels is wrong, and counted apart (multi3hate 5.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement import against_rest
from memeloc.agreement.weighted import cohen
from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.reports.sections import Heatmap, Section, Table
from memeloc.statistics.intervals import wilson
from memeloc.statistics.significance import holm, p_text, scipy_stats

_INVALID = -2
"""The place of an answer that is not one of the labels."""


@dataclass(frozen=True, eq=False)
class _Model:
    """A model, asked as somebody of a culture or of none.

    Attributes:
        label: by item of `Answers.names` the place of the label; `NO_LABEL` where it was not asked,
            or gave different answers as often as each other; `_INVALID` for no label at all.
    """

    name: str
    asked_as: str
    label: Ints

    @property
    def title(self) -> str:
        return f"{self.name} (as {self.asked_as})" if self.asked_as else self.name


def models(answers: Answers, settings: Settings) -> Section:
    """How far each model agrees with the people of each culture.

    Raises:
        InputError: no model answered an item that people answered.
        MissingError: scipy is not installed.
    """
    all_models = _all_models(answers)
    if not any((model.label != NO_LABEL).any() for model in all_models):
        raise InputError("no model answered an item that people answered")
    agreement = _agreement(answers, all_models, settings.confidence)
    pairs = _pairs(answers, all_models)
    known = agreement.frame.dropna(subset=["agreement"])
    titles = {(model.name, model.asked_as): model.title for model in all_models}
    rows = [titles[key] for key in zip(known["model"], known["asked_as"], strict=True)]
    values = known.assign(title=rows).pivot(index="title", columns="culture", values="agreement")
    return Section(
        name="models",
        title="Models beside cultures",
        tables=(agreement, pairs, _shares(answers, all_models)),
        plots=(
            Heatmap(
                "models",
                "Agreement of models with cultures",
                values,
                "share of items on which the model gives the culture's majority label",
            ),
        ),
        sentences=tuple(_sentences(agreement.frame, pairs.frame, settings)),
        figures={
            "models": len(all_models),
            "mean_agreement": float(known["agreement"].mean()) if len(known) else None,
        },
        gaps=tuple(_gaps(agreement.frame)),
    )


def _all_models(answers: Answers) -> list[_Model]:
    table = answers.models
    given = table[table["label"].notna() & table["item"].astype(str).isin(answers.names)]
    places = pd.Index(list(answers.labels), dtype=object)
    result = []
    keys = [given["participant"].astype(str), given["culture"].fillna("").astype(str)]
    for (name, asked_as), rows in given.groupby(keys):
        items = pd.Index(list(answers.names)).get_indexer(pd.Index(rows["item"].astype(str)))
        label = places.get_indexer(pd.Index(rows["label"].astype(str).astype(object)))
        # A column more for answers that are no label: they win an item like any other.
        columns = np.where(label < 0, len(places), label)
        counts = np.zeros((len(answers.names), len(places) + 1), dtype=np.int64)
        np.add.at(counts, (items, columns), 1)
        most = counts.max(axis=1, keepdims=True)
        alone = ((counts == most).sum(axis=1) == 1) & (most[:, 0] > 0)
        winner = counts.argmax(axis=1)
        winner[winner == len(places)] = _INVALID
        result.append(_Model(str(name), str(asked_as), np.where(alone, winner, NO_LABEL)))
    return result


def _agreement(answers: Answers, all_models: list[_Model], confidence: float) -> Table:
    people = _annotators(answers)
    rows = []
    for model in all_models:
        for place, culture in enumerate(answers.cultures):
            majority = answers.majority[:, place]
            both = (model.label != NO_LABEL) & (majority != NO_LABEL)
            items = int(both.sum())
            same = int((model.label == majority)[both].sum())
            low, high = map(float, wilson(same, items, confidence))
            rows.append(
                {
                    "model": model.name,
                    "asked_as": model.asked_as,
                    "culture": culture,
                    "items": items,
                    "agreement": same / items if items else float("nan"),
                    "low": low,
                    "high": high,
                    "kappa": _kappa(model.label[both], majority[both]),
                    "invalid": int((model.label[both] == _INVALID).sum()),
                    "annotators": people.get(culture, float("nan")),
                }
            )
    method = (
        "Share of the items with an answer of the model and a majority label of the culture on "
        f"which both are the same, with Wilson's interval (1927) at {confidence:g}; kappa is "
        "Cohen's. A model that answered an item more than once counts with its most common answer. "
        "Answers that are not one of the labels are wrong. Annotators: how often a person of the "
        "culture gives the label of most others, to compare with."
    )
    columns = {
        "model": "the model",
        "asked_as": "the culture that it was asked as; empty for none",
        "culture": "the culture whose labels it is compared with",
        "items": "items with an answer and a majority label",
        "agreement": "share of them with the same label, 0 to 1",
        "low": "lower end of the interval",
        "high": "upper end of the interval",
        "kappa": "Cohen's kappa, -1 to 1",
        "invalid": "answers among them that are not one of the labels",
        "annotators": "share of people's answers that are the majority label of the others, 0 to 1",
    }
    title = "Agreement of models with cultures"
    return Table("models", title, pd.DataFrame(rows), columns, method)


def _pairs(answers: Answers, all_models: list[_Model]) -> Table:
    """Whether a model agrees more with one culture than with another."""
    names = ["model", "asked_as", "first", "second", "items", "difference", "p", "p_holm"]
    rows = []
    for model in all_models:
        of_model = []
        for first, second in combinations(range(len(answers.cultures)), 2):
            labels = answers.majority[:, [first, second]]
            both = (model.label != NO_LABEL) & (labels != NO_LABEL).all(axis=1)
            right = labels[both] == model.label[both][:, None]
            only = [int((right[:, side] & ~right[:, 1 - side]).sum()) for side in (0, 1)]
            items, apart = int(both.sum()), sum(only)
            p = scipy_stats().binomtest(only[0], apart, 0.5).pvalue if apart else 1.0
            of_model.append(
                (
                    *(model.name, model.asked_as),
                    *(answers.cultures[first], answers.cultures[second]),
                    items,
                    (only[0] - only[1]) / items if items else float("nan"),
                    float(p) if items else float("nan"),
                )
            )
        corrected = holm([row[-1] for row in of_model])
        rows += [(*row, p) for row, p in zip(of_model, corrected, strict=True)]
    method = (
        "Over the items with an answer of the model and a majority label in both cultures: the "
        "model's agreement with the first minus that with the second, and McNemar's exact test "
        "(1947) on the items where it agrees with one of them only; p_holm is corrected for the "
        "pairs of each model."
    )
    columns = {
        "model": "the model",
        "asked_as": "the culture that it was asked as; empty for none",
        "first": "one culture",
        "second": "the other",
        "items": "items compared",
        "difference": "agreement with the first minus that with the second, -1 to 1",
        "p": "two-sided p-value",
        "p_holm": "the same, corrected for the pairs of the model",
    }
    title = "Models between two cultures"
    return Table("models-pairs", title, pd.DataFrame(rows, columns=names), columns, method)


def _shares(answers: Answers, all_models: list[_Model]) -> Table:
    """Which labels models give, and which cultures have."""
    sides = [
        *(("people", code, answers.majority[:, p]) for p, code in enumerate(answers.cultures)),
        *(("model", model.title, model.label) for model in all_models),
    ]
    rows = []
    for kind, name, label in sides:
        given = label[label != NO_LABEL]
        total = max(len(given), 1)
        shares = [float((given == place).sum()) / total for place in range(len(answers.labels))]
        rows.append((kind, name, len(given), *shares, float((given == _INVALID).sum()) / total))
    titles = [f"share of {label}" for label in answers.labels]
    frame = pd.DataFrame(rows, columns=["kind", "name", "items", *titles, "invalid"])
    columns = {
        "kind": "people or model",
        "name": "the culture, or the model and the culture that it was asked as",
        "items": "items with a label",
        **{title: f"{title} among them, 0 to 1" for title in titles},
        "invalid": "share of answers that are not one of the labels, 0 to 1",
    }
    method = "Majority labels of cultures, and answers of models, each over the items it labelled."
    return Table("models-shares", "Labels of people and models", frame, columns, method)


def _annotators(answers: Answers) -> dict[str, float]:
    """By culture how often a person gives the label of most others, over their answers."""
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    shares = {}
    for culture, rows in voting.groupby("culture"):
        rest = against_rest(rows)
        rest = rest[rest["items"] > 0]
        if len(rest):
            shares[str(culture)] = float(np.average(rest["agreement"], weights=rest["items"]))
    return shares


def _kappa(first: Ints, second: Ints) -> float:
    """Cohen's kappa of two rows of labels; NaN where chance alone would agree throughout."""
    names, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    table = np.zeros((len(names), len(names), 1))
    np.add.at(table[..., 0], (places[: len(first)], places[len(first) :]), 1)
    return float(cohen(table)[0])


def _sentences(frame: pd.DataFrame, pairs: pd.DataFrame, settings: Settings) -> Iterator[str]:
    for (name, asked_as), rows in frame.dropna(subset=["agreement"]).groupby(["model", "asked_as"]):
        best = rows.iloc[int(rows["agreement"].argmax())]
        worst = rows.iloc[int(rows["agreement"].argmin())]
        title = f"{name}, asked as {asked_as}," if asked_as else str(name)
        if len(rows) == 1:
            yield (
                f"{title} gives the majority label of {best['culture']} for "
                f"{100 * best['agreement']:.1f} % of {best['items']:,} items."
            )
            continue
        of_model = pairs[(pairs["model"] == name) & (pairs["asked_as"] == asked_as)]
        ends = {best["culture"], worst["culture"]}
        compared = of_model[of_model["first"].isin(ends) & of_model["second"].isin(ends)]
        p = p_text(float(compared["p_holm"].iloc[0])) if len(compared) else "not compared"
        yield (
            f"{title} agrees most with {best['culture']} ({100 * best['agreement']:.1f} % of "
            f"{best['items']:,} items) and least with {worst['culture']} "
            f"({100 * worst['agreement']:.1f} %; McNemar's test, {p} after Holm's correction)."
        )


def _gaps(frame: pd.DataFrame) -> Iterator[str]:
    for _, row in frame[frame["items"] == 0].iterrows():
        yield f"{row['model']} and {row['culture']} have no item with a label of both."
