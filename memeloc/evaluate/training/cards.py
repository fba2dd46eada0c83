"""Cards of trained models. In: a training and one of its models. Out: Markdown."""

from __future__ import annotations

from memeloc.evaluate.training.comparing import Comparison
from memeloc.evaluate.training.models import Trained
from memeloc.evaluate.training.training import input_of

CLASSIFIERS = {
    "logistic": "scikit-learn's logistic regression",
    "boosting": "scikit-learn's gradient boosting on histograms",
    "xgboost": "XGBoost",
    "majority": "the majority class",
    "random": "uniform guesses",
}


def card_of(comparison: Comparison, trained: Trained) -> str:
    """What a model is, what it learned from, how right it was, and how it is used."""
    training = comparison.training
    run, settings = training.run, trained.settings
    own = comparison.tested(settings.name)
    lines = [
        "---",
        "library_name: memeloc",
        "pipeline_tag: " + _PIPELINES[input_of(settings, training.features)],
        "tags: [memes, skops]",
        "---",
        "",
        f"# {settings.name}",
        "",
        f"A model of the run `{run.name}`: {CLASSIFIERS[settings.classifier]}."
        + (f" Features: {', '.join(settings.features)}." if settings.features else "")
        + (f" Fusion: {settings.fusion}." if len(settings.features) > 1 else ""),
        "",
        "## Trained on",
        "",
        *(f"- {name}: {text}" for name, text in training.dataset.about.items()),
        f"- split: {training.splits.about}",
        f"- class weights: {run.class_weights}",
        f"- seed: {run.seed}",
        "",
        "| label | examples |",
        "| --- | ---: |",
        *(
            f"| {label} | {count} |"
            for label, count in zip(trained.labels, trained.counts, strict=True)
        ),
        "",
        "## How right it was",
        "",
        "| task | items | accuracy | macro-F1 | 95 % interval |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for task in comparison.tasks if len(own) else ():
        scores = comparison.scored(settings.name, task, own)
        low, high = scores.interval("f1")
        accuracy, f1 = float(scores.metrics.accuracy), float(scores.metrics.f1)
        figures = f"{len(own)} | {accuracy:.3f} | {f1:.3f} | {low:.3f}, {high:.3f}"
        lines.append(f"| {task.name} | {figures} |")
    if training.splits.method == "folds":
        lines += ["", "These are of models of the folds; this one was trained on all examples."]
    lines += [
        "",
        "## Use",
        "",
        "```python",
        "from memeloc.evaluate.training import Example, load_model",
        "",
        'model = load_model("this-folder")',
        'model.predict([Example(item="1", label="", text="a caption", language="en")], "vectors")',
        "```",
        "",
        "It repeats what its examples say, errors and prejudices among it; look at the classes' F1 "
        "before it decides anything, and let people decide about people.",
    ]
    return "\n".join(lines)


_PIPELINES = {
    "": "text-classification",
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}
