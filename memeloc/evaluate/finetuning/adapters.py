"""Low-rank adapters of models that see pictures (LoRA). In: examples, a question. Out: answers.

A model is loaded once; each training puts new adapters on it, and takes them off again. It learns
the marker of the right option behind the question; what it then answers, greedily, is read like
the answers of any model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.embedding.models import library
from memeloc.errors import InputError
from memeloc.evaluate.finetuning.fitting import device_of, fit, seed_all
from memeloc.evaluate.finetuning.networks import EXTRA, load_pretrained, picture_of
from memeloc.evaluate.finetuning.run_file import Device, LoraSettings, TrainingSettings
from memeloc.evaluate.training.examples import Example
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.templates.pictures import open_picture

_NOT_VISION = r".*(vision|visual|image).*"
"""Names of layers of the part that sees; the paper's Q and V are those of the language model."""
_NO_LOSS = -100
"""What torch's cross entropy takes for: no loss here."""


@dataclass(frozen=True, eq=False)
class Chat:
    """A model that sees pictures, with what makes its input; `module` has no adapters.

    Attributes:
        settings: the question, the options and the adapters.
        module: of transformers, of the kind image-text-to-text.
        processor: its own, with a chat template.
    """

    settings: LoraSettings
    module: Any
    processor: Any

    def prompt(self, example: Example) -> str:
        """The question about an item."""
        return self.settings.prompt.replace("{text}", example.text)

    def inputs(self, examples: Sequence[Example]) -> dict[str, Any]:
        """Questions with their pictures, as far as where the answer begins.

        Raises:
            InputError: a picture cannot be read.
        """
        return dict(
            self.processor(
                text=[self._question(example) for example in examples],
                images=[[self._picture(example)] for example in examples],
                padding=True,
                return_tensors="pt",
            )
        )

    def with_answers(self, examples: Sequence[Example], labels: Sequence[str]) -> dict[str, Any]:
        """Questions with the markers of the right options behind them; loss is on these only."""
        torch = library("torch", EXTRA)
        batch = self.inputs(examples)
        tokens = batch["input_ids"]
        answers = self._markers(labels)
        width = max(map(len, answers))
        padding = self.processor.tokenizer.pad_token_id
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

    def answers(
        self,
        module: Any,
        examples: Sequence[Example],
        *,
        batch_size: int,
        device: Device = "auto",
        on_progress: OnProgress = lambda what, more, total: None,
    ) -> list[str]:
        """What a module (with or without adapters) answers, greedily, in the order of examples."""
        torch = library("torch", EXTRA)
        target = device_of(device)
        module = module.to(target).eval()
        answers: list[str] = []
        with torch.no_grad():
            for start in range(0, len(examples), batch_size):
                batch = examples[start : start + batch_size]
                inputs = {name: each.to(target) for name, each in self.inputs(batch).items()}
                tokens = module.generate(
                    **inputs,
                    max_new_tokens=self.settings.new_tokens,
                    do_sample=False,
                    pad_token_id=self.processor.tokenizer.pad_token_id,
                )
                new = tokens[:, inputs["input_ids"].shape[1] :].cpu()
                answers += self.processor.batch_decode(new, skip_special_tokens=True)
                on_progress("answers", len(batch), len(examples))
        return [answer.strip() for answer in answers]

    def _question(self, example: Example) -> str:
        content = [{"type": "image"}, {"type": "text", "text": self.prompt(example)}]
        messages = [{"role": "user", "content": content}]
        text = self.processor.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        return str(text)

    def _picture(self, example: Example) -> Any:
        picture = open_picture(picture_of(example))
        side = self.settings.picture_size
        return picture.resize((side, side)) if side else picture

    def _markers(self, labels: Sequence[str]) -> list[list[int]]:
        """Tokens of the right options' markers, each with the token that ends an answer."""
        markers = {label: marker for marker, label in self.settings.options}
        tokenizer = self.processor.tokenizer
        return [
            [*tokenizer.encode(markers[label], add_special_tokens=False), tokenizer.eos_token_id]
            for label in labels
        ]


def load_chat(settings: LoraSettings, training: TrainingSettings) -> Chat:
    """The model and its processor.

    Raises:
        InputError: it cannot be loaded, or has no chat template.
        MissingError: PyTorch, transformers or peft is not installed.
    """
    torch, package = library("torch", EXTRA), library("transformers", EXTRA)
    library("peft", EXTRA)
    processor = load_pretrained(package.AutoProcessor, settings.model)
    if not getattr(processor, "chat_template", None):
        raise InputError(f"The model {settings.model!r} has no chat template; take one for chats.")
    processor.tokenizer.padding_side = "left"  # answers follow at once
    if processor.tokenizer.pad_token_id is None:
        processor.tokenizer.pad_token = processor.tokenizer.eos_token
    module = load_pretrained(
        package.AutoModelForImageTextToText,
        settings.model,
        dtype=getattr(torch, training.precision),
    )
    return Chat(settings, module, processor)


@contextmanager
def adapted(chat: Chat, *, seed: int = 0) -> Iterator[Any]:
    """The model with new adapters, which are taken off at the end; its own weights stay as is.

    Raises:
        InputError: it has no layers of the names in the settings.
        MissingError: peft is not installed.
    """
    peft = library("peft", EXTRA)
    seed_all(seed)
    settings = chat.settings
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
        module = peft.get_peft_model(chat.module, config)
    except ValueError as error:
        raise InputError(
            f"{settings.model} has no layers {', '.join(settings.modules)}; name its query and "
            "value layers in `modules`."
        ) from error
    try:
        yield module
    finally:
        module.unload()


def fit_adapters(
    chat: Chat,
    module: Any,
    examples: Sequence[Example],
    labels: Sequence[str],
    training: TrainingSettings,
    *,
    checkpoints: Path,
    device: Device = "auto",
    seed: int = 0,
    on_progress: OnProgress = lambda what, more, total: None,
) -> list[dict[str, float]]:
    """Train adapters on examples with their labels; see `fit`."""

    def collate(batch: Sequence[tuple[Example, str]]) -> dict[str, Any]:
        return chat.with_answers([each for each, _ in batch], [label for _, label in batch])

    return fit(
        module,
        list(zip(examples, labels, strict=True)),
        collate,
        training,
        checkpoints=checkpoints,
        device=device,
        seed=seed,
        on_progress=on_progress,
    )
