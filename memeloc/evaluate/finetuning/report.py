"""Fine-tuning as a page, files and cards. In: `Tuned`. Out: figures, a report, answers, cards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.evaluate.finetuning.kept import Tuned
from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.scores.join import conditions_of
from memeloc.evaluate.training.report import (
    PIPELINES,
    TrainedFiles,
    languages_together,
    model_card,
    report_of,
    scores_of,
    write_trained,
)
from memeloc.files import replacing
from memeloc.reports.figures import gap, joined, of_analysis, tidy

if TYPE_CHECKING:
    import pandas as pd

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
_CARD = "README.md"


def tuned_figures(tuned: Tuned) -> pd.DataFrame:
    """Return how right models are, each culture's against each culture, and how they were trained.

    Raises:
        InputError: no item was tested by all models.
    """
    run = tuned.run
    scores = scores_of(tuned.answers, tuned.gold, run)
    parts = [scores, _trainings(tuned)]
    if isinstance(run, LoraRun):
        matrix = of_analysis(scores, "accuracy", "accuracy", "f1").assign(analysis="cultures")
        # A culture's labels can be learned where its own model is the one that agrees best with it
        # (multi3hate, table 11).
        tuned_only = matrix[(matrix["group"] != "zero-shot") & (matrix["figure"] == "accuracy")]
        best = tuned_only.loc[tuned_only.groupby("item")["value"].idxmax().dropna()]
        is_own = best["group"] == "fine-tuned on " + best["item"]
        own = best.drop(columns="group").assign(own_is_best=is_own)[["item", "own_is_best"]]
        parts[:0] = [matrix, tidy("cultures", own, "highest accuracy")]
    for each in run.not_built:
        parts.append(gap("training", f"{each.name} is not built: {each.why}"))
    return joined(parts)


def _trainings(tuned: Tuned) -> pd.DataFrame:
    """Return what was trained on how much, and how the loss went."""
    import pandas as pd

    trainings: list[dict[str, Any]] = []
    epochs: list[dict[str, Any]] = []
    for model in tuned.models:
        fold, last = model.fold, model.fold.history[-1:] or [{}]
        group = f"{fold.model} · {model.input}"
        trainings.append(
            {
                "group": group,
                "item": fold.part,
                "trained on": sum(fold.trained_on.values()),
                "tested on": len(fold.answers),
                "epochs": len(fold.history),
                "learning rate": model.training["learning_rate"] if fold.history else None,
                "loss": last[0].get("loss"),
            }
        )
        epochs += [
            {
                "group": group,
                "part": fold.part,
                "item": f"{each['epoch']:.0f}",
                "loss": each["loss"],
                "learning rate": each["learning_rate"],
            }
            for each in fold.history
        ]
    parts = [tidy("training", pd.DataFrame(trainings), "last epoch")]
    if epochs:
        frame = pd.DataFrame(epochs)
        by_epoch = frame.groupby(["group", "item"], sort=False)
        means = by_epoch[["loss", "learning rate"]].mean().assign(n=by_epoch.size())
        parts.append(tidy("epochs", means.reset_index(), "mean over the parts of the split"))
        if frame["part"].nunique() > 1:
            own = frame.assign(group=frame["group"] + " · " + frame["part"]).drop(columns="part")
            parts.append(tidy("epochs-parts", own, "one part"))
    return joined(parts)


def write_tuned(
    tuned: Tuned, out: Path, *, on_progress: Callable[[int, int], None] = lambda more, total: None
) -> TrainedFiles:
    """Write the report, all answers as `answers.parquet`, and a card for each model.

    Raises:
        InputError: a file cannot be written, or no item was tested by all models.
        MissingError: matplotlib is not installed.
    """
    import pandas as pd

    run, figures = tuned.run, tuned_figures(tuned)
    settings = {
        each.fold.model: {"model": each.fold.model, "built of": " + ".join(each.built_of)}
        | {name.replace("_", " "): str(value) for name, value in each.training.items()}
        for each in tuned.models
        if each.fold.history
    }
    tables = {"training": pd.DataFrame(settings.values())}
    about = {**tuned.about, "seed": str(run.seed)}
    report = report_of(run, figures, about, notes=tuned.notes, tables=tables)
    answers = languages_together(tuned.answers)
    titles = {each.model: title for title, each in conditions_of(answers.table).items()}
    is_lora = isinstance(run, LoraRun)
    saved = []
    for model in tuned.models:
        fold = model.fold
        if not run.save or not fold.history:
            continue
        trained = {
            "this model": f"{sum(fold.trained_on.values()):,} examples; tested on {fold.part}, "
            f"{len(fold.answers):,} examples",
            **{name.replace("_", " "): value for name, value in model.training.items()},
        }
        card = model_card(
            figures,
            titles[fold.model],
            library="peft" if is_lora else "transformers",
            pipeline=PIPELINES["both" if is_lora else model.input],
            base=[each.partition("@")[0] for each in model.built_of],
            tags=("memes",),
            name=fold.model,
            about=f"{' and '.join(f'`{each}`' for each in model.built_of)}, "
            f"{'with low-rank adapters, ' if is_lora else ''}fine-tuned by the run `{run.name}`.",
            facts={**tuned.about, **trained, "seed": run.seed},
            counts=fold.trained_on,
            history=fold.history,
            tested="Of all parts of the split together, where there are several.",
            use=_USE_ADAPTERS.format(base=model.built_of[0]) if is_lora else _USE_NETWORK,
        )
        with replacing(model.folder / _CARD) as temporary:
            temporary.write_text(card, encoding="utf-8")
        saved.append(model.folder)
    return write_trained(report, tuned.answers, saved, out, on_progress)
