"""A model for each culture (multi3hate, appendix C). In: labels by culture, a run. Out: `Tuned`.

For each culture and fold new adapters are trained on that culture's labels of the other folds; the
answers of all folds together are the model's, and are scored against every culture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.choices import read_choice
from memeloc.evaluate.finetuning.adapters import Chat, adapted, fit_adapters, load_chat
from memeloc.evaluate.finetuning.kept import (
    MODELS,
    Fold,
    Tuned,
    TunedModel,
    content_key,
    read_fold,
    run_key,
    write_fold,
)
from memeloc.evaluate.finetuning.networks import quiet
from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.training.examples import Dataset, Example
from memeloc.evaluate.training.reading import read_dataset
from memeloc.evaluate.training.saving import folder_name
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.splits import split_memes


def read_cultures(run: LoraRun, folder: Path) -> dict[str, Dataset]:
    """By culture the items that it has a label for.

    In a table a culture's labels stand in the column of its name, in a release in the rows of its
    labels whose column `culture` names it.

    Raises:
        InputError: the table cannot be read, or a label is none of the options.
    """
    datasets = {}
    known = {label for _, label in run.lora.options}
    for culture in run.lora.cultures:
        columns = {**run.data.columns, "label": culture}
        update = (
            {"where": {**run.data.where, "culture": culture}}
            if run.data.release
            else {"columns": columns}
        )
        data = run.data.model_copy(update=update)
        datasets[culture] = read_dataset(data, run.labels, folder)
        if unknown := {each.label for each in datasets[culture].examples} - known:
            raise InputError(
                f"{culture} has the label {min(unknown)!r}, which is none of the options "
                f"{', '.join(sorted(known))}; say in [labels.map] which it is."
            )
    return datasets


def tune_cultures(
    datasets: Mapping[str, Dataset],
    run: LoraRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Tuned:
    """Train a model for each culture and fold, and ask it; what was finished is not done again.

    Args:
        datasets: of `read_cultures`.
        run: the model, its adapters and their training, the folds, the seed.
        folder: for adapters, and for what models answered.
        on_progress: see `OnProgress`; counts models, and steps and answers within one.

    Raises:
        InputError: the model or a picture cannot be loaded, or there are too few templates.
        MissingError: the extra `torch` is not installed.
    """
    examples = {each.item: each for data in datasets.values() for each in data.examples}
    session = _Session(run, examples, datasets, folder, on_progress)
    folds = folds_of(run, examples)
    total = len(run.lora.cultures) * len(folds) + run.lora.zero_shot
    models: list[TunedModel] = []
    if run.lora.zero_shot:
        models.append(session.model("zero-shot", "", "all", list(examples)))
        on_progress("models", 1, total)
    for culture in run.lora.cultures:
        for part, items in folds.items():
            models.append(session.model(f"fine-tuned on {culture}", culture, part, items))
            on_progress("models", 1, total)
    first = next(iter(datasets.values()))
    about = {
        **first.about,
        "labels": f"of {', '.join(run.lora.cultures)}",
        "examples": f"{len(examples):,}",
        "split": f"{run.lora.folds} folds, drawn with seed {run.seed}, examples of a template "
        "together and labels in the shares of the whole",
    }
    gold = _gold(datasets, examples, first.labels, about)
    return Tuned(run, _answers(run, models, examples), gold, tuple(models), about, first.notes)


def folds_of(run: LoraRun, examples: Mapping[str, Example]) -> dict[str, list[str]]:
    """By fold its items; those of a template are in one fold, and labels are spread evenly.

    Raises:
        InputError: there are fewer templates than folds.
    """
    names = [f"fold {number + 1}" for number in range(run.lora.folds)]
    parts = split_memes(
        {item: each.group for item, each in examples.items()},
        {item: each.label for item, each in examples.items()},
        dict.fromkeys(names, 1.0),
        seed=run.seed,
    )
    folds = {name: [item for item in examples if parts[item] == name] for name in names}
    if not all(folds.values()):
        raise InputError("The dataset has fewer templates than there are folds; name fewer folds.")
    return folds


@dataclass(eq=False)
class _Session:
    """A run under way; the model is loaded when it is first needed."""

    run: LoraRun
    examples: Mapping[str, Example]
    datasets: Mapping[str, Dataset]
    folder: Path
    on_progress: OnProgress
    chat: Chat | None = None

    def model(self, name: str, culture: str, part: str, items: Sequence[str]) -> TunedModel:
        """What a model answers about items; it learned from the culture's labels of all others."""
        run, tested = self.run, [self.examples[item] for item in items]
        left_out = set(items)
        labelled = self.datasets[culture].examples if culture else ()
        train = [each for each in labelled if each.item not in left_out]
        key = run_key(
            [run.lora.model_dump(), run.training.recorded(), run.seed, run.save],
            [(content_key(each), each.label) for each in train],
            [content_key(each) for each in tested],
        )
        folder = self.folder / MODELS / folder_name(run.models.index(name) + 1, f"{name} {part}")
        fold = read_fold(folder, key)
        if fold is None:
            answers, history = self._trained(train, tested, folder, key)
            counts = Counter(each.label for each in train)
            answered = {each.item: text for each, text in zip(tested, answers, strict=True)}
            fold = Fold(name, part, dict(counts), answered, history)
            write_fold(folder, key, fold)
        sees = "both" if "{text}" in run.lora.prompt else "picture"
        return TunedModel(fold, folder, sees, (run.lora.model,), run.training.recorded())

    def _trained(
        self, train: Sequence[Example], tested: Sequence[Example], folder: Path, key: str
    ) -> tuple[list[str], list[dict[str, float]]]:
        run = self.run
        if self.chat is None:
            self.chat = load_chat(run.lora, run.training)
        if not train:
            return self._answers(self.chat.module, tested), []
        with adapted(self.chat, seed=run.seed) as module:
            history = fit_adapters(
                self.chat,
                module,
                train,
                [each.label for each in train],
                run.training,
                checkpoints=folder / f"checkpoints-{key[:16]}",
                device=run.device,
                seed=run.seed,
                on_progress=self.on_progress,
            )
            if run.save:
                with quiet():
                    module.save_pretrained(folder)
            return self._answers(module, tested), history

    def _answers(self, module: Any, tested: Sequence[Example]) -> list[str]:
        assert self.chat is not None
        size = self.run.training.batch_size // self.run.training.accumulate
        return self.chat.answers(
            module, tested, batch_size=size, device=self.run.device, on_progress=self.on_progress
        )


