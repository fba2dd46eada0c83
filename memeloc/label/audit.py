"""The audit of labels by a model. In: people's labels, the model's. Out: an `Audit`, its section.

CHARMemes (4.2 and E): a simple random sample of what all rounds agree on is labelled by everyone;
Cohen's kappa of each person with the model, and Fleiss' of the people, without outliers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.agreement import PairAgreement, fleiss_kappa, measure
from memeloc.reports.sections import Heatmap, Report, Section, Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class WithModel:
    """A person beside the model, over the items that the person labelled.

    `outlier`: whether the person stands out from the others by the rule; `kappa` is None where it
    is not defined.
    """

    participant: str
    items: int
    agreement: float
    kappa: float | None
    outlier: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """How people agree with a model on a sample.

    Attributes:
        sample: items in the sample; `labelled`, those that somebody labelled.
        people: each person with the model, those who agree most first.
        pairs: each two people.
        kappa: mean of the people's kappas with the model, without outliers.
        fleiss: Fleiss' kappa of all people; `fleiss_kept` of those who are no outliers.
        same: share of the labelled items on which most people (no outliers) gave the model's label.
    """

    model: str
    sample: int
    labelled: int
    people: tuple[WithModel, ...]
    pairs: tuple[PairAgreement, ...]
    kappa: float | None
    fleiss: float | None
    fleiss_kept: float | None
    same: float | None


def audit(
    answers: pd.DataFrame, labels: Mapping[str, str], model: str, outliers: Collection[str] = ()
) -> Audit:
    """Measure how people agree with a model.

    Args:
        answers: `item`, `participant`, `label` of people, abstentions left out.
        labels: the model's label of each item of the sample.
        outliers: people who stand out; see `memeloc.survey.quality.outliers`.
    """
    import pandas as pd

    people = answers[answers["item"].isin(labels)][["item", "participant", "label"]]
    own = pd.DataFrame(
        {"item": list(labels), "participant": _MODEL, "label": list(labels.values())}, dtype=object
    )
    pairs = measure(pd.concat([people, own], ignore_index=True)).pairs
    # The model's name sorts before all others.
    with_model = [
        WithModel(pair.second, pair.items, pair.agreement, pair.kappa, pair.second in outliers)
        for pair in pairs
        if pair.first == _MODEL
    ]
    kept = people[~people["participant"].isin(list(outliers))]
    kappas = [each.kappa for each in with_model if not each.outlier and each.kappa is not None]
    return Audit(
        model,
        len(labels),
        int(people["item"].nunique()),
        tuple(sorted(with_model, key=_rank, reverse=True)),
        tuple(pair for pair in pairs if pair.first != _MODEL),
        sum(kappas) / len(kappas) if kappas else None,
        fleiss_kappa(people),
        fleiss_kappa(kept),
        _same(kept, labels),
    )


_MODEL = "\0model"
"""Stands for the model among people, none of whom is called so."""


def audit_section(result: Audit) -> Section:
    """The audit as a part of a report."""
    import pandas as pd

    people = pd.DataFrame([_row(person) for person in result.people], columns=list(_PEOPLE))
    pairs = pd.DataFrame(
        [(p.first, p.second, p.items, p.agreement, p.kappa) for p in result.pairs],
        columns=list(_PAIRS),
    )
    for frame in (people, pairs):
        frame["kappa"] = frame["kappa"].astype(float)
    method = (
        f"Cohen's kappa (1960) with the label that all rounds of {result.model} agree on, over a "
        f"simple random sample of {result.sample:,} items that everybody labels (CHARMemes 4.2, E)."
    )
    outliers = [person.participant for person in result.people if person.outlier]
    return Section(
        "audit",
        "People beside the model",
        (
            Table("audit", "All in all", _all_in_all(result), _MEASURES, _METHOD),
            Table("audit_people", "Each person with the model", people, _PEOPLE, method),
            Table("audit_pairs", "Each two people", pairs, _PAIRS, "Cohen's kappa (1960)."),
        )
        if result.people
        else (),
        (Heatmap("audit_kappa", "Cohen's kappa of each two", _matrix(result), method),)
        if result.people
        else (),
        tuple(_sentences(result, outliers)),
        {
            "items": result.labelled,
            "people": len(result.people),
            "outliers": len(outliers),
            "kappa": result.kappa,
            "fleiss": result.fleiss,
            "fleiss_kept": result.fleiss_kept,
            "same": result.same,
        },
        () if result.people else ("Nobody has labelled the sample yet.",),
    )


def audit_report(result: Audit, survey: str) -> Report:
    """The audit as a report of its own, to be written by `memeloc.reports.write_report`."""
    section = audit_section(result)
    facts = {
        "Model": result.model,
        "Survey": survey,
        "Items": f"{result.labelled:,} of {result.sample:,}",
        "People": f"{len(result.people):,}",
    }
    return Report(
        "audit", f"Audit of {result.model}", f"How people agree with {result.model}", facts,
        (section,), methods=section.sentences
    )  # fmt: skip


_PEOPLE = {
    "participant": "the person",
    "items": "items that the person labelled",
    "agreement": "share with the model's label, 0 to 1",
    "kappa": "Cohen's kappa with the model, up to 1; empty where it is not defined",
    "outlier": "whether the person stands out from the others by the outlier rule",
}
_PAIRS = {
    "first": "a person",
    "second": "another one",
    "items": "items that both labelled",
    "agreement": "share with the same label, 0 to 1",
    "kappa": "Cohen's kappa, up to 1; empty where it is not defined",
}


_MEASURES = {"measure": "what is measured", "value": "up to 1; a share is 0 to 1"}
_METHOD = (
    "Means over people are of those who do not stand out. Somebody stands out whose kappa with the "
    "majority of the others is far below the others' median, and whose agreement is hardly by "
    "chance (rule `outlier`); nobody is excluded by it."
)


def _all_in_all(result: Audit) -> pd.DataFrame:
    import pandas as pd

    measures = {
        "mean of Cohen's kappa with the model": result.kappa,
        "Fleiss' kappa of all people": result.fleiss,
        "Fleiss' kappa without those who stand out": result.fleiss_kept,
        "share of items on which most people gave the model's label": result.same,
    }
    frame = pd.DataFrame(list(measures.items()), columns=list(_MEASURES))
    return frame.astype({"value": float})


def _row(person: WithModel) -> tuple[Any, ...]:
    return (
        person.participant, person.items, person.agreement, person.kappa,
        "yes" if person.outlier else "no",
    )  # fmt: skip


def _matrix(result: Audit) -> pd.DataFrame:
    """Kappa of each two, the model first, as in figure 6 of CHARMemes."""
    import pandas as pd

    names = [result.model, *(person.participant for person in result.people)]
    matrix = pd.DataFrame(float("nan"), index=names, columns=names)
    cells = [(result.model, each.participant, each.kappa) for each in result.people]
    cells += [(each.first, each.second, each.kappa) for each in result.pairs]
    for first, second, kappa in cells:
        if kappa is not None:
            matrix.loc[first, second] = matrix.loc[second, first] = kappa
    return matrix


def _sentences(result: Audit, outliers: Collection[str]) -> list[str]:
    if not result.people:
        return []
    sentences = [
        f"{len(result.people):,} people labelled {result.labelled:,} items on which all rounds of "
        f"{result.model} agree; their mean kappa with the model is {_written(result.kappa)}."
    ]
    if outliers:
        sentences.append(
            f"{', '.join(outliers)} {'stands' if len(outliers) == 1 else 'stand'} out from the "
            f"others; Fleiss' kappa of the others is {_written(result.fleiss_kept)} (of all: "
            f"{_written(result.fleiss)})."
        )
    else:
        sentences.append(f"Fleiss' kappa of the people is {_written(result.fleiss)}.")
    if result.same is not None:
        sentences.append(f"Most people gave the model's label to {result.same:.1%} of the items.")
    return sentences


def _same(people: pd.DataFrame, labels: Mapping[str, str]) -> float | None:
    """The share of items on which most people gave the model's label; ties are no majority."""
    if people.empty:
        return None
    same = 0
    for item, given in people.groupby("item")["label"]:
        counts = given.value_counts()
        alone = (counts == counts.iloc[0]).sum() == 1
        same += bool(alone and counts.index[0] == labels[str(item)])
    return same / int(people["item"].nunique())


def _rank(person: WithModel) -> tuple[float, str]:
    return (-2.0 if person.kappa is None else person.kappa), person.participant


def _written(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"
