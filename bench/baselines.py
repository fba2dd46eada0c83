"""Trained baselines, measured. In: made captions and vectors. Out: the time of five folds.

20,000 captions of words whose frequencies fall as Zipf's law has it, in scripts with and without
spaces, and 20,000 vectors of CLIP's width, of the eleven classes of charmemes in their shares.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from bench.figures import Bound, Figure
from memeloc.engine import usable_cpus
from memeloc.evaluate.training import Dataset, Example, compute_features, train_run
from memeloc.evaluate.training.features import column_of
from memeloc.evaluate.training.report import scores_of
from memeloc.evaluate.training.run_file import TrainingRun
from memeloc.reports.figures import value_of
from memeloc.settings import validate

_EXAMPLES = 20_000
_WIDTH = 512
_CLASSES = 11
_WORDS = 30_000
_LETTERS = {
    "en": "etaoinshrdlucmfwypvbgkjqxz",
    "ru": "оеаинтсрвлкмдпуяыьгзбчй",
    "hi": "कखगचजटडतदनपबमयरलवशसह",
    "th": "กขคงจชดตทนบปมยรลวสหอ",
}
_RUN = {
    "name": "bench",
    "dataset": {"path": "memes.csv"},
    "split": {"method": "folds", "folds": 5},
    "save": [],
    "features": {
        "words": {"kind": "words"},
        "characters": {"kind": "characters"},
        "pictures": {"kind": "pictures", "model": "onnx:clip.onnx"},
    },
    "models": [
        {"name": "random", "classifier": "random"},
        {"name": "majority", "classifier": "majority"},
        {"name": "words", "features": ["words"]},
        {"name": "characters", "features": ["characters"]},
        {"name": "pictures", "features": ["pictures"]},
        {"name": "pictures, boosted", "features": ["pictures"], "classifier": "boosting"},
        {"name": "words, boosted", "features": ["words"], "classifier": "boosting"},
        {"name": "words + pictures", "features": ["words", "pictures"]},
        {"name": "words + pictures, score", "features": ["words", "pictures"], "fusion": "score"},
    ],
}


def measure(*, say: Callable[[str], None], examples: int = _EXAMPLES) -> list[Figure]:
    """All of scikit-learn's classifiers on texts, pictures and both, in five folds."""
    dataset, vectors = made(examples)
    run = validate(TrainingRun, _RUN, "the run")
    times = {"start": time.monotonic()}

    def on_progress(what: str, more: int, total: int) -> None:
        times[str(len(times))] = time.monotonic()

    say(f"{examples:,} captions as words and characters")
    start, used = time.monotonic(), time.process_time()
    texts = {name: each for name, each in run.features.items() if each.kind != "pictures"}
    with TemporaryDirectory() as folder:
        compute_features(dataset.frame, texts, Path(folder))
        dataset.frame[column_of("pictures")] = pd.Series(list(vectors), dataset.frame.index)
        counted = time.monotonic() - start
        say(f"{len(run.models)} models in 5 folds")
        times["start"] = time.monotonic()
        training = train_run(run, Path(folder), dataset, on_progress)
    seconds, cpu = time.monotonic() - start, time.process_time() - used
    steps = list(times.values())
    each = np.diff(steps).reshape(len(run.models), -1).sum(axis=1)
    by_model = ", ".join(
        f"{model.name} {took:.0f}" for model, took in zip(run.models, each, strict=True)
    )
    scores = scores_of(training.answers, dataset.gold, run)
    f1 = value_of(scores, "accuracy", "f1", "words + pictures · both", "gold")
    return [
        Figure(
            "baselines",
            f"{len(run.models)} models on {examples:,} captions and vectors, 5 folds",
            seconds,
            "s",
            Bound("at most", 300),
            f"{usable_cpus()} processors, {cpu:.0f} s of CPU; counting {counted:.0f}, {by_model}; "
            f"{_CLASSES} classes, vectors of {_WIDTH}; macro-F1 of words + pictures "
            f"{f1:.2f}",
        )
    ]


def made(examples: int) -> tuple[Dataset, np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
    """Examples with captions, and their vectors; a third of a caption's words is of its class."""
    random = np.random.default_rng(18)
    shares = np.array([0.69, *np.linspace(0.08, 0.01, _CLASSES - 1)])
    classes = random.choice(_CLASSES, size=examples, p=shares / shares.sum())
    vocabulary = {
        tag: [
            "".join(random.choice(list(letters), size=random.integers(2, 9))) for _ in range(_WORDS)
        ]
        for tag, letters in _LETTERS.items()
    }
    tags = random.choice(list(_LETTERS), size=examples)
    labels = tuple(f"class-{number:02}" for number in range(_CLASSES))
    rows = []
    for number, (place, tag) in enumerate(zip(classes, tags, strict=True)):
        ranks = np.minimum(random.zipf(1.3, size=random.integers(6, 14)), _WORDS // 2) - 1
        of_class = random.random(len(ranks)) < 1 / 3
        ranks = np.where(of_class, ranks % 300 + _WORDS // 2 + 1000 * place, ranks)
        text = ("" if tag == "th" else " ").join(vocabulary[tag][rank] for rank in ranks)
        rows.append(
            Example(
                str(number),
                labels[place],
                text=text,
                language=str(tag),
                group=f"template-{number // 8}",
            )
        )
    centres = random.normal(0, 0.05, (_CLASSES, _WIDTH))
    noise = random.normal(0, 1, (examples, _WIDTH)) @ np.diag(np.geomspace(2, 0.2, _WIDTH))
    return Dataset(tuple(rows), labels), (centres[classes] + noise).astype(np.float32)
