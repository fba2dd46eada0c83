"""A training as a page, files and cards. In: a `Training`. Out: figures, a report, models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.evaluate.scores.joining import conditions_of
from memeloc.evaluate.training.run_file import AnyRun, FineTuningRun, LoraRun, TrainingRun
from memeloc.evaluate.training.training import Trained, Training
from memeloc.files import replacing
from memeloc.reports import AnalysisText, Report, ReportFiles, read_texts, write_report
from memeloc.reports.figures import gap, joined, of_analysis, tidy, wide
from memeloc.reports.texts import PARTS

_CLASSIFIERS = {
    "logistic": "scikit-learn's logistic regression",
    "boosting": "scikit-learn's gradient boosting on histograms",
    "xgboost": "XGBoost",
    "majority": "the majority class",
    "random": "uniform guesses",
}
_PIPELINES = {
    "": "text-classification",
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}
"""By what a model looks at its task on huggingface.co."""
_NOT_SHOWN = ("prompts", "rules", "position-bias", "places", "best-culture", "best-culture-counts")
"""Analyses of scores that say nothing of a trained model: it was asked once, in one order."""
_SCORE_TEXTS = Path(__file__).parent.parent / "scores" / "report.toml"
_TEXTS = Path(__file__).with_name("report.toml")
_USE = {
    "baselines": """from memeloc.evaluate.training import Example, load_model

model = load_model("this-folder")
model.predict([Example(item="1", label="", text="a caption", language="en")], "vectors")""",
    "finetuning": """from pathlib import Path

from memeloc.evaluate.training import Example, frame_of, load_encoder

encoder = load_encoder(Path("this-folder"))
example = Example(item="1", label="", text="a caption", picture=Path("picture.png"))
print(encoder.predict(frame_of([example])))""",
    "lora": """from peft import PeftModel
from transformers import AutoModelForImageTextToText

