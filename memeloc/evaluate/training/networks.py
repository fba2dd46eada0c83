"""Networks of transformers, as estimators. In: a table of examples, their labels. Out: answers.

`Encoder` is a text or vision encoder that classifies, or both in one; `Adapter` a model that sees
pictures and answers in words, with low-rank adapters (LoRA). Both have `fit` and `predict`, on the
tables of `Dataset.frame`; the steps are those of transformers' Trainer. A checkpoint is written
after each epoch, and a training that was stopped goes on from there.

It needs the extra `torch`.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.embedding.models import first_line, library
from memeloc.errors import InputError
from memeloc.evaluate.training.features import OnProgress
from memeloc.evaluate.training.run_file import (
    Device,
    LoraSettings,
    NetworkSettings,
    NetworkTraining,
)
from memeloc.templates.pictures import open_picture

if TYPE_CHECKING:
    import pandas as pd

EXTRA = "torch"
_SPREAD = 0.02
"""Standard deviation of new weights, whose mean is 0 (harmeme, appendix A)."""
_JOINED, _HEADS = "joined.json", "heads.safetensors"
_VOCABULARIES = ("tokenizer.json", "tokenizer_config.json")
_LONGEST_SIDE = 1024
"""Pixels that pictures are opened with; encoders see 224 to 600 of them."""
_WARM = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}
_LOGGED = ("epoch", "loss", "learning_rate")
_NOT_VISION = r".*(vision|visual|image).*"
"""Names of layers of the part that sees; the paper's Q and V are those of the language model."""
_NO_LOSS = -100
"""What torch's cross entropy takes for: no loss here."""

Row = Mapping[str, Any]
"""A row of a table of examples."""


