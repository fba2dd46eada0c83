"""Fine-tuning as a page, files and cards. In: `Tuned`. Out: a `Report`, tables, answers, cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.finetuning.classifying import on_common_items
from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.finetuning.sections import training_section
from memeloc.evaluate.finetuning.tuned import Tuned, TunedModel
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores import ScoreSettings, conditions_of, score
from memeloc.evaluate.scores import report_of as report_of_scores
from memeloc.evaluate.training.report import PREDICTIONS, ModelRow, TrainingSummary
from memeloc.files import replacing
from memeloc.reports import Report, write_report
from memeloc.reports.figures import gaps, wide
from memeloc.statistics.intervals import rows_of

if TYPE_CHECKING:
    import pandas as pd

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


def card_of(tuned: Tuned, model: TunedModel, figures: pd.DataFrame) -> str:
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
        *_scores(fold.model, tuned, figures),
        *("", "Of all parts of the split together, where there are several."),
        *("", "## Use", "", "```python", use, "```", ""),
        "It repeats what its examples say, errors and prejudices among it; look at the classes' F1 "
        "before it decides anything, and let people decide about people.",
    ]
    return "\n".join(lines) + "\n"


def _scores(model: str, tuned: Tuned, figures: pd.DataFrame) -> Iterator[str]:
    conditions = conditions_of(on_common_items(tuned.answers).table)
    for each in rows_of(wide(figures, "accuracy")):
        if conditions[each.group].model == model:
            yield (
                f"| {each.item} | {each.n:.0f} | {each.accuracy:.3f} | {each.f1:.3f} | "
                f"{each.f1_low:.3f}, {each.f1_high:.3f} |"
            )


_CARD = "README.md"
_NOT_SHOWN = {
    "finetuning": ("validity", "position-bias", "places"),
    "lora": ("position-bias", "places", "best-culture", "best-culture-counts"),
}
"""By kind of run the analyses that say nothing of it: a classifier chooses a label always, and one
prompt has one order of options, and no spread to test."""


def _scored(tuned: Tuned) -> tuple[ModelAnswers, Gold, ScoreSettings]:
    """Return what is scored, and how: models on the items that all were tested on."""
    run, gold, answers = tuned.run, tuned.gold, on_common_items(tuned.answers)
    table = gold.table[gold.table.index.isin(set(answers.table["item"]))]
    gold = Gold(table, gold.labels, gold.levels, gold.coarser, tuned.about)
    return answers, gold, ScoreSettings(seed=run.seed, bootstraps=run.bootstraps)


def evaluate_tuned(tuned: Tuned) -> pd.DataFrame:
    """Return the figures of the answers, scored like those of any model.

    Raises:
        InputError: there are no items that all models were tested on.
    """
    figures = score(*_scored(tuned))
    return figures[~figures["analysis"].isin(_NOT_SHOWN[tuned.run.kind])]


def report_of(tuned: Tuned, figures: pd.DataFrame) -> Report:
    """Return the report of a run: its models by culture, their scores, and how they were trained.

    Args:
        figures: of `evaluate_tuned`.
    """
    run = tuned.run
    answers, gold, settings = _scored(tuned)
    report = report_of_scores(answers, gold, figures, settings)
    about = {"About": run.about} if run.about else {}
    training = training_section(tuned)
    return replace(
        report,
        name="finetuning",
        title=f"Fine-tuned models: {run.name}",
        facts={**about, **report.facts},
        notes=(*tuned.notes, *training.gaps),
        tables={**report.tables, **{table.name: table.frame for table in training.tables}},
    )


def write_tuned(
    tuned: Tuned, out: Path, *, on_progress: Callable[[int, int], None] = lambda more, total: None
) -> TrainingSummary:
    """Write the report, all answers as `answers.parquet`, and a card for each model.

    Raises:
        InputError: a file cannot be written, or no item was tested by all models.
        MissingError: matplotlib is not installed.
    """
    figures = evaluate_tuned(tuned)
    files: Any = write_report(report_of(tuned, figures), out, on_progress=on_progress)
    with replacing(out / PREDICTIONS) as temporary:
        tuned.answers.table.to_parquet(temporary, index=False)
    saved = tuple(each.folder for each in tuned.models if tuned.run.save and each.fold.history)
    for model in tuned.models:
        if model.folder in saved:
            with replacing(model.folder / _CARD) as temporary:
                temporary.write_text(card_of(tuned, model, figures), encoding="utf-8")
    return TrainingSummary(
        tuned.run.name,
        tuned.answers.labels,
        tuned.about["split"],
        tuple(_rows(tuned, figures)),
        (*tuned.notes, *gaps(figures[figures["analysis"] == "answers"])),
        files,
        out / PREDICTIONS,
        saved,
    )


def _rows(tuned: Tuned, figures: pd.DataFrame) -> list[ModelRow]:
    conditions = conditions_of(on_common_items(tuned.answers).table)
    several = len(tuned.gold.cultures) > 1
    rows = []
    for analysis in ("accuracy", "tasks"):
        for each in rows_of(wide(figures, analysis)):
            task, title = f"{len(tuned.gold.labels)} classes", each.group
            if analysis == "tasks":
                task, _, title = title.partition(" · ")
            name = f"{task}, {each.item}" if several else task
            f1 = each.f1, each.f1_low, each.f1_high
            rows.append(ModelRow(name, conditions[title].model, int(each.n), each.accuracy, *f1))
    return rows
