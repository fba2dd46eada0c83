"""Networks that classify. In: encoders of transformers by name or folder. Out: `Network`.

A text or vision encoder alone is the class that transformers has for classification with it. Of
both together the features are put side by side below one layer (`concat`), or each has a layer of
its own and the scores are averaged (`score`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memeloc.embedding.models import first_line, library
from memeloc.errors import InputError
from memeloc.evaluate.finetuning.run_file import NetworkSettings
from memeloc.evaluate.training.examples import Example
from memeloc.templates.pictures import open_picture

EXTRA = "torch"
_SPREAD = 0.02
"""Standard deviation of new weights, whose mean is 0 (harmeme, appendix A)."""
_HEADS = "heads.safetensors"
_JOINED = "joined.json"
_VOCABULARIES = ("tokenizer.json", "tokenizer_config.json")
_LONGEST_SIDE = 1024
"""Pixels that pictures are opened with; encoders see 224 to 600 of them."""


@dataclass(frozen=True, eq=False)
class Network:
    """A network with what prepares its input.

    Attributes:
        settings: of which it was built.
        labels: in the order of the columns of its output.
        module: a torch module; its output has `logits`, a column a label.
        tokenizer: of texts, or None where it sees none.
        processor: of pictures, or None.
    """

    settings: NetworkSettings
    labels: tuple[str, ...]
    module: Any
    tokenizer: Any
    processor: Any

    def inputs(self, examples: Sequence[Example], longest: int) -> dict[str, Any]:
        """A batch as the module takes it; texts are cut to `longest` tokens.

        Raises:
            InputError: a picture cannot be read.
        """
        batch: dict[str, Any] = {}
        if self.tokenizer is not None:
            texts = [example.text for example in examples]
            batch |= self.tokenizer(
                texts, padding=True, truncation=True, max_length=longest, return_tensors="pt"
            )
        if self.processor is not None:
            pictures = [open_picture(picture_of(each), _LONGEST_SIDE) for each in examples]
            pixels = self.processor(images=pictures, return_tensors="pt")
            batch["pixel_values"] = pixels["pixel_values"]
        return batch

    def save(self, folder: Path) -> None:
        """Write weights, settings and vocabulary; `load_network` reads them."""
        with quiet():
            text, picture = folder, folder
            if self.settings.input == "both":
                text, picture = folder / "text", folder / "picture"
                self._save_joined(folder, text, picture)
            else:
                self.module.save_pretrained(folder)
            if self.tokenizer is not None:
                self.tokenizer.save_pretrained(text)
            if self.processor is not None:
                self.processor.save_pretrained(picture)

    def _save_joined(self, folder: Path, text: Path, picture: Path) -> None:
        self.module.text.save_pretrained(text)
        self.module.picture.save_pretrained(picture)
        state = dict(self.module.heads.state_dict())
        library("safetensors.torch", EXTRA).save_file(state, folder / _HEADS)
        about = {"fusion": self.settings.fusion, "labels": self.labels}
        (folder / _JOINED).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def join_encoders(text: Any, picture: Any, labels: int, fusion: Literal["concat", "score"]) -> Any:
    """A module whose output has `logits`, a column a label.

    Of a text the first token's features are taken; of a picture the first token's where there are
    tokens, else the pooled ones.

    Raises:
        InputError: it is not known how many features an encoder has.
    """
    torch = library("torch", EXTRA)
    sizes = [_features_of(text.config), _features_of(picture.config)]

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


def _features_of(config: Any) -> int:
    """How many features an encoder gives of an item, as its settings name them."""
    if config.model_type == "efficientnet":
        size = config.hidden_dim
    elif getattr(config, "hidden_sizes", None):
        size = config.hidden_sizes[-1]
    else:
        size = getattr(config, "hidden_size", None)
    if not isinstance(size, int):
        raise InputError(f"{config.model_type} is no encoder that can be joined with another.")
    return size


def build_network(settings: NetworkSettings, labels: Sequence[str]) -> Network:
    """A network with the encoders' weights as they were published, and new last layers.

    Raises:
        InputError: an encoder cannot be loaded.
        MissingError: PyTorch or transformers is not installed.
    """
    library("torch", EXTRA)
    package = library("transformers", EXTRA)
    text, picture = settings.text, settings.picture
    if settings.input == "both":
        module = join_encoders(
            load_pretrained(package.AutoModel, text),
            load_pretrained(package.AutoModel, picture),
            len(labels),
            settings.fusion,
        )
    else:
        of_texts = package.AutoModelForSequenceClassification
        module = load_pretrained(
            of_texts if text else package.AutoModelForImageClassification,
            text or picture,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: number for number, label in enumerate(labels)},
            ignore_mismatched_sizes=True,  # the last layer is of another task
        )
    return Network(
        settings,
        tuple(labels),
        module,
        load_pretrained(package.AutoTokenizer, text) if text else None,
        load_pretrained(package.AutoImageProcessor, picture, backend="pil") if picture else None,
    )


def load_network(folder: Path) -> Network:
    """What `Network.save` wrote.

    Raises:
        InputError: the folder holds no such network.
        MissingError: PyTorch or transformers is not installed.
    """
    if (folder / _JOINED).is_file():
        about = json.loads((folder / _JOINED).read_text(encoding="utf-8"))
        settings = NetworkSettings(
            name=folder.name[:60],
            text=str(folder / "text"),
            picture=str(folder / "picture"),
            fusion=about["fusion"],
        )
        network = build_network(settings, about["labels"])
        state = library("safetensors.torch", EXTRA).load_file(folder / _HEADS)
        network.module.heads.load_state_dict(state)
        return network
    config = load_pretrained(library("transformers", EXTRA).AutoConfig, str(folder))
    sees_text = any((folder / name).is_file() for name in _VOCABULARIES)
    where = {"name": folder.name[:60], "text" if sees_text else "picture": str(folder)}
    labels = [config.id2label[number] for number in range(config.num_labels)]
    return build_network(NetworkSettings.model_validate(where), labels)


def load_pretrained(kind: Any, where: str, **settings: Any) -> Any:
    """`kind.from_pretrained` of a folder or of NAME@REVISION; code that comes along is never run.

    Raises:
        InputError: there is no such model, or it is of another kind.
    """
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


def picture_of(example: Example) -> Path:
    """The picture's file.

    Raises:
        InputError: the example has none.
    """
    if example.picture is None:
        raise InputError(f"The item {example.item[:60]!r} has no picture.")
    return example.picture
