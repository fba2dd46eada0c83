"""One item explained. In: a trained model and an example. Out: what each word and region adds.

Words are left out of the text, regions of the picture take their mean colour (see `surrogate`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Floats
from memeloc.errors import InputError
from memeloc.evaluate.explaining.regions import REGIONS, Regions, find_regions
from memeloc.evaluate.explaining.surrogate import Masks, Surrogate, fit_surrogate
from memeloc.evaluate.training.examples import Dataset, Example
from memeloc.evaluate.training.features import compute_features
from memeloc.evaluate.training.models import Trained
from memeloc.evaluate.training.settings import FeatureSettings
from memeloc.locales import default
from memeloc.locales.words import word_spans
from memeloc.templates.pictures import open_picture

SAMPLES = 500
"""Half of LIME's own for pictures: a model of pictures is asked for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """An explanation: what a model's answer about an item rests on.

    Attributes:
        example: the item.
        model: its name.
        labels: of the model, in order.
        words: of the text, in its order; none where the model does not read.
        regions: of the picture; None where the model does not look.
        surrogate: its parts are the words, then the regions.
    """

    example: Example
    model: str
    labels: tuple[str, ...]
    words: tuple[str, ...]
    regions: Regions | None
    surrogate: Surrogate

    @property
    def predicted(self) -> str:
        """The label with the highest score."""
        return self.labels[int(self.surrogate.scores.argmax())]

    def word_weights(self, label: str) -> Floats:
        """By word what it adds to the score of a label."""
        return self.surrogate.weights[self.labels.index(label), : len(self.words)]

    def region_weights(self, label: str) -> Floats:
        """By region what it adds to the score of a label."""
        return self.surrogate.weights[self.labels.index(label), len(self.words) :]


def explain(
    trained: Trained,
    settings: Mapping[str, FeatureSettings],
    example: Example,
    *,
    samples: int = SAMPLES,
    regions: int = REGIONS,
    seed: int = 0,
) -> Explanation:
    """Explain what a model says of an example.

    Args:
        settings: of all features of the run, by name.
        example: whose text and picture parts are left out of.
        samples: how often the model is asked.
        regions: of the picture, at most.
        seed: of the samples and the regions.

    Raises:
        InputError: the model looks at nothing that the example has, or the picture cannot be read.
        MissingError: what the features need is not installed.
    """
    own = {name: settings[name] for name in trained.settings.features}
    reads = any(each.kind != "pictures" for each in own.values())
    looks = any(each.kind == "pictures" for each in own.values())
    spans = _spans(example) if reads else []
    picture = example.picture if looks else None
    parted = None if picture is None else find_regions(open_picture(picture), regions, seed=seed)
    parts = len(spans) + (0 if parted is None else parted.count)
    if not parts:
        raise InputError(
            f"{trained.name} looks at nothing that the item {example.item[:60]!r} has, so there is "
            "nothing to explain."
        )

    def ask(masks: Masks) -> Floats:
        with tempfile.TemporaryDirectory(prefix="memeloc-explain-") as folder:
            asked = _without(example, spans, parted, masks, Path(folder))
            features = compute_features(asked.examples, own, Path(folder))
            return trained.scores(features, np.arange(len(masks)))

    surrogate = fit_surrogate(ask, parts, samples=samples, seed=seed)
    words = tuple(example.text[start:end] for start, end in spans)
    return Explanation(example, trained.name, trained.labels, words, parted, surrogate)


def _spans(example: Example) -> list[tuple[int, int]]:
    try:
        locale = default().get(example.language or "en")
    except InputError:
        locale = default().get("en")
    return [
        (start, end)
        for start, end in word_spans(example.text, locale)
        if any(map(str.isalnum, example.text[start:end]))
    ]


def _without(
    example: Example,
    spans: list[tuple[int, int]],
    regions: Regions | None,
    masks: Masks,
    folder: Path,
) -> Dataset:
    """An example for each mask, with the words and regions that it keeps."""
    examples = []
    for number, mask in enumerate(masks):
        changed = replace(example, item=str(number))
        if spans:
            changed = replace(changed, text=_text_without(example.text, spans, mask[: len(spans)]))
        if regions is not None:
            path = folder / f"{number}.png"
            regions.keeping(mask[len(spans) :]).save(path, compress_level=1)
            changed = replace(changed, picture=path)
        examples.append(changed)
    return Dataset(tuple(examples), (example.label,))


def _text_without(text: str, spans: list[tuple[int, int]], kept: NDArray[np.bool_]) -> str:
    pieces, at = [], 0
    for (start, end), keep in zip(spans, kept, strict=True):
        pieces.append(text[at:start])
        if keep:
            pieces.append(text[start:end])
        at = end
    return "".join([*pieces, text[at:]])
