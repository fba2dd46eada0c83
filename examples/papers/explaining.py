"""What single answers rest on, by LIME. In: a training. Out: a page an item.

`pip install lime` (BSD-2-Clause). Words are left out of the text, regions of the picture take their
mean colour, the model is asked each time, and a linear model says how much each part adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from memeloc.embedding.models import library
from memeloc.evaluate.training import Example, Training, compute_features, frame_of
from memeloc.evaluate.training.run_file import TrainingRun
from memeloc.locales import default
from memeloc.locales.words import word_spans

EXTRA = "papers"


def explain(
    training: Training, name: str, out: Path, *, items: int = 4, samples: int = 200
) -> list[Path]:
    """Write a page for some items of the first fold, half of which the model got wrong.

    Args:
        name: of a model that was kept.
        samples: how often it is asked for an item.
    """
    run, dataset = training.run, training.dataset
    assert isinstance(run, TrainingRun)
    settings = next(model for model in run.models if model.name == name)
    features = {each: run.features[each] for each in settings.features}
    tested = next(each for each in training.tested if each.name == name)
    estimator = tested.estimator

    def scores(examples: Sequence[Example]) -> Any:
        frame = frame_of(replace(each, item=str(n)) for n, each in enumerate(examples))
        with TemporaryDirectory() as folder:
            compute_features(frame, features, Path(folder))
        return estimator.predict_proba(frame)

    def explained(example: Example, place: int) -> Path:
        def of_texts(texts: Sequence[str]) -> Any:
            return scores([replace(example, text=text or "-") for text in texts])

        def of_pictures(pictures: Sequence[Any]) -> Any:
            with TemporaryDirectory() as folder:
                made = []
                for number, picture in enumerate(pictures):
                    path = Path(folder) / f"{number}.png"
                    Image.fromarray(np.asarray(picture, dtype=np.uint8)).save(path)
                    made.append(replace(example, picture=path))
                return scores(made)

        def spans(text: str) -> Iterable[tuple[int, int]]:
            return word_spans(text, default().get(example.language or "en"))

        page = out / f"explained-{example.item.replace('/', '-')}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        if any(each.kind != "pictures" for each in features.values()) and example.text:
            explainer = library("lime.lime_text", EXTRA).LimeTextExplainer(
                class_names=list(dataset.labels),
                split_expression=lambda text: [text[start:end] for start, end in spans(text)],
                bow=False,
                random_state=run.seed,
            )
            text = explainer.explain_instance(
                example.text, of_texts, labels=(place,), num_samples=samples
            )
            text.save_to_file(str(page))
        if any(each.kind == "pictures" for each in features.values()) and example.picture:
            picture = Image.open(example.picture).convert("RGB")
            picture.thumbnail((224, 224))
            explainer = library("lime.lime_image", EXTRA).LimeImageExplainer(random_state=run.seed)
            image = explainer.explain_instance(
                np.asarray(picture), of_pictures, labels=(place,), top_labels=None,
                num_samples=samples, progress_bar=False,
            )  # fmt: skip
            shown, regions = image.get_image_and_mask(place, positive_only=False, num_features=5)
            painted = np.where(regions[..., None] > 0, shown, shown // 3)
            Image.fromarray(painted.astype(np.uint8)).save(page.with_suffix(".png"))
        return page

    right = dataset.frame["label"]
    order = sorted(tested.answers.items(), key=lambda pair: pair[1] == right[pair[0]])
    wrong = [pair for pair in order if pair[1] != right[pair[0]]][: items // 2]
    chosen = dict([*wrong, *order[len(order) - items + len(wrong) :]])
    examples = {each.item: each for each in dataset.examples}
    return [
        explained(examples[item], dataset.labels.index(label)) for item, label in chosen.items()
    ]
