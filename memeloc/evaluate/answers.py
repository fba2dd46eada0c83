"""Models' answers. In: a long table. Out: `ModelAnswers`, an answer a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, Any] = {
    "model": "",
    "item": "",
    "input": "",
    "language": "",
    "prompt_language": "",
    "country": "",
    "wording": 0,
    "order": 0,
    "answer": "",
    "choice": "",
    "position": 0,
    "invalid": False,
    "refused": False,
    "rule": "",
    "asks": 1,
    "explanation": "",
    "dimension": "",
    "meme": "",
}
"""The columns, and what stands where one is not given.

- model: its name; item: what was asked about, a text that may begin with zeros.
- input: what the model got: `picture`, `text`, or `both` (multi3hate: IMG, caption alone, +CAPT);
  `none` is the question alone.
- language: of the meme; prompt_language: of the question; country: that the prompt names, or none.
- wording, order: which wording of the prompt (from 1), and in which order options were shown: 0 as
  the run lists them, 1 reversed.
- answer: the model's words; choice: the name of the option that it chose, empty for none;
  position: the place (from 1) at which that option was shown, 0 for none.
- invalid: no option was chosen; refused: because the model would not answer; rule: how it was read.
- asks: how often it was asked until that answer; explanation: its reasons, where it gave some.
- dimension, meme: of multiple choice, what the question is about; group accuracy counts by meme.
"""
CONDITION = ("model", "input", "language", "prompt_language", "country")
"""Columns that make a condition: answers that differ only in item and prompt belong together."""
PROMPT = ("wording", "order")
"""Columns that make a prompt within a condition."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelAnswers:
    """Answers of models, an answer a row, with all columns of `COLUMNS`.

    Attributes:
        table: in the order in which answers were read; no two rows of a condition, prompt and item.
        labels: names of the options where all items share them, in the order of the run; empty
            for multiple choice, where each item has options of its own.
        notes: what was noticed while they were read, a sentence each.
        prompt_names: by wording and order what outputs call a prompt, where it has a name.
    """

    table: pd.DataFrame
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()
    prompt_names: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, table: pd.DataFrame, labels: Sequence[str] = (), notes: Sequence[str] = ()
    ) -> ModelAnswers:
        """Return answers of a table that has at least `item` and `choice`; the rest is filled
        in."""
        whole = table.assign(
            **{name: value for name, value in COLUMNS.items() if name not in table.columns}
        )
        return cls(whole[list(COLUMNS)].reset_index(drop=True), tuple(labels), tuple(notes))