def _answers(
    run: LoraRun, models: Sequence[TunedModel], examples: Mapping[str, Example]
) -> ModelAnswers:
    """Answers in words, read as those of any model."""
    import pandas as pd

    options = run.lora.options
    places = {label: number for number, (_, label) in enumerate(options, 1)}
    rows = []
    for model in models:
        for item, answer in model.fold.answers.items():
            prompt = run.lora.prompt.replace("{text}", examples[item].text)
            choice = read_choice(answer, options, language=run.lora.prompt_language, prompt=prompt)
            rows.append(
                {
                    "model": model.fold.model,
                    "item": item,
                    "input": model.input,
                    "language": examples[item].language,
                    "prompt_language": run.lora.prompt_language,
                    "wording": 1,
                    "answer": answer,
                    "choice": choice.name,
                    "position": places.get(choice.name, 0),
                    "invalid": choice.invalid,
                    "refused": choice.refused,
                    "rule": choice.rule,
                    "explanation": choice.explanation,
                }
            )
    return ModelAnswers.of(pd.DataFrame(rows), [label for _, label in options])


def _gold(
    datasets: Mapping[str, Dataset],
    examples: Mapping[str, Example],
    labels: tuple[str, ...],
    about: Mapping[str, str],
) -> Gold:
    import pandas as pd

    columns = {
        culture: {each.item: each.label for each in dataset.examples}
        for culture, dataset in datasets.items()
    }
    table = pd.DataFrame(
        {name: [own.get(item) for item in examples] for name, own in columns.items()},
        index=pd.Index(list(examples), name="item"),
        dtype="object",
    )
    return Gold(table, labels, about=about)
