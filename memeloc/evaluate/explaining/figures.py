"""Explanations in a report. In: models and explanations. Out: rows, and cards with pictures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memeloc.evaluate.explaining.local import Explanation
from memeloc.evaluate.training.models import Part, Trained
from memeloc.reports.figures import gap, joined, tidy
from memeloc.reports.report import Card, Version

if TYPE_CHECKING:
    import pandas as pd

WORDS = 5
"""Most telling ones of a label; as many as harmeme's Table 3 has."""
_SHOWN = 5
"""Words that a card names for and against a label."""


def telling_words(models: Sequence[Trained], count: int = WORDS) -> pd.DataFrame:
    """Return rows of the terms with the largest positive weights of each label.

    harmeme's Table 3 lists the words of highest tf-idf by label; these are those the model goes by.
    Groups are `MODEL · FEATURE · LABEL`, items the terms, with _ for the end of a word. Models
    without weights of words (of vectors, trees, and reduced features) are a gap.

    Args:
        count: terms a label and feature.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    without = []
    for model in models:
        before = len(rows)
        for part in model.parts:
            for feature, terms, weights in _weights(part):
                for place, own in zip(part.classifier.classes, weights, strict=True):
                    group = f"{model.name} · {feature} · {model.labels[place]}"
                    best = np.argsort(-own, kind="stable")[:count]
                    rows += [
                        {"group": group, "item": _ends(terms[at]), "rank": rank, "weight": own[at]}
                        for rank, at in enumerate(best, 1)
                        if own[at] > 0
                    ]
        if model.parts and len(rows) == before:
            without.append(model.name)
    reason = f"No weights of words, for they are no linear models of words: {', '.join(without)}."
    words = tidy("telling-words", pd.DataFrame(rows), "weight of a linear model")
    return joined([words, *([gap("telling-words", reason)] if without else [])])


def _ends(term: str) -> str:
    """Return a term with _ for the space at an end of a word that characters may have."""
    start, end = len(term) - len(term.lstrip()), len(term) - len(term.rstrip())
    return "_" * start + term.strip() + "_" * end


def _weights(part: Part) -> list[tuple[str, NDArray[Any], NDArray[np.float64]]]:
    """Return of each feature of words its name, terms, and weights (classes, terms)."""
    all_weights = getattr(part.classifier.fitted, "coef_", None)
    if all_weights is None or any(block.reduction is not None for block in part.blocks):
        return []
    if len(all_weights) == 1:  # of two classes there is one row, for the second
        all_weights = np.vstack([-all_weights, all_weights])
    of_features: list[tuple[str, NDArray[Any], NDArray[np.float64]]] = []
    start = 0
    for block in part.blocks:
        if block.terms is None:
            start += int(block.scaling.n_features_in_)
            continue
        own = all_weights[:, start : start + len(block.terms)]
        of_features.append((block.name, block.terms, np.asarray(own, dtype=np.float64)))
        start += len(block.terms)
    return of_features


def explanation_figures(explanations: Sequence[Explanation]) -> pd.DataFrame:
    """Return rows of what was answered, and of what each part adds to the score of that label.

    Parts are items of the group `MODEL · ITEM`, the largest weight first.
    """
    import pandas as pd

    answers: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for each in explanations:
        place = each.labels.index(each.predicted)
        answers.append(
            {
                "group": each.model,
                "item": each.example.item,
                f"given: {each.predicted}": each.surrogate.scores[place],
                f"right: {each.example.label}": 1,
                "fit": each.surrogate.fits[place],
            }
        )
        names = [f"word {number}: {word}" for number, word in enumerate(each.words, 1)]
        weights = each.surrogate.weights[place]
        names += [f"region {number}" for number in range(len(weights) - len(names))]
        order = sorted(range(len(names)), key=lambda at: -abs(weights[at]))
        parts += [
            {
                "group": f"{each.model} · {each.example.item}",
                "item": names[at],
                "rank": rank,
                "weight": weights[at],
            }
            for rank, at in enumerate(order, 1)
        ]
    return joined(
        [
            tidy("explained", pd.DataFrame(answers), "score of the label").dropna(subset="value"),
            tidy("explanations", pd.DataFrame(parts), "LIME, Ribeiro et al. 2016"),
        ]
    )


def explanation_card(explanation: Explanation) -> Card:
    """Return an item as the model saw it, and what speaks for and against the label it gave."""
    label = explanation.predicted
    example, place = explanation.example, explanation.labels.index(label)
    about = [
        f"{explanation.model}: {label} ({explanation.surrogate.scores[place]:.2f}), "
        f"right is {example.label}",
        f"fit of the linear model: {explanation.surrogate.fits[place]:.2f}",
    ]
    weights = explanation.word_weights(label)
    order = sorted(range(len(weights)), key=lambda at: -abs(weights[at]))[:_SHOWN]
    for name, sign in (("for", 1), ("against", -1)):
        words = [f"{explanation.words[at]} {weights[at]:+.2f}" for at in order]
        own = [word for at, word in zip(order, words, strict=True) if weights[at] * sign > 0]
        if own:
            about.append(f"words {name} it: {', '.join(own)}")
    regions = explanation.regions
    whole = "" if regions is None else _address(Image.fromarray(regions.pixels))
    versions = [Version("as it is", example.language, example.text, whole, example.label)]
    if regions is not None:
        weighted = _address(regions.weighted(explanation.region_weights(label)))
        versions.append(Version("green: for it, magenta: against", "", "", weighted, label))
    return Card(example.item, tuple(about), tuple(versions), ())


def _address(picture: Image.Image) -> str:
    stream = BytesIO()
    picture.save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")
