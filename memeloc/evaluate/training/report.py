"""A training as a page, files and cards. In: a `Training`. Out: figures, a report, models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.evaluate.scores.join import conditions_of
from memeloc.evaluate.training.saving import folder_name, save_model
from memeloc.evaluate.training.training import Training, input_of
from memeloc.files import replacing
from memeloc.reports import AnalysisText, Card, Report, ReportFiles, read_texts, write_report
from memeloc.reports.figures import gap, joined, of_analysis, tidy, wide
from memeloc.reports.texts import PARTS

if TYPE_CHECKING:
    import pandas as pd

CLASSIFIERS = {
    "logistic": "scikit-learn's logistic regression",
    "boosting": "scikit-learn's gradient boosting on histograms",
    "xgboost": "XGBoost",
    "majority": "the majority class",
    "random": "uniform guesses",
}
PIPELINES = {
    "": "text-classification",
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}
"""By what a model looks at its task on huggingface.co."""
PREDICTIONS = "answers.parquet"
"""The long table of predictions, an answer a row, as every evaluation writes it."""
MODELS = "models"
"""The folder of the models that are kept."""
_NOT_SHOWN = ("prompts", "rules", "position-bias", "places", "best-culture", "best-culture-counts")
"""Analyses of scores that say nothing of a trained model: it was asked once, in one order."""
_SCORE_TEXTS = Path(__file__).parent.parent / "scores" / "report.toml"
_TEXTS = Path(__file__).with_name("report.toml")
_USE = """from memeloc.evaluate.training import Example, load_model

