"""A run on other datasets. In: a training, its settings. Out: transfer as a section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from memeloc.evaluate.protocols.fitting import chosen_models, common_rows, fit_of
from memeloc.evaluate.protocols.run_file import TransferSettings
from memeloc.evaluate.shift.label_maps import LabelMap, load_label_map
from memeloc.evaluate.shift.transfer import Corpus, cross_dataset, transfer_section
from memeloc.evaluate.training.examples import Dataset, Example
from memeloc.evaluate.training.features import compute_features
from memeloc.evaluate.training.reading import read_dataset
from memeloc.evaluate.training.run_file import LabelSettings
from memeloc.evaluate.training.splitting import SplitSettings, split_dataset
from memeloc.evaluate.training.training import Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.sections import Section

_SOURCE = 0
"""The place of the run's own dataset."""


def transferring(
    training: Training, settings: TransferSettings, folder: Path, on_progress: OnProgress
) -> Section:
    """Train and test between the run's dataset and others, on items all models can look at.

    Args:
        training: of the run's dataset.
        settings: the others, and labels that all share.
        folder: where vectors are kept.
        on_progress: see `OnProgress`.

    Raises:
        InputError: a dataset cannot be read or has no items to learn from, or a label no map.
    """
    run, labels = training.run, load_label_map(settings.labels)
    targets = [
        read_dataset(target.data, LabelSettings(), folder / f"transfer-{number}")
        for number, target in enumerate(settings.targets, 1)
    ]
    names = [settings.dataset, *(target.dataset or target.name for target in settings.targets)]
    parts = [
        _mapped(dataset.examples, labels, name, place)
        for place, (dataset, name) in enumerate(
            zip([training.dataset, *targets], names, strict=True)
        )
    ]
    joint = Dataset(tuple(example for part in parts for example in part), labels.labels)
    models = chosen_models(run, settings.models)
    used = {name for model in models for name in model.features}
    features = compute_features(
        joint,
        {name: run.features[name] for name in run.features if name in used},
        folder,
        on_progress,
    )
    common = {joint.examples[row].item for row in common_rows(features, models)}
    kept = [[example for example in part if example.item in common] for part in parts]
    source = _corpus(run.name, kept[_SOURCE], labels, run.split, run.seed)
    others = [
        replace(_corpus(target.name, part, labels, target.split, run.seed), window=target.window)
        for target, part in zip(settings.targets, kept[_SOURCE + 1 :], strict=True)
    ]
    transfer = cross_dataset(
        source,
        others,
        labels.labels,
        fit_of(joint, features, run, models),
        seed=run.seed,
        on_progress=lambda more, total: on_progress("transfers", more, total),
    )
    section = transfer_section(transfer, source.name, run.seed)
    left_out = len(joint.examples) - len(common)
    gap = f"{left_out:,} examples have nothing for one of the models to look at."
    return replace(section, gaps=(*section.gaps, gap)) if left_out else section


def _mapped(
    examples: Sequence[Example], labels: LabelMap, dataset: str, place: int
) -> list[Example]:
    """Examples with shared labels, and ids that no other dataset has."""
    shared = [labels.of(dataset, example.label) for example in examples]
    return [
        replace(example, item=f"{place}/{example.item}", label=label)
        for example, label in zip(examples, shared, strict=True)
        if label
    ]


def _corpus(
    name: str, examples: Sequence[Example], labels: LabelMap, split: SplitSettings, seed: int
) -> Corpus:
    dataset = Dataset(tuple(examples), labels.labels)
    own = {example.split for example in examples}
    if split.method in ("auto", "folds") and not (own & set(split.train) and own & set(split.test)):
        split = split.model_copy(update={"method": "seeded"})
    (parts,) = split_dataset(dataset, split, seed=seed).splits
    items = np.array([example.item for example in examples])
    return Corpus(
        name,
        tuple(map(str, items[parts.train])),
        tuple(map(str, items[parts.test])),
        {example.item: example.label for example in examples},
        {example.item: example.year for example in examples if example.year is not None},
    )