model = AutoModelForImageTextToText.from_pretrained({base!r})
model = PeftModel.from_pretrained(model, "this-folder")""",
}


@dataclass(frozen=True, slots=True, eq=False)
class TrainedFiles:
    """Files that were written of a run.

    Attributes:
        figures: rows of `memeloc.reports.figures`, as in the report.
        answers: the table of predictions, or of answers to all items.
        saved: the folders of the models that are kept.
    """

    figures: pd.DataFrame
    notes: tuple[str, ...]
    files: ReportFiles
    answers: Path
    saved: tuple[Path, ...]


def _languages_together(answers: ModelAnswers) -> ModelAnswers:
    """Return answers of which those in several languages are of one condition."""
    return replace(answers, table=answers.table.assign(language=""))


def scores_of(answers: ModelAnswers, gold: Gold, run: AnyRun) -> pd.DataFrame:
    """Return how right models are on the items that all were tested on, as any model is scored.
    Raise InputError if there are no such items."""
    table = answers.table
    models = table["model"].nunique()
    common = table[table.groupby("item")["model"].transform("nunique") == models]
    if not len(common):
        raise InputError("No example was tested by all models, so they cannot be compared.")
    items = common["item"].nunique()
    left_out = table["item"].nunique() - items
    more = f", {left_out:,} that some of them did not see are left out." if left_out else "."
    note = f"All models are compared on {counted(items, 'item')}{more}"
    common_gold = replace(gold, table=gold.table[gold.table.index.isin(set(common["item"]))])
    answers = _languages_together(ModelAnswers.of(common, answers.labels, (note,)))
    figures = score(answers, common_gold, ScoreSettings(seed=run.seed, bootstraps=run.bootstraps))
    without = _NOT_SHOWN if common["invalid"].any() else (*_NOT_SHOWN, "validity")
    return figures[~figures["analysis"].isin(without)]


def figures_of(training: Training) -> pd.DataFrame:
    """Return how right models are, by label, language and fold, and what they were trained on.
    Raise InputError if no item was tested by all models."""
    run, gold, answers = training.run, training.gold, training.answers
    if isinstance(run, LoraRun):
        return joined([*_cultures(scores_of(answers, gold, run)), *_networks(training)])
    languages = training.dataset.frame["language"].replace("", "none")
    groups = pd.DataFrame({"language": languages}) if languages.nunique() > 1 else None
    scores = scores_of(answers, replace(gold, groups=groups), run)
    settings = ScoreSettings(seed=run.seed, bootstraps=run.bootstraps)
    score_rows = score(_languages_together(answers), gold, settings)
    score_rows = joined(of_analysis(score_rows, name) for name in ("accuracy", "tasks"))
    parts = [scores, score_rows.assign(analysis="own-items"), *_folds(training)]
    return joined([*parts, *(_networks(training) if isinstance(run, FineTuningRun) else ())])


def _folds(training: Training) -> list[pd.DataFrame]:
    """Return the macro F1 of the common items of each fold, and the examples of each label."""
    gold, folds, frame = training.gold, training.folds, training.dataset.frame
    choices = training.answers.table.pivot(index="item", columns="model", values="choice").dropna()
    scores: list[dict[str, Any]] = []
    for task, mapping in gold.tasks.items() if len(folds) > 1 else ():
        labels = list(dict.fromkeys(mapping[label] for label in gold.labels))
        place = {label: labels.index(mapping[label]) for label in gold.labels}
        for model in dict.fromkeys(each.name for each in training.tested):
            f1s = {}
            for fold in folds:
                answers = choices[model].reindex(frame.index[fold.test]).dropna()
                right = frame.loc[answers.index, "label"].map(place).to_numpy(np.int64)
                places = answers.map(place).to_numpy(np.int64)
                counts = confusion(np.asarray(right), np.asarray(places), len(labels))
                f1s[f"f1: {fold.name}"] = float(measure(counts).f1) if len(answers) else np.nan
            defined = [f1 for f1 in f1s.values() if not np.isnan(f1)]
            sd = float(np.std(defined, ddof=1)) if len(defined) > 1 else np.nan
            scores.append({"group": task, "item": model, "sd": sd, "n": len(defined), **f1s})
    sizes = [
        {
            "group": fold.name,
            "item": label,
            "trained on": (frame["label"].iloc[fold.train] == label).sum(),
            "tested on": (frame["label"].iloc[fold.test] == label).sum(),
        }
        for fold in folds
        for label in gold.labels
    ]
    parts = [tidy("folds", pd.DataFrame(scores), {"sd": "ddof 1"})] if scores else []
    parts.append(tidy("splits", pd.DataFrame(sizes), "examples"))
    used = set().union(*(set(rows) for fold in folds for rows in fold[1:]))
    if left_out := len(frame) - len(used):
        reason = f"{left_out:,} examples are in neither part and were not used."
        parts.append(gap("splits", reason))
    return parts


def _cultures(scores: pd.DataFrame) -> list[pd.DataFrame]:
    """Return each culture's model against each culture, before all other scores.

    A culture's labels can be learned where its own model is the one that agrees best with it
    (multi3hate, table 11).
    """
    matrix = of_analysis(scores, "accuracy", "accuracy", "f1").assign(analysis="cultures")
    tuned = matrix[(matrix["group"] != "zero-shot") & (matrix["figure"] == "accuracy")]
    best = tuned.loc[tuned.groupby("item")["value"].idxmax().dropna()]
    is_own = best["group"] == "fine-tuned on " + best["item"]
    rows = best.drop(columns="group").assign(own_is_best=is_own)[["item", "own_is_best"]]
    return [matrix, tidy("cultures", rows, "highest accuracy"), scores]


def _networks(training: Training) -> list[pd.DataFrame]:
    """Return what was trained on how much, and how the loss went."""
    assert not isinstance(training.run, TrainingRun)
    trainings: list[dict[str, Any]] = []
    epochs: list[dict[str, Any]] = []
    for model in training.tested:
        history = model.history
        group = f"{model.name} · {model.input}"
        trainings.append(
            {
                "group": group,
                "item": model.part,
                "trained on": sum(model.trained_on.values()),
                "tested on": len(model.answers),
                "epochs": len(history),
                "learning rate": model.settings["learning_rate"] if history else None,
                "loss": history[-1]["loss"] if history else None,
            }
        )
        epochs += [
            {
                "group": group,
                "part": model.part,
                "item": f"{each['epoch']:.0f}",
                "loss": each["loss"],
                "learning rate": each["learning_rate"],
            }
            for each in history
        ]
    parts = [tidy("training", pd.DataFrame(trainings), "last epoch")]
    if epochs:
        frame = pd.DataFrame(epochs)
        by_epoch = frame.groupby(["group", "item"], sort=False)
        means = by_epoch[["loss", "learning rate"]].mean().assign(n=by_epoch.size())
        parts.append(tidy("epochs", means.reset_index(), "mean over the parts of the split"))
        if frame["part"].nunique() > 1:
            rows = frame.assign(group=frame["group"] + " · " + frame["part"]).drop(columns="part")
            parts.append(tidy("epochs-parts", rows, "one part"))
    for each in training.run.not_built:
        parts.append(gap("training", f"{each.name} is not built: {each.why}"))
    return parts


def write_training(
    training: Training,
    out: Path,
    more: pd.DataFrame | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> TrainedFiles:
    """Write the report, the predictions as `answers.parquet`, and the models that are kept. Raise
    InputError if a file cannot be written, or no item was tested by all models; MissingError if
    matplotlib or skops is not installed.

    Args:
        more: further figures, of `confusion_figures`, `temporal_figures` and the like.
    """
    run, dataset = training.run, training.dataset
    figures = joined([figures_of(training), *([] if more is None else [more])])
    facts: dict[str, Any] = {**training.about, "seed": str(run.seed)}
    if isinstance(run, TrainingRun):
        weights = run.class_weights
        facts["class weights"] = weights if isinstance(weights, str) else _listed(weights)
    mappings = {"levels": dataset.levels, **dataset.coarser}
    shown = facts | {name: _listed(each) for name, each in mappings.items() if each}
    networks = {
        model.name: {"model": model.name, "built of": " + ".join(model.built_of)}
        | {name.replace("_", " "): str(value) for name, value in model.settings.items()}
        for model in training.tested
        if model.history
    }
    scores, texts = (read_texts(path) for path in (_SCORE_TEXTS, _TEXTS))
    analyses = dict(scores.analyses)
    for name, text in texts.analyses.items():
        changed = {field: getattr(text, field) for field in text.model_fields_set}
        analyses[name] = analyses.get(name, AnalysisText()).model_copy(update=changed)
    report = Report(
        name="training",
        title=run.name,
        question=run.about,
        figures=figures,
        texts=texts.model_copy(update={"analyses": analyses}),
        settings={**run.model_dump(mode="json"), "classifiers": _CLASSIFIERS},
        facts={name.capitalize(): text for name, text in shown.items()},
        notes=dataset.notes,
        tables={"training": pd.DataFrame(networks.values())} if networks else {},
    )
    table = training.answers.table
    titles = {each.model: title for title, each in conditions_of(table.assign(language="")).items()}
    for model in training.saved:
        assert model.folder is not None
        title = titles.get(model.name, model.name)
        card = _card(training, model, facts, _scores(figures, title))
        if isinstance(run, TrainingRun):
            from memeloc.evaluate.training.baselines import save_model

            save_model(model.estimator, model.trained_on, model.folder, card)
        else:
            with replacing(model.folder / "README.md") as temporary:
                temporary.write_text(card, encoding="utf-8")
    files = write_report(report, out, on_progress=on_progress)
    answers = out / "answers.parquet"
    with replacing(answers) as temporary:
        table.to_parquet(temporary, index=False)
    saved = tuple(model.folder for model in training.saved if model.folder is not None)
    return TrainedFiles(figures, tuple(dataset.notes), files, answers, saved)


def _scores(figures: pd.DataFrame, title: str) -> list[dict[Any, Any]]:
    """Return the scores of a model against all labels, and those of coarser tasks."""
    rows = []
    for analysis in ("accuracy", "tasks"):
        for row in wide(figures, analysis).to_dict("records"):
            task = row["group"].removesuffix(title)
            if row["group"] == task + title and (not task or task.endswith(PARTS)):
                rows.append({**row, "name": task + row["item"]})
    return rows


def _card(
    training: Training, model: Trained, facts: Mapping[str, Any], scores: list[dict[Any, Any]]
) -> str:
    """Return what a model is, what it learned from, how right it was, and how it is used."""
    from jinja2 import StrictUndefined, Template

    run = training.run
    facts = {**facts, **{name.replace("_", " "): each for name, each in model.settings.items()}}
    tested = "Of all parts of the split together, where there are several."
    if isinstance(run, TrainingRun):
        settings = next(each for each in run.models if each.name == model.name)
        about = f"A model of the run `{run.name}`: {_CLASSIFIERS[settings.classifier]}."
        if settings.features:
            about += f" Features: {', '.join(settings.features)}."
        if len(settings.features) > 1:
            about += f" Fusion: {settings.fusion}."
        tested = "On the items that all models of the run were tested on."
        if len(training.folds) > 1:
            tested += " These are of models of the folds; this one was trained on all examples."
    else:
        facts["this model"] = (
            f"{sum(model.trained_on.values()):,} examples; tested on {model.part}, "
            f"{len(model.answers):,} examples"
        )
        adapters = "with low-rank adapters, " if isinstance(run, LoraRun) else ""
        base = " and ".join(f"`{each}`" for each in model.built_of)
        about = f"{base}, {adapters}fine-tuned by the run `{run.name}`."
    library = {"baselines": "memeloc", "finetuning": "transformers", "lora": "peft"}[run.kind]
    use = _USE[run.kind]
    text = Path(__file__).with_name("model_card.md").read_text(encoding="utf-8")
    template = Template(text, undefined=StrictUndefined, trim_blocks=True)
    content = template.render(
        library=library,
        pipeline=_PIPELINES["both" if isinstance(run, LoraRun) else model.input],
        base=[each.partition("@")[0] for each in model.built_of],
        tags=("memes", "skops") if library == "memeloc" else ("memes",),
        name=model.name,
        about=about,
        facts=facts,
        counts=model.trained_on,
        history=model.history,
        scores=scores,
        tested=tested,
        use=use.format(base=model.built_of[0]) if library == "peft" else use,
    )
    return f"{content}\n"


def _listed(mapping: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in mapping.items())