model = load_model("this-folder")
model.predict([Example(item="1", label="", text="a caption", language="en")], "vectors")"""


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


def languages_together(answers: ModelAnswers) -> ModelAnswers:
    """Return answers of which those in several languages are of one condition."""
    return replace(answers, table=answers.table.assign(language=""))


def on_common_items(answers: ModelAnswers) -> ModelAnswers:
    """Return the answers to items that all models were tested on.

    Raises:
        InputError: there are no such items.
    """
    table = answers.table
    models = table["model"].nunique()
    common = table[table.groupby("item")["model"].transform("nunique") == models]
    if not len(common):
        raise InputError("No example was tested by all models, so they cannot be compared.")
    items = common["item"].nunique()
    left_out = table["item"].nunique() - items
    note = f"All models are compared on {counted(items, 'item')}"
    more = f", {left_out:,} that some of them did not see are left out." if left_out else "."
    return ModelAnswers.of(common, answers.labels, (note + more,))


def scores_of(answers: ModelAnswers, gold: Gold, run: Any) -> pd.DataFrame:
    """Return how right models are on the items that all were tested on, as any model is scored.

    Raises:
        InputError: there are no such items.
    """
    answers = on_common_items(languages_together(answers))
    gold = replace(gold, table=gold.table[gold.table.index.isin(set(answers.table["item"]))])
    figures = score(answers, gold, ScoreSettings(seed=run.seed, bootstraps=run.bootstraps))
    without = _NOT_SHOWN if answers.table["invalid"].any() else (*_NOT_SHOWN, "validity")
    return figures[~figures["analysis"].isin(without)]


def figures_of(training: Training) -> pd.DataFrame:
    """Return how right models are, also by label, language and fold, and what was trained on.

    Raises:
        InputError: no item was tested by all models.
    """
    import pandas as pd

    run, dataset = training.run, training.dataset
    languages = {each.item: each.language or "none" for each in dataset.examples}
    groups = pd.DataFrame({"language": pd.Series(languages, dtype=object)})
    gold = replace(dataset.gold, groups=groups if len({*languages.values()}) > 1 else None)
    settings = ScoreSettings(seed=run.seed, bootstraps=run.bootstraps)
    own = score(languages_together(training.answers), dataset.gold, settings)
    own = joined(of_analysis(own, name) for name in ("accuracy", "tasks"))
    return joined(
        [
            scores_of(training.answers, gold, run),
            own.assign(analysis="own-items"),
            _folds(training),
            _splits(training),
        ]
    )


def _folds(training: Training) -> pd.DataFrame:
    """Return the macro F1 of the common items of each split, and its standard deviation."""
    import pandas as pd

    dataset, splits = training.dataset, training.splits.splits
    if len(splits) < 2:
        return joined([])
    rows: list[dict[str, Any]] = []
    for task, mapping in dataset.gold.tasks.items():
        labels = list(dict.fromkeys(mapping[label] for label in dataset.labels))
        place = np.array([labels.index(mapping[label]) for label in dataset.labels])
        for model, predicted in training.predictions.items():
            f1s = {}
            for number, split in enumerate(splits):
                own = training.common[training.fold_of[training.common] == number]
                counts = confusion(place[dataset.classes[own]], place[predicted[own]], len(labels))
                f1s[f"f1: {split.name}"] = float(measure(counts).f1) if len(own) else np.nan
            defined = [f1 for f1 in f1s.values() if not np.isnan(f1)]
            sd = float(np.std(defined, ddof=1)) if len(defined) > 1 else np.nan
            rows.append({"group": task, "item": model, "sd": sd, "n": len(defined), **f1s})
    return tidy("folds", pd.DataFrame(rows), {"sd": "ddof 1"})


def _splits(training: Training) -> pd.DataFrame:
    """Return how many examples of each label were trained on and tested on."""
    import pandas as pd

    classes, labels = training.dataset.classes, training.dataset.labels
    parts = [
        pd.DataFrame({"group": split.name, "item": labels}).assign(
            **{
                name: np.bincount(classes[rows], minlength=len(labels))
                for name, rows in (("trained on", split.train), ("tested on", split.test))
            }
        )
        for split in training.splits.splits
    ]
    counts = tidy("splits", pd.concat(parts), "examples")
    left_out = training.splits.left_out
    reason = f"{left_out:,} examples are in neither part and were not used."
    return joined([counts, gap("splits", reason)]) if left_out else counts


def report_of(
    run: Any,
    figures: pd.DataFrame,
    about: Mapping[str, str],
    *,
    notes: Sequence[str] = (),
    cards: Mapping[str, tuple[Card, ...]] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> Report:
    """Return the report of a run of any kind.

    Args:
        run: its settings.
        about: the dataset, its split and the like, by name.
        notes: what was noticed, a sentence each.
        cards, tables: see `Report`.
    """
    scores, own = (read_texts(path) for path in (_SCORE_TEXTS, _TEXTS))
    analyses = dict(scores.analyses)
    for name, text in own.analyses.items():
        said = {field: getattr(text, field) for field in text.model_fields_set}
        analyses[name] = analyses.get(name, AnalysisText()).model_copy(update=said)
    return Report(
        name="training",
        title=run.name,
        question=run.about,
        figures=figures,
        texts=own.model_copy(update={"analyses": analyses}),
        settings={**run.model_dump(mode="json"), "classifiers": CLASSIFIERS},
        facts={name.capitalize(): text for name, text in about.items()},
        notes=notes,
        cards=cards or {},
        tables=tables or {},
    )


def model_card(figures: pd.DataFrame, title: str, **values: Any) -> str:
    """Return what a model is, what it learned from, how right it was, and how it is used.

    Args:
        figures: of how right all models are.
        title: of the model, as figures have it.
        values: what `model_card.md` names, but for `scores`.
    """
    from jinja2 import StrictUndefined, Template

    scores = []
    for analysis in ("accuracy", "tasks"):
        for row in wide(figures, analysis).to_dict("records"):
            task = row["group"].removesuffix(title)
            if row["group"] == task + title and (not task or task.endswith(PARTS)):
                scores.append({**row, "name": task + row["item"]})
    text = Path(__file__).with_name("model_card.md").read_text(encoding="utf-8")
    template = Template(text, undefined=StrictUndefined, trim_blocks=True)
    return f"{template.render(values, scores=scores)}\n"


def write_training(
    training: Training,
    out: Path,
    more: pd.DataFrame | None = None,
    cards: Mapping[str, tuple[Card, ...]] | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> TrainedFiles:
    """Write the report, the predictions as `answers.parquet`, and the models that are kept.

    Args:
        more: further figures, of `memeloc.evaluate.protocols.analyze`.
        cards: by analysis, see `Report`.

    Raises:
        InputError: a file cannot be written, or no item was tested by all models.
        MissingError: matplotlib or skops is not installed.
    """
    run, dataset = training.run, training.dataset
    figures = joined([figures_of(training), *([] if more is None else [more])])
    weights = run.class_weights
    mappings = {"levels": dataset.levels, **dataset.coarser}
    facts = {
        **dataset.about,
        "split": training.splits.about,
        "class weights": weights if isinstance(weights, str) else _listed(weights),
        "seed": str(run.seed),
    }
    about = facts | {name: _listed(each) for name, each in mappings.items() if each}
    report = report_of(run, figures, about, notes=dataset.notes, cards=cards)
    answers = languages_together(training.answers)
    titles = {each.model: title for title, each in conditions_of(answers.table).items()}
    numbers = {model.name: number for number, model in enumerate(run.models, 1)}
    saved = []
    for trained in training.models:
        model = trained.settings
        features = f" Features: {', '.join(model.features)}." if model.features else ""
        fusion = f" Fusion: {model.fusion}." if len(model.features) > 1 else ""
        folds = " These are of models of the folds; this one was trained on all examples."
        card = model_card(
            figures,
            titles.get(model.name, model.name),
            library="memeloc",
            pipeline=PIPELINES[input_of(model, training.features)],
            base=(),
            tags=("memes", "skops"),
            name=model.name,
            about=f"A model of the run `{run.name}`: {CLASSIFIERS[model.classifier]}."
            + features
            + fusion,
            facts=facts,
            counts=dict(zip(trained.labels, trained.counts, strict=True)),
            history=(),
            tested="On the items that all models of the run were tested on."
            + (folds if training.splits.method == "folds" else ""),
            use=_USE,
        )
        saved.append(out / MODELS / folder_name(numbers[model.name], model.name))
        save_model(trained, run.features, saved[-1], card)
    return write_trained(report, training.answers, saved, out, on_progress)


def write_trained(
    report: Report,
    answers: ModelAnswers,
    saved: Sequence[Path],
    out: Path,
    on_progress: Callable[[int, int], None],
) -> TrainedFiles:
    """Write the report of a run and all answers of its models, which are saved."""
    files = write_report(report, out, on_progress=on_progress)
    with replacing(out / PREDICTIONS) as temporary:
        answers.table.to_parquet(temporary, index=False)
    return TrainedFiles(report.figures, tuple(report.notes), files, out / PREDICTIONS, tuple(saved))


def _listed(mapping: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in mapping.items())