class Network:
    """Settings of training that both kinds of networks share.

    Attributes:
        history: by epoch its number, mean loss and last learning rate.
        checkpoints: folder for the state after each epoch.
        on_progress: see `OnProgress`; counts steps, and predictions or answers.
    """

    def __init__(
        self, training: NetworkTraining, *, device: Device = "auto", seed: int = 0
    ) -> None:
        self.training, self.device, self.seed = training, device, seed
        self.history: list[dict[str, float]] = []
        self.checkpoints = Path("checkpoints")
        self.on_progress: OnProgress = lambda what, more, total: None

    def __sklearn_clone__(self) -> Network:
        """Return one that has learned nothing; what was loaded is shared."""
        clone = copy.copy(self)
        clone.history = []
        return clone

    def _train(
        self,
        module: Any,
        rows: Sequence[Row],
        collate: Callable[[Sequence[Row]], Mapping[str, Any]],
        loss: Callable[..., Any] | None = None,
    ) -> None:
        """Train a module in place; `loss` is the module's own where it is None."""
        package = library("transformers", EXTRA)
        library("accelerate", EXTRA)
        on_progress, checkpoints = self.on_progress, self.checkpoints

        class Report(package.TrainerCallback):  # type: ignore[misc, name-defined]
            def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
                on_progress("steps", 1, state.max_steps)

        trainer = package.Trainer(
            model=module,
            args=self._arguments(),
            data_collator=collate,
            train_dataset=list(rows),
            compute_loss_func=loss,
            callbacks=[Report()],
        )
        trainer.remove_callback(package.PrinterCallback)
        with quiet():
            states = package.trainer_utils
            last = states.get_last_checkpoint(checkpoints) if checkpoints.is_dir() else None
            try:
                trainer.train(resume_from_checkpoint=last)
            except library("torch", EXTRA).cuda.OutOfMemoryError as error:
                size = self.training.batch_size // self.training.accumulate
                raise InputError(
                    f"The GPU has too little memory for {size} examples at a time; raise "
                    "`accumulate`, or set precision to bfloat16."
                ) from error
        shutil.rmtree(checkpoints, ignore_errors=True)
        logged = [entry for entry in trainer.state.log_history if "loss" in entry]
        self.history = [{name: float(entry[name]) for name in _LOGGED} for entry in logged]

    def _arguments(self) -> Any:
        settings, target = self.training, self.target
        package, torch = library("transformers", EXTRA), library("torch", EXTRA)
        gpus = torch.cuda.device_count() if target == "cuda" else 1
        if settings.precision == "float16" and target == "cpu":
            raise InputError("float16 needs a GPU; set precision to bfloat16 or float32.")
        parts = settings.accumulate * max(1, gpus)
        if settings.batch_size % parts:
            raise InputError(
                f"A batch of {settings.batch_size} cannot be shared by {gpus} GPUs in "
                f"{settings.accumulate} parts; set CUDA_VISIBLE_DEVICES to fewer."
            )
        schedule = settings.schedule if settings.warmup == 0 else _WARM[settings.schedule]
        return package.TrainingArguments(
            output_dir=str(self.checkpoints),
            num_train_epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            per_device_train_batch_size=settings.batch_size // parts,
            gradient_accumulation_steps=settings.accumulate,
            lr_scheduler_type=schedule,
            warmup_steps=settings.warmup,  # below 1 it is a share of all steps
            optim="adamw_torch",
            weight_decay=settings.weight_decay,
            bf16=settings.precision == "bfloat16",
            fp16=settings.precision == "float16",
            use_cpu=target == "cpu",
            seed=self.seed,
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

    @property
    def target(self) -> str:
        """`cpu`, `cuda` or `mps`; InputError if PyTorch has no such device here."""
        torch = library("torch", EXTRA)
        existing = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if self.device == "auto":
            return next((name for name, is_there in existing.items() if is_there), "cpu")
        if not existing.get(self.device, True):
            raise InputError(f'PyTorch finds no device {self.device!r} here; set device = "cpu".')
        return self.device

    def _batches(self, frame: pd.DataFrame, what: str) -> Iterator[list[Row]]:
        """Yield rows as many as are asked about at a time, and count them when that is done."""
        rows: Any = frame.reset_index().to_dict("records")
        size = self.training.batch_size // self.training.accumulate
        for start in range(0, len(rows), size):
            batch = rows[start : start + size]
            yield batch
            self.on_progress(what, len(batch), len(rows))


class Encoder(Network):
    """A text encoder, a vision encoder, or both, that classify.

    One alone is the class that transformers has for classification with it. Of both together the
    features are put side by side below one layer (`concat`), or each has a layer of its own and the
    scores are averaged (`score`).

    Args:
        settings: the encoders.
        labels: in the order of the columns of its output.
        training: the examples of a batch, and how it is trained.
    """

    def __init__(
        self, settings: NetworkSettings, labels: Sequence[str], training: NetworkTraining,
        *, device: Device = "auto", seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(training, device=device, seed=seed)
        self.settings, self.labels = settings, tuple(labels)
        self.module: Any = None

    @property
    def needs(self) -> tuple[str, ...]:
        """The column that an example has to have."""
        return ("picture",) if self.settings.picture else ("text",)

    @property
    def key(self) -> list[Any]:
        """Return what its answers depend on, beside the examples."""
        return [self.settings.model_dump(), self.training.recorded, self.labels, self.seed]

    def build(self) -> Encoder:
        """Load the encoders' weights as they were published, below new last layers. Raise
        InputError if an encoder cannot be loaded; MissingError if PyTorch or transformers is not
        installed."""
        library("torch", EXTRA)
        package = library("transformers", EXTRA)
        text, picture = self.settings.text, self.settings.picture
        if text and picture:
            reader, viewer = (load_pretrained(package.AutoModel, name) for name in (text, picture))
            self.module = _joined(reader, viewer, len(self.labels), self.settings.fusion)
        else:
            of_texts = package.AutoModelForSequenceClassification
            self.module = load_pretrained(
                of_texts if text else package.AutoModelForImageClassification,
                text or picture,
                num_labels=len(self.labels),
                id2label=dict(enumerate(self.labels)),
                label2id={label: number for number, label in enumerate(self.labels)},
                ignore_mismatched_sizes=True,  # the last layer is of another task
            )
        self.tokenizer = load_pretrained(package.AutoTokenizer, text) if text else None
        processor = package.AutoImageProcessor
        self.processor = load_pretrained(processor, picture, backend="pil") if picture else None
        return self

    def fit(self, frame: pd.DataFrame, labels: Sequence[str]) -> Encoder:
        """Train on examples that have what it sees. Raise InputError if an encoder or a picture
        cannot be loaded, or the device is not there; MissingError if PyTorch, transformers or
        accelerate is not installed."""
        torch = library("torch", EXTRA)
        library("accelerate", EXTRA)
        if not len(frame):
            what = "picture" if self.settings.picture else "text"
            raise InputError(f"It needs a {what}, and no example of training has one.")
        library("transformers", EXTRA).set_seed(self.seed)
        self.build()
        classes = np.array([self.labels.index(label) for label in labels], dtype=np.int64)
        weights = None
        if self.training.class_weights:
            # Examples / (labels that occur x examples of it): their mean over the examples is 1.
            counts = np.bincount(classes, minlength=len(self.labels))
            shares = len(classes) / (np.count_nonzero(counts) * np.maximum(counts, 1))
            weights = torch.as_tensor(np.where(counts > 0, shares, 0))
        rows: Any = frame.assign(place=classes).to_dict("records")

        def collate(batch: Sequence[Row]) -> dict[str, Any]:
            return {**self.inputs(batch), "labels": torch.tensor([row["place"] for row in batch])}

        def loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
            logits = outputs["logits"].float()
            weight = None if weights is None else weights.to(logits)
            total = torch.nn.functional.cross_entropy(
                logits, labels, weight=weight, reduction="sum"
            )
            return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

        self._train(self.module, rows, collate, loss)
        return self

    def inputs(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return a batch as the module takes it; long texts are cut. Raise InputError if a picture
        cannot be read."""
        batch: dict[str, Any] = {}
        if self.tokenizer is not None:
            batch |= self.tokenizer(
                [row["text"] or "" for row in rows],
                padding=True,
                truncation=True,
                max_length=self.training.longest_text,
                return_tensors="pt",
            )
        if self.processor is not None:
            pictures = [_picture(row, _LONGEST_SIDE) for row in rows]
            pixels = self.processor(images=pictures, return_tensors="pt")
            batch["pixel_values"] = pixels["pixel_values"]
        return batch

    def predict_proba(self, frame: pd.DataFrame) -> Floats:
        """Return probabilities of the labels, a row an example. Raise InputError if a picture
        cannot be read, or the device is not there."""
        torch, target = library("torch", EXTRA), self.target
        module = self.module.to(target).eval()
        scores = [np.zeros((0, len(self.labels)))]
        with torch.no_grad():
            for rows in self._batches(frame, "predictions"):
                inputs = {name: each.to(target) for name, each in self.inputs(rows).items()}
                logits = module(**inputs)["logits"].double().cpu()
                scores.append(torch.softmax(logits, dim=1).numpy())
        return np.concatenate(scores)

    def predict(self, frame: pd.DataFrame) -> list[str]:
        """Return by example the label with the highest probability."""
        return [self.labels[place] for place in self.predict_proba(frame).argmax(axis=1)]

    def save(self, folder: Path) -> None:
        """Write weights, settings and vocabulary; `load_encoder` reads them."""
        with quiet():
            text, picture = folder, folder
            if self.settings.input == "both":
                text, picture = folder / "text", folder / "picture"
                self.module.text.save_pretrained(text)
                self.module.picture.save_pretrained(picture)
                state = dict(self.module.heads.state_dict())
                library("safetensors.torch", EXTRA).save_file(state, folder / _HEADS)
                about = {"fusion": self.settings.fusion, "labels": self.labels}
                content = json.dumps(about, ensure_ascii=False)
                (folder / _JOINED).write_text(content, encoding="utf-8")
            else:
                self.module.save_pretrained(folder)
            if self.tokenizer is not None:
                self.tokenizer.save_pretrained(text)
            if self.processor is not None:
                self.processor.save_pretrained(picture)


def load_encoder(folder: Path, *, device: Device = "auto") -> Encoder:
    """Return what `Encoder.save` wrote. Raise InputError if the folder holds no such network;
    MissingError if PyTorch or transformers is not installed."""
    training = NetworkTraining(epochs=1, learning_rate=1e-5)
    name, state, fusion = folder.name[:60], None, "concat"
    if (folder / _JOINED).is_file():
        about = json.loads((folder / _JOINED).read_text(encoding="utf-8"))
        encoders = {"text": str(folder / "text"), "picture": str(folder / "picture")}
        labels, fusion = about["labels"], about["fusion"]
        state = library("safetensors.torch", EXTRA).load_file(folder / _HEADS)
    else:
        config = load_pretrained(library("transformers", EXTRA).AutoConfig, str(folder))
        sees_text = any((folder / name).is_file() for name in _VOCABULARIES)
        encoders = {"text" if sees_text else "picture": str(folder)}
        labels = [config.id2label[number] for number in range(config.num_labels)]
    settings = NetworkSettings.model_validate({"name": name, "fusion": fusion, **encoders})
    encoder = Encoder(settings, labels, training, device=device).build()
    if state is not None:
        encoder.module.heads.load_state_dict(state)
    return encoder


def _joined(text: Any, picture: Any, labels: int, fusion: str) -> Any:
    """Return a module whose output has `logits`, a column a label.

    Of a text the first token's features are taken; of a picture the first token's where there are
    tokens, else the pooled ones.
    """
    torch = library("torch", EXTRA)
    sizes = []
    for config in (text.config, picture.config):
        if config.model_type == "efficientnet":
            size = config.hidden_dim
        elif getattr(config, "hidden_sizes", None):
            size = config.hidden_sizes[-1]
        else:
            size = getattr(config, "hidden_size", None)
        if not isinstance(size, int):
            raise InputError(f"{config.model_type} is no encoder that can be joined with another.")
        sizes.append(size)

    class Joined(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.text, self.picture = text, picture
            inputs = [sum(sizes)] if fusion == "concat" else sizes
            self.heads = torch.nn.ModuleList(torch.nn.Linear(size, labels) for size in inputs)
            for head in self.heads:
                torch.nn.init.normal_(head.weight, std=_SPREAD)
                torch.nn.init.zeros_(head.bias)

        def forward(self, pixel_values: Any, **tokens: Any) -> dict[str, Any]:
            of_text = self.text(**tokens).last_hidden_state[:, 0]
            output = self.picture(pixel_values=pixel_values)
            has_tokens = output.last_hidden_state.dim() == 3
            of_picture = (
                output.last_hidden_state[:, 0] if has_tokens else output.pooler_output.flatten(1)
            )
            if fusion == "concat":
                return {"logits": self.heads[0](torch.cat([of_text, of_picture], dim=1))}
            scores = [
                torch.log_softmax(head(features), dim=1)
                for head, features in zip(self.heads, (of_text, of_picture), strict=True)
            ]
            # The logarithm of the mean of both probabilities, but for a constant.
            return {"logits": torch.logaddexp(*scores)}

    return Joined()


class Chat:
    """A model that sees pictures and answers in words, loaded once and shared by its adapters."""

    def __init__(self, settings: LoraSettings, precision: str) -> None:
        self._settings, self._precision = settings, precision
        self.adapted: Any = None
        """The module with adapters on it, or None."""

    @cached_property
    def processor(self) -> Any:
        """Return what makes its input, with a chat template."""
        package = library("transformers", EXTRA)
        processor = load_pretrained(package.AutoProcessor, self._settings.model)
        if not getattr(processor, "chat_template", None):
            raise InputError(
                f"The model {self._settings.model!r} has no chat template; take one for chats."
            )
        processor.tokenizer.padding_side = "left"  # answers follow at once
        if processor.tokenizer.pad_token_id is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token
        return processor

    @cached_property
    def module(self) -> Any:
        """The module without adapters."""
        torch, package = library("torch", EXTRA), library("transformers", EXTRA)
        kind, precision = package.AutoModelForImageTextToText, getattr(torch, self._precision)
        return load_pretrained(kind, self._settings.model, dtype=precision)

    def adapt(self, seed: int) -> Any:
        """Put new adapters on the module in place of those of before, and return it. Raise
        InputError if it has no layers of the names in the settings."""
        peft = library("peft", EXTRA)
        self.release()
        library("transformers", EXTRA).set_seed(seed)
        settings = self._settings
        config = peft.LoraConfig(
            r=settings.rank,
            lora_alpha=settings.alpha,
            lora_dropout=settings.dropout,
            target_modules=list(settings.modules),
            exclude_modules=_NOT_VISION,
            bias="none",
            task_type="CAUSAL_LM",
        )
        try:
            self.adapted = peft.get_peft_model(self.module, config)
        except ValueError as error:
            raise InputError(
                f"{settings.model} has no layers {', '.join(settings.modules)}; name its query and "
                "value layers in `modules`."
            ) from error
        return self.adapted

    def release(self) -> None:
        """Take adapters off; the module's own weights are as they were."""
        if self.adapted is not None:
            self.adapted.unload()
        self.adapted = None


class Adapter(Network):
    """Low-rank adapters of a model that answers in words: they learn the right option's marker.

    Without examples of training it is the model itself (zero-shot). One of those that share a
    `Chat` can be asked at a time, the one that was trained last.
    """

    def __init__(
        self, settings: LoraSettings, training: NetworkTraining, *, device: Device = "auto",
        seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(training, device=device, seed=seed)
        self.settings = settings
        self.chat = Chat(settings, training.precision)

    needs = ()

    @property
    def key(self) -> list[Any]:
        """Return what its answers depend on, beside the examples."""
        return [self.settings.model_dump(), self.training.recorded, self.seed]

    def prompt(self, row: Row) -> str:
        """Return the question about an item."""
        return self.settings.prompt.replace("{text}", row["text"] or "")

    def fit(self, frame: pd.DataFrame, labels: Sequence[str]) -> Adapter:
        """Train new adapters, which answer greedily with the marker of an option. Raise InputError
        if the model or a picture cannot be loaded; MissingError if PyTorch, transformers or peft is
        not installed."""
        library("peft", EXTRA)
        if not len(frame):
            self.chat.release()
            return self
        markers = {label: marker for marker, label in self.settings.options}
        tokenizer = self.chat.processor.tokenizer
        rows: Any = frame.assign(marker=[markers[label] for label in labels])

        def collate(batch: Sequence[Row]) -> dict[str, Any]:
            answers = [
                [*tokenizer.encode(row["marker"], add_special_tokens=False), tokenizer.eos_token_id]
                for row in batch
            ]
            return self.with_answers(batch, answers)

        self._train(self.chat.adapt(self.seed), rows.to_dict("records"), collate)
        return self

    def inputs(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return questions with their pictures, as far as where the answer begins."""
        processor, side = self.chat.processor, self.settings.picture_size
        questions, pictures = [], []
        for row in rows:
            content = [{"type": "image"}, {"type": "text", "text": self.prompt(row)}]
            questions.append(
                processor.apply_chat_template(
                    [{"role": "user", "content": content}],
                    add_generation_prompt=True,
                    tokenize=False,
                )
            )
            picture = _picture(row)
            pictures.append([picture.resize((side, side)) if side else picture])
        return dict(processor(text=questions, images=pictures, padding=True, return_tensors="pt"))

    def with_answers(self, rows: Sequence[Row], answers: Sequence[list[int]]) -> dict[str, Any]:
        """Return questions with tokens of answers behind them; loss is on these only."""
        torch = library("torch", EXTRA)
        batch = self.inputs(rows)
        tokens = batch["input_ids"]
        width = max(map(len, answers))
        padding = self.chat.processor.tokenizer.pad_token_id
        ids = torch.tensor([[*each, *[padding] * (width - len(each))] for each in answers])
        real = torch.tensor([[1] * len(each) + [0] * (width - len(each)) for each in answers])
        # Beside the tokens stand masks and kinds of the same shape; answers are of the kind 0.
        behind = {"input_ids": ids, "attention_mask": real}
        joined = {
            name: torch.cat([each, behind.get(name, torch.zeros_like(ids))], dim=1)
            if each.shape == tokens.shape
            else each
            for name, each in batch.items()
        }
        silent = torch.full_like(tokens, _NO_LOSS)
        joined["labels"] = torch.cat([silent, ids.masked_fill(real == 0, _NO_LOSS)], dim=1)
        return joined

    def predict(self, frame: pd.DataFrame) -> list[str]:
        """Return what the model answers in words, in the order of examples."""
        torch, target, processor = library("torch", EXTRA), self.target, self.chat.processor
        module = self.chat.module if self.chat.adapted is None else self.chat.adapted
        module = module.to(target).eval()
        answers: list[str] = []
        with torch.no_grad():
            for rows in self._batches(frame, "answers"):
                inputs = {name: each.to(target) for name, each in self.inputs(rows).items()}
                tokens = module.generate(
                    **inputs,
                    max_new_tokens=self.settings.new_tokens,
                    do_sample=False,
                    pad_token_id=processor.tokenizer.pad_token_id,
                )
                new = tokens[:, inputs["input_ids"].shape[1] :].cpu()
                answers += processor.batch_decode(new, skip_special_tokens=True)
        return [answer.strip() for answer in answers]

    def save(self, folder: Path) -> None:
        """Write the adapters; peft loads them."""
        if self.chat.adapted is not None:
            with quiet():
                self.chat.adapted.save_pretrained(folder)


def load_pretrained(kind: Any, where: str, **settings: Any) -> Any:
    """Return `kind.from_pretrained` of a folder or NAME@REVISION; code with it is never run. Raise
    InputError if there is no such model, or it is of another kind."""
    name, _, revision = (where, "", "") if Path(where).is_dir() else where.partition("@")
    try:
        with quiet():
            return kind.from_pretrained(
                name, revision=revision or "main", trust_remote_code=False, **settings
            )
    except Exception as error:  # transformers raises OSError, ValueError, KeyError and others
        raise InputError(
            f"transformers cannot load the model {where!r} ({first_line(error)}). Name a folder "
            "with a model, or a model on huggingface.co, which is fetched once."
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from drawing bars of its own, and from reporting that layers are new."""
    logging = library("transformers.utils.logging", EXTRA)
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()


def _picture(row: Row, longest: int | None = None) -> Any:
    if row["picture"] is None:
        raise InputError(f"The item {row.get('item', '')[:60]!r} has no picture.")
    return open_picture(row["picture"], longest) if longest else open_picture(row["picture"])
