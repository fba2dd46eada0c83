"""Cards of fine-tuned models. In: a model, its evaluation. Out: Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.finetuning.tuned import Tuned, TunedModel
from memeloc.evaluate.scores.evaluation import Evaluation

_PIPELINES = {
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}
_USE_NETWORK = """from pathlib import Path

from memeloc.evaluate.finetuning.fitting import scores_of
from memeloc.evaluate.finetuning.networks import load_network
from memeloc.evaluate.finetuning.settings import TrainingSettings
from memeloc.evaluate.training import Example

network = load_network(Path("this-folder"))
example = Example(item="1", label="", text="a caption", picture=Path("picture.png"))
scores = scores_of(network, [example], TrainingSettings(epochs=1, learning_rate=1e-5))
print(network.labels[scores[0].argmax()])"""
_USE_ADAPTERS = """from peft import PeftModel
from transformers import AutoModelForImageTextToText

model = AutoModelForImageTextToText.from_pretrained({base!r})
model = PeftModel.from_pretrained(model, "this-folder")"""


def card_of(tuned: Tuned, model: TunedModel, evaluation: Evaluation) -> str:
    """What a model is, what it learned from, how right it was, and how it is used."""
    run, fold = tuned.run, model.fold
    is_lora = isinstance(run, LoraRun)
    use = _USE_ADAPTERS.format(base=model.built_of[0]) if is_lora else _USE_NETWORK
    lines = [
        "---",
        f"library_name: {'peft' if is_lora else 'transformers'}",
        f"pipeline_tag: {'image-text-to-text' if is_lora else _PIPELINES[model.input]}",
        f"base_model: [{', '.join(each.partition('@')[0] for each in model.built_of)}]",
        "tags: [memes]",
        "---",
        "",
        f"# {fold.model}",
        "",
        f"{' and '.join(f'`{each}`' for each in model.built_of)}, "
        f"{'with low-rank adapters, ' if is_lora else ''}fine-tuned by the run `{run.name}`.",
        *("", "## Trained on", ""),
        *(f"- {name}: {text}" for name, text in tuned.about.items()),
        f"- this model: {sum(fold.trained_on.values()):,} examples; tested on {fold.part}, "
        f"{len(fold.answers):,} examples",
        *(f"- {name.replace('_', ' ')}: {value}" for name, value in model.training.items()),
        f"- seed: {run.seed}",
        "",
        *("| label | examples |", "| --- | ---: |"),
        *(f"| {label} | {count} |" for label, count in fold.trained_on.items()),
        "",
        *("| epoch | loss | last learning rate |", "| ---: | ---: | ---: |"),
        *(
            f"| {each['epoch']:.0f} | {each['loss']:.4f} | {each['learning_rate']:.3g} |"
            for each in fold.history
        ),
        *("", "## How right it was", ""),
        *("| labels of | items | accuracy | macro-F1 | 95 % interval |",),
        *("| --- | ---: | ---: | ---: | --- |",),
        *_scores(fold.model, evaluation),
        *("", "Of all parts of the split together, where there are several."),
        *("", "## Use", "", "```python", use, "```", ""),
        "It repeats what its examples say, errors and prejudices among it; look at the classes' F1 "
        "before it decides anything, and let people decide about people.",
    ]
    return "\n".join(lines) + "\n"


def _scores(model: str, evaluation: Evaluation) -> Iterator[str]:
    for each in evaluation.scores:
        if each.condition.model == model:
            f1 = each.f1
            yield (
                f"| {each.culture} | {each.items} | {each.accuracy.value:.3f} | {f1.value:.3f} | "
                f"{f1.low:.3f}, {f1.high:.3f} |"
            )
