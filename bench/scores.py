"""Scores of models, with all intervals. In: drawn answers. Out: CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bench.figures import Bound, Figure
from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import ScoreSettings, score

_GROUP = "scores of models"
_LABELS = ("Hate", "Non-hate")
_CULTURES = ("US", "DE", "MX", "IN", "CN")
_LANGUAGES = ("en", "de", "es", "hi", "zh")
_MODELS = 5
_ITEMS = 300
_FINE = 23_025
"""Memes of charmemes, with 11 labels."""


def measure(*, say: Callable[[str], None]) -> list[Figure]:
    """Multi3Hate's size: 5 models, languages and cultures, 6 prompts; and charmemes' size."""
    say("scores of models")
    multi3hate = _timed(*_parallel())
    charmemes = _timed(*_fine())
    return [
        Figure(
            _GROUP,
            "45,000 answers, 5 cultures",
            multi3hate,
            "s",
            bound=Bound("at most", 20.0),
            note="CPU; 1,000 resamples",
        ),
        Figure(
            _GROUP,
            "23,025 memes, 11 labels, 3 models",
            charmemes,
            "s",
            bound=Bound("at most", 10.0),
            note="CPU; 1,000 resamples, 11, 4 and 2 labels",
        ),
    ]


def _timed(answers: ModelAnswers, gold: Gold) -> float:
    begin = time.process_time()
    score(answers, gold, ScoreSettings(bootstraps=1_000))
    return time.process_time() - begin


def _parallel() -> tuple[ModelAnswers, Gold]:
    import pandas as pd

    random = np.random.default_rng(1)
    items = [f"{number:03}" for number in range(_ITEMS)]
    names = np.array(_LABELS)
    gold = pd.DataFrame({c: names[random.integers(0, 2, _ITEMS)] for c in _CULTURES}, index=items)
    tables = []
    for model in range(_MODELS):
        for language in _LANGUAGES:
            for prompt in range(6):
                right = random.random(_ITEMS) < 0.7
                followed = (gold["US"] == _LABELS[0]).to_numpy() == right
                tables.append(
                    pd.DataFrame(
                        {
                            "model": f"model {model}",
                            "item": items,
                            "input": "picture",
                            "language": language,
                            "prompt_language": "en",
                            "wording": prompt // 2 + 1,
                            "order": prompt % 2,
                            "choice": np.where(followed, *_LABELS),
                            "position": 1 + (followed == prompt % 2),
                        }
                    )
                )
    return ModelAnswers.of(pd.concat(tables), _LABELS), Gold(gold, _LABELS)


def _fine() -> tuple[ModelAnswers, Gold]:
    import pandas as pd

    random = np.random.default_rng(1)
    labels = tuple(f"label {number}" for number in range(11))
    items = [str(number) for number in range(_FINE)]
    names = np.array(labels)
    right = names[random.integers(0, 11, _FINE)]
    table = pd.concat(
        pd.DataFrame(
            {
                "model": f"model {model}",
                "item": items,
                "choice": np.where(
                    random.random(_FINE) < 0.4, right, names[random.integers(0, 11, _FINE)]
                ),
            }
        )
        for model in range(3)
    )
    coarser = {
        task: {label: str(number % classes) for number, label in enumerate(labels)}
        for task, classes in (("4 labels", 4), ("2 labels", 2))
    }
    gold = Gold(pd.DataFrame({"gold": right}, index=items), labels, coarser=coarser)
    return ModelAnswers.of(table, labels), gold
