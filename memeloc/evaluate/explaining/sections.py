"""Explanations in a report. In: models and explanations. Out: sections, and cards with pictures."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import pandas as pd
from PIL import Image

from memeloc.evaluate.explaining.local import Explanation
from memeloc.evaluate.explaining.telling import COLUMNS, WORDS, telling_words
from memeloc.evaluate.training.models import Trained
from memeloc.reports.sections import Card, Section, Table, Version

_SHOWN = 5
"""Words that a card names for and against a label."""
_PARTS = {
    "item": "its id",
    "model": "its name",
    "label": "that the model gave",
    "gold": "the right label",
    "score": "of that label, 0 to 1",
    "fit": "share of the variance of scores that the linear model explains, 0 to 1",
    "rank": "of the item's parts, from 1, the largest weight",
    "kind": "word, or region of the picture",
    "part": "the word, or the region's number",
    "weight": "what the part adds to the score of the label",
}
_METHOD = (
    "A linear model near each item (LIME, Ribeiro et al. 2016): words and regions of the picture "
    "are left out at random, the model is asked each time, and a ridge regression weighted by "
    "closeness says what each part adds to the score of the label that the model gave. Where "
    "the fit is low the weights say little. Models had not learned from these items."
)


def explanation_sections(
    models: Sequence[Trained], explanations: Sequence[Explanation], words: int = WORDS
) -> tuple[tuple[Section, ...], Mapping[str, tuple[Card, ...]]]:
    """The sections, and by section the cards of `Report.cards`.

    Args:
        models: whose most telling words are listed.
        words: most telling ones that are listed for each label.
    """
    sections = [_telling(models, words)] if models else []
    if explanations:
        sections.append(_explained(explanations))
    return tuple(sections), {"explanations": tuple(map(_card, explanations))}


def _telling(models: Sequence[Trained], words: int) -> Section:
    tables = [telling_words(model, words) for model in models]
    without = [
        model.name
        for model, table in zip(models, tables, strict=True)
        if table.empty and model.parts
    ]
    gaps = (f"No weights of words, for they are no linear models of words: {', '.join(without)}.",)
    method = "The largest positive weights of each label in linear models of words or characters."
    frame = pd.concat(tables, ignore_index=True)
    title = "Most telling words"
    table = Table("telling-words", title, frame, COLUMNS, method, captions=("term",))
    return Section("telling-words", title, (table,), gaps=gaps if without else ())


def _explained(explanations: Sequence[Explanation]) -> Section:
    rows = [row for explanation in explanations for row in _rows(explanation)]
    frame = pd.DataFrame(rows, columns=list(_PARTS)).sort_values("rank", kind="stable")
    title = "What single answers rest on"
    table = Table("explanations", title, frame, _PARTS, _METHOD, captions=("part",))
    items = tuple(explanation.example.item for explanation in explanations)
    return Section("explanations", title, (table,), items=items)


def _rows(explanation: Explanation) -> list[tuple[Any, ...]]:
    label = explanation.predicted
    place = explanation.labels.index(label)
    start = (
        explanation.example.item,
        explanation.model,
        label,
        explanation.example.label,
        float(explanation.surrogate.scores[place]),
        float(explanation.surrogate.fits[place]),
    )
    parts = [("word", word) for word in explanation.words]
    parts += [("region", str(number)) for number in range(_regions(explanation))]
    weights = explanation.surrogate.weights[place]
    order = sorted(range(len(parts)), key=lambda at: -abs(weights[at]))
    return [(*start, rank, *parts[at], float(weights[at])) for rank, at in enumerate(order, 1)]


def _regions(explanation: Explanation) -> int:
    return 0 if explanation.regions is None else explanation.regions.count


def _card(explanation: Explanation) -> Card:
    label = explanation.predicted
    example, place = explanation.example, explanation.labels.index(label)
    score = explanation.surrogate.scores[place]
    about = (
        f"{explanation.model}: {label} ({score:.2f}), right is {example.label}",
        f"fit of the linear model: {explanation.surrogate.fits[place]:.2f}",
        *_words(explanation, label),
    )
    versions = []
    if explanation.regions is not None:
        from PIL import Image

        whole = Image.fromarray(explanation.regions.pixels)
        weighted = explanation.regions.weighted(explanation.region_weights(label))
        versions = [
            Version("as it is", example.language, example.text, _address(whole), example.label),
            Version("green: for it, magenta: against", "", "", _address(weighted), label),
        ]
    else:
        versions = [Version("as it is", example.language, example.text, "", example.label)]
    return Card(example.item, about, tuple(versions), ())


def _words(explanation: Explanation, label: str) -> list[str]:
    weights = explanation.word_weights(label)
    order = sorted(range(len(weights)), key=lambda at: -abs(weights[at]))[:_SHOWN]
    lines = []
    for name, sign in (("for", 1), ("against", -1)):
        named = [
            f"{explanation.words[at]} {weights[at]:+.2f}" for at in order if weights[at] * sign > 0
        ]
        if named:
            lines.append(f"words {name} it: {', '.join(named)}")
    return lines


def _address(picture: Image.Image) -> str:
    stream = BytesIO()
    picture.save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")
