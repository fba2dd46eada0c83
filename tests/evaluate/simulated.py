"""Simulated models of known behaviour. In: a seed, items. Out: `ModelAnswers`, `Gold`.

They write words, as models do, and `read_choice` reads these:

- `first`: always the option that is shown first;
- `one culture`: the label of `US` with a probability of 0.8, else the other;
- `copies`: repeats the prompt and says nothing more;
- `echoes`: repeats the prompt, then answers as `one culture` does;
- `refuses`: refuses one of three questions, by chance; else it is right in the eyes of `US`;
- `hindi digits`: the label of `IN` with a probability of 0.8, in Hindi, as १ or २.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd

from memeloc.evaluate import Choice, Gold, ModelAnswers, read_choice

LABELS = ("Hate", "Non-hate")
CULTURES = ("US", "DE", "MX", "IN", "CN")
PROMPTS = tuple((wording, order) for wording in (1, 2, 3) for order in (0, 1))
MODELS = ("first", "one culture", "copies", "echoes", "refuses", "hindi digits")
FOLLOWED = 0.8
"""The share of items in which models give the label of their culture."""
REFUSED = 1 / 3


def gold(items: int = 300, *, seed: int = 1, agreement: float = 0.75) -> Gold:
    """Labels of five cultures; two of them agree on about this share of the items."""
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


def answers(
    right: Gold, *, models: Sequence[str] = MODELS, seed: int = 2, **columns: str
) -> ModelAnswers:
    """Answers of models to six prompts; `columns` of the condition, the same in all rows."""
    random = np.random.default_rng(seed)
    rows = [row for model in models for row in _rows(model, right, random)]
    return ModelAnswers.of(pd.DataFrame(rows).assign(**columns), LABELS)


def _rows(model: str, right: Gold, random: np.random.Generator) -> Iterator[Mapping[str, object]]:
    culture = right.cultures[CULTURES.index("IN" if model == "hindi digits" else "US")]
    for wording, order in PROMPTS:
        shown = LABELS[::-1] if order else LABELS
        markers = ("1", "2") if model == "hindi digits" else ("a", "b")
        options = tuple(zip(markers, shown, strict=True))
        prompt = _prompt(wording, options)
        for item, label in right.table[culture].items():
            answer = _answer(model, prompt, shown.index(label), random)
            choice = _read(answer, options, prompt)
            yield {
                "model": model,
                "item": item,
                "wording": wording,
                "order": order,
                "answer": answer,
                "choice": choice.name,
                "position": shown.index(choice.name) + 1 if choice.name else 0,
                "invalid": choice.invalid,
                "refused": choice.refused,
                "rule": choice.rule,
            }


@cache
def _read(answer: str, options: tuple[tuple[str, str], ...], prompt: str) -> Choice:
    return read_choice(answer, options, prompt=prompt)


def _prompt(wording: int, options: tuple[tuple[str, str], ...]) -> str:
    listed = " or ".join(f"({marker}) {name}" for marker, name in options)
    return f"{('Classify', 'Judge', 'Label')[wording - 1]} this meme: {listed}? Give one of them."


def _answer(model: str, prompt: str, right: int, random: np.random.Generator) -> str:
    """What a model writes where the option at this place is right."""
    followed = right if random.random() < FOLLOWED else 1 - right
    match model:
        case "first":
            return "a"
        case "one culture":
            return f"Answer: {'ab'[followed]}"
        case "copies":
            return prompt
        case "echoes":
            return f"{prompt}\n({'ab'[followed]})"
        case "refuses":
            refused = random.random() < REFUSED
            return "I'm sorry, I can't help with that." if refused else "ab"[right]
        case _:
            return f"{'१२'[followed]}।"
