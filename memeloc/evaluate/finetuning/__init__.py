"""Fine-tuning, on transformers' Trainer and peft. In: a run file. Out: models, what they answer.

1. `run_file` reads a run, with what it says of networks, training and adapters; `shipped/` has
   runs after the papers.
2. `networks` builds text and vision encoders that classify, or both in one; `fitting` trains
   and applies them, `classifying` does so by a run.
3. `adapters` trains a model that sees pictures and answers in words (LoRA), `cultures` one for
   each culture's labels.
4. `kept` keeps what a training gave, `report` scores all models and writes page, answers
   and cards.

It needs the extra `torch`; only run files can be read without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.finetuning.kept import Tuned as Tuned
    from memeloc.evaluate.finetuning.networks import Network as Network
    from memeloc.evaluate.finetuning.networks import load_network as load_network
    from memeloc.evaluate.finetuning.report import write_tuned as write_tuned
    from memeloc.evaluate.finetuning.run_file import FineTuningRun as FineTuningRun
    from memeloc.evaluate.finetuning.run_file import LoraRun as LoraRun
    from memeloc.evaluate.finetuning.run_file import finetuning_names as finetuning_names
    from memeloc.evaluate.finetuning.run_file import is_finetuning as is_finetuning
    from memeloc.evaluate.finetuning.run_file import read_finetuning as read_finetuning
    from memeloc.evaluate.finetuning.tuning import tune as tune

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
