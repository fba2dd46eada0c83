"""Fine-tuning as a page, files and cards. In: `Tuned`. Out: a `Report`, tables, answers, cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from memeloc.counts import counted
from memeloc.evaluate.finetuning.classifying import on_common_items
from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.finetuning.sections import matrix_section, training_section
from memeloc.evaluate.finetuning.tuned import Tuned, TunedModel
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores.evaluation import Evaluation, score
from memeloc.evaluate.scores.report import report_of as report_of_scores
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.evaluate.training.report import PREDICTIONS, ModelRow, TrainingSummary
from memeloc.files import replacing
from memeloc.reports.sections import Report
from memeloc.reports.writing import write_report

_PIPELINES = {
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}
_USE_NETWORK = """from pathlib import Path

from memeloc.evaluate.finetuning.fitting import scores_of
from memeloc.evaluate.finetuning.networks import load_network
from memeloc.evaluate.finetuning.run_file import TrainingSettings
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


_CARD = "README.md"
_NOT_SHOWN = {
    "finetuning": ("validity", "position-bias"),
    "lora": ("position-bias", "best-culture"),
}
"""By kind of run the sections that say nothing of it: a classifier chooses a label always, and one
prompt has one order of options, and no spread to test."""


def evaluate_tuned(tuned: Tuned) -> Evaluation:
    """The answers, scored like those of any model; models on the items that all were tested on.

    Raises:
        InputError: there are no such items.
    """
    run, gold, answers = tuned.run, tuned.gold, on_common_items(tuned.answers)
    table = gold.table[gold.table.index.isin(set(answers.table["item"]))]
    gold = Gold(table, gold.labels, gold.levels, gold.coarser, tuned.about)
    evaluation = score(answers, gold, ScoreSettings(seed=run.seed, bootstraps=run.bootstraps))
    kept = (each for each in evaluation.sections if each.name not in _NOT_SHOWN[run.kind])
    first = (matrix_section(tuned, evaluation),) if isinstance(run, LoraRun) else ()
    return replace(evaluation, sections=(*first, *kept, training_section(tuned)))


def report_of(tuned: Tuned, evaluation: Evaluation) -> Report:
    """The report of a run: its models by culture, their scores, and how they were trained.

    Args:
        evaluation: of `evaluate_tuned`.
    """
    run = tuned.run
    report = report_of_scores(evaluation)
    models = counted(len(dict.fromkeys(each.fold.model for each in tuned.models)), "model")
    items = counted(len(evaluation.coded.items), "item")
    about = {"About": run.about} if run.about else {}
    return replace(
        report,
        name="finetuning",
        title=f"Fine-tuned models: {run.name}",
        heading=f"{run.name}: {models} on {items}",
        facts={**about, **report.facts},
        notes=(*tuned.notes, *evaluation.notes),
        data={**report.data, "run": run.model_dump(mode="json")},
    )


def write_tuned(
    tuned: Tuned, out: Path, *, on_progress: Callable[[int, int], None] = lambda more, total: None
) -> TrainingSummary:
    """Write the report, all answers as `answers.parquet`, and a card for each model.

    Raises:
        InputError: a file cannot be written, or no item was tested by all models.
        MissingError: matplotlib is not installed.
    """
    evaluation = evaluate_tuned(tuned)
    files = write_report(report_of(tuned, evaluation), out, on_progress=on_progress)
    with replacing(out / PREDICTIONS) as temporary:
        tuned.answers.table.to_parquet(temporary, index=False)
    saved = tuple(each.folder for each in tuned.models if tuned.run.save and each.fold.history)
    for model in tuned.models:
        if model.folder in saved:
            with replacing(model.folder / _CARD) as temporary:
                temporary.write_text(card_of(tuned, model, evaluation), encoding="utf-8")
    return TrainingSummary(
        tuned.run.name,
        tuned.answers.labels,
        tuned.about["split"],
        tuple(_rows(evaluation)),
        (*tuned.notes, *evaluation.notes),
        files,
        out / PREDICTIONS,
        saved,
    )


def _rows(evaluation: Evaluation) -> list[ModelRow]:
    whole = f"{len(evaluation.gold.labels)} classes"
    several = len(evaluation.coded.cultures) > 1
    tasks = {whole: evaluation.scores, **evaluation.tasks}
    return [
        ModelRow(
            f"{task}, {each.culture}" if several else task,
            each.condition.model,
            each.items,
            each.accuracy.value,
            each.f1.value,
            each.f1.low,
            each.f1.high,
        )
        for task, scores in tasks.items()
        for each in scores
    ]
