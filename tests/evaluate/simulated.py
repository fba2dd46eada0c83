"""Simulated models of known behaviour. In: a seed, items. Out: `ModelAnswers`, `Gold`.

- `first`: always the option that is shown first;
- `one culture`: the label of `US` with a probability of 0.8, else another;
- `refuses`: refuses each third answer, by chance, and is otherwise right in the eyes of `US`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from memeloc.evaluate import Gold, ModelAnswers

LABELS = ("Hate", "Non-hate")
CULTURES = ("US", "DE", "MX", "IN", "CN")
PROMPTS = tuple((wording, order) for wording in (1, 2, 3) for order in (0, 1))
Behaviour = Callable[[np.random.Generator, str, tuple[str, ...]], tuple[str, bool]]
"""Of the label in `US` and the options as shown: what is chosen, and whether it refuses."""


def gold(items: int = 300, *, seed: int = 1, agreement: float = 0.75) -> Gold:
    """Labels of five cultures; each follows one drawn label with this probability."""
    random = np.random.default_rng(seed)
    latent = random.integers(0, 2, items)
    columns = {
        culture: [
            LABELS[label if same else 1 - label]
            for label, same in zip(latent, random.random(items) < agreement**0.5, strict=True)
        ]
        for culture in CULTURES
    }
    index = pd.Index([f"{number:03}" for number in range(items)])
    return Gold(pd.DataFrame(columns, index=index), LABELS, about={"dataset": "simulated"})


def first(_random: np.random.Generator, _label: str, shown: tuple[str, ...]) -> tuple[str, bool]:
    return shown[0], False


def agrees(share: float) -> Behaviour:
    def behave(random: np.random.Generator, label: str, shown: tuple[str, ...]) -> tuple[str, bool]:
        others = [name for name in shown if name != label]
        return (label if random.random() < share else others[0]), False

    return behave


def refuses(share: float) -> Behaviour:
    def behave(
        random: np.random.Generator, label: str, _shown: tuple[str, ...]
    ) -> tuple[str, bool]:
        return ("", True) if random.random() < share else (label, False)

    return behave


MODELS: dict[str, Behaviour] = {
    "first": first,
    "one culture": agrees(0.8),
    "refuses": refuses(1 / 3),
}


def answers(right: Gold, *, seed: int = 2, **columns: str) -> ModelAnswers:
    """Answers of all models to six prompts; `columns` of the condition, the same in all rows."""
    rows = list(_rows(right, np.random.default_rng(seed)))
    table = pd.DataFrame(
        rows,
        columns=["model", "wording", "order", "item", "choice", "position", "invalid", "refused"],
    )
    return ModelAnswers.of(table.assign(**columns), LABELS)


def _rows(right: Gold, random: np.random.Generator) -> Iterator[tuple[object, ...]]:
    for model, behave in MODELS.items():
        for wording, order in PROMPTS:
            shown = LABELS[::-1] if order else LABELS
            for item, label in right.table["US"].items():
                choice, refused = behave(random, label, shown)
                position = shown.index(choice) + 1 if choice else 0
                yield model, wording, order, item, choice, position, not choice, refused
