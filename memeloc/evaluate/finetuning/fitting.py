"""Training and applying networks. In: a module, examples, settings. Out: the trained module.

The steps are those of transformers' Trainer. A checkpoint is written after each epoch, and a run
that was stopped goes on from there; it is removed when the training is done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.embedding.models import library
from memeloc.errors import InputError
from memeloc.evaluate.finetuning.networks import EXTRA, Network, build_network, quiet
from memeloc.evaluate.finetuning.run_file import Device, NetworkSettings, TrainingSettings
from memeloc.evaluate.training.classifiers import balanced_weights
from memeloc.evaluate.training.examples import Example
from memeloc.evaluate.training.vectors import OnProgress

Loss = Callable[..., Any]
Collate = Callable[[Sequence[Any]], Mapping[str, Any]]


def seed_all(seed: int) -> None:
    """Seed Python, numpy and torch: new layers, the order of examples and dropout follow it."""
    library("transformers", EXTRA).set_seed(seed)


def fit(
    module: Any,
    examples: Sequence[Any],
    collate: Collate,
    settings: TrainingSettings,
    *,
    checkpoints: Path,
    device: Device = "auto",
    seed: int = 0,
    loss: Loss | None = None,
    on_progress: OnProgress = lambda what, more, total: None,
) -> list[dict[str, float]]:
    """Train a module in place.

    Args:
        collate: makes a batch of examples, with `labels`.
        checkpoints: folder for the state after each epoch; training goes on from one that is there.
        device: `auto` takes a GPU where there is one.
        seed: of the order of examples and of dropout.
        loss: of an output, labels and `num_items_in_batch`; the module's own where it is None.
        on_progress: see `OnProgress`; counts steps.

    Returns:
        By epoch its number, mean loss and last learning rate.

    Raises:
        InputError: the device is not there.
        MissingError: PyTorch, transformers or accelerate is not installed.
    """
    package = library("transformers", EXTRA)
    library("accelerate", EXTRA)
    trainer = package.Trainer(
        model=module,
        args=_arguments(settings, checkpoints, device, seed),
        data_collator=collate,
        train_dataset=list(examples),
        compute_loss_func=loss,
        callbacks=[_progress(on_progress)],
    )
    trainer.remove_callback(package.PrinterCallback)
    with quiet():
        states = package.trainer_utils
        last = states.get_last_checkpoint(checkpoints) if checkpoints.is_dir() else None
        try:
            trainer.train(resume_from_checkpoint=last)
        except library("torch", EXTRA).cuda.OutOfMemoryError as error:
            raise InputError(
                f"The GPU has too little memory for {settings.batch_size // settings.accumulate} "
                "examples at a time; raise `accumulate`, or set precision to bfloat16."
            ) from error
    shutil.rmtree(checkpoints, ignore_errors=True)
    history = [entry for entry in trainer.state.log_history if "loss" in entry]
    return [{name: float(entry[name]) for name in _LOGGED} for entry in history]


_LOGGED = ("epoch", "loss", "learning_rate")


def _arguments(settings: TrainingSettings, folder: Path, device: Device, seed: int) -> Any:
    package, torch = library("transformers", EXTRA), library("torch", EXTRA)
    target = device_of(device)
    gpus = torch.cuda.device_count() if target == "cuda" else 1
    if settings.precision == "float16" and target == "cpu":
        raise InputError("float16 needs a GPU; set precision to bfloat16 or float32.")
    parts = settings.accumulate * max(1, gpus)
    if settings.batch_size % parts:
        raise InputError(
            f"A batch of {settings.batch_size} cannot be shared by {gpus} GPUs in "
            f"{settings.accumulate} parts; set CUDA_VISIBLE_DEVICES to fewer."
        )
    return package.TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        per_device_train_batch_size=settings.batch_size // parts,
        gradient_accumulation_steps=settings.accumulate,
        lr_scheduler_type=settings.schedule if settings.warmup == 0 else _WARM[settings.schedule],
        warmup_steps=settings.warmup,  # below 1 it is a share of all steps
        optim="adamw_torch",
        weight_decay=settings.weight_decay,
        bf16=settings.precision == "bfloat16",
        fp16=settings.precision == "float16",
        use_cpu=target == "cpu",
        seed=seed,
        dataloader_num_workers=settings.workers,
        dataloader_pin_memory=target == "cuda",
        remove_unused_columns=False,
        label_names=["labels"],
        save_strategy="epoch",
        save_total_limit=1,
        logging_strategy="epoch",
        report_to="none",
        disable_tqdm=True,
    )


_WARM = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}


def _progress(on_progress: OnProgress) -> Any:
    package = library("transformers", EXTRA)

    class Report(package.TrainerCallback):  # type: ignore[misc, name-defined]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            on_progress("steps", 1, state.max_steps)

    return Report()


def device_of(device: Device) -> str:
    """`cpu`, `cuda` or `mps`.

    Raises:
        InputError: PyTorch has no such device here.
    """
    torch = library("torch", EXTRA)
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next((name for name, is_there in there.items() if is_there), "cpu")
    if not there.get(device, True):
        raise InputError(f'PyTorch finds no device {device!r} here; set device = "cpu".')
    return device


def cross_entropy(weights: Floats | None = None) -> Loss:
    """The loss of a batch: the mean over its examples of -log of the right label's probability.

    Args:
        weights: of each label, whose mean over the examples of training is 1; None for 1.
    """
    torch = library("torch", EXTRA)

    def loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        logits = outputs["logits"].float()
        given = None if weights is None else torch.as_tensor(weights).to(logits)
        total = torch.nn.functional.cross_entropy(logits, labels, weight=given, reduction="sum")
        return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    return loss


def fit_network(
    settings: NetworkSettings,
    examples: Sequence[Example],
    labels: Sequence[str],
    training: TrainingSettings,
    *,
    checkpoints: Path,
    device: Device = "auto",
    seed: int = 0,
    on_progress: OnProgress = lambda what, more, total: None,
) -> tuple[Network, list[dict[str, float]]]:
    """A network, trained on examples, and how its training went; see `fit`.

    Raises:
        InputError: an encoder or a picture cannot be loaded, or the device is not there.
        MissingError: PyTorch, transformers or accelerate is not installed.
    """
    torch = library("torch", EXTRA)
    library("accelerate", EXTRA)
    seed_all(seed)
    network = build_network(settings, labels)
    place = {label: number for number, label in enumerate(labels)}
    classes = np.array([place[example.label] for example in examples], dtype=np.int64)

    def collate(batch: Sequence[Example]) -> dict[str, Any]:
        inputs = network.inputs(batch, training.longest_text)
        return {**inputs, "labels": torch.tensor([place[example.label] for example in batch])}

    weights = balanced_weights(classes, len(labels)) if training.class_weights else None
    history = fit(
        network.module,
        examples,
        collate,
        training,
        checkpoints=checkpoints,
        device=device,
        seed=seed,
        loss=cross_entropy(weights),
        on_progress=on_progress,
    )
    return network, history


def scores_of(
    network: Network,
    examples: Sequence[Example],
    settings: TrainingSettings,
    *,
    device: Device = "auto",
    on_progress: OnProgress = lambda what, more, total: None,
) -> Floats:
    """Probabilities of the labels, a row an example.

    Raises:
        InputError: a picture cannot be read, or the device is not there.
    """
    torch = library("torch", EXTRA)
    target = device_of(device)
    module = network.module.to(target).eval()
    size = settings.batch_size // settings.accumulate
    rows = []
    with torch.no_grad():
        for start in range(0, len(examples), size):
            batch = examples[start : start + size]
            inputs = network.inputs(batch, settings.longest_text)
            logits = module(**{name: each.to(target) for name, each in inputs.items()})["logits"]
            rows.append(torch.softmax(logits.double().cpu(), dim=1).numpy())
            on_progress("predictions", len(batch), len(examples))
    return np.concatenate(rows) if rows else np.zeros((0, len(network.labels)))
