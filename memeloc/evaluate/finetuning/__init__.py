"""Fine-tuning, on transformers' Trainer and peft. In: a run file. Out: models, what they answer.

1. `run_file` reads a run, `settings` has what it says of networks, training and adapters;
   `shipped/` has runs after the papers.
2. `networks` builds text and vision encoders that classify, `joined` one of both; `fitting` trains
   and applies them, `classifying` does so by a run.
3. `adapters` trains a model that sees pictures and answers in words (LoRA), `cultures` one for
   each culture's labels.
4. `kept` keeps what a training gave, `report` scores all models and writes page, answers and
   `cards`.

It needs the extra `torch`; only run files can be read without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.finetuning.networks import Network, load_network
    from memeloc.evaluate.finetuning.report import write_tuned
    from memeloc.evaluate.finetuning.run_file import (
        FineTuningRun,
        LoraRun,
        finetuning_names,
        is_finetuning,
        read_finetuning,
    )
    from memeloc.evaluate.finetuning.tuned import Tuned
    from memeloc.evaluate.finetuning.tuning import tune

__all__ = [
    "FineTuningRun",
    "LoraRun",
    "Network",
    "Tuned",
    "finetuning_names",
    "is_finetuning",
    "load_network",
    "read_finetuning",
    "tune",
    "write_tuned",
]

_HERE = "memeloc.evaluate.finetuning"

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        f"{_HERE}.networks": ["Network", "load_network"],
        f"{_HERE}.report": ["write_tuned"],
        f"{_HERE}.run_file": [
            "FineTuningRun",
            "LoraRun",
            "finetuning_names",
            "is_finetuning",
            "read_finetuning",
        ],
        f"{_HERE}.tuned": ["Tuned"],
        f"{_HERE}.tuning": ["tune"],
    },
)
