"""Examples whose classes are told by their words, and a model of vectors of pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memeloc.evaluate.training import Dataset, Example

WORDS = {
    "cats": ["purr", "whiskers", "paw", "Schnurren", "毛"],
    "tea": ["cup", "kettle", "leaf", "चाय", "茶"],
    "weather": ["cloud", "rain", "sunny", "Regen", "雨"],
}
SHARED = ["monday", "office", "again", "me", "when"]


def examples(count: int = 150, *, seed: int = 0, told: float = 0.9) -> Dataset:
    """Examples in turn of three classes; a share `told` of the texts has words of its class."""
    random = np.random.default_rng(seed)
    labels = tuple(WORDS)
    made = []
    for number in range(count):
        label = labels[number % 3]
        words = list(random.choice(SHARED, 3))
        if random.random() < told:
            words += list(random.choice(WORDS[label], 2))
        made.append(
            Example(
                item=f"{number:04}",
                label=label,
                text=" ".join(words),
                language="en",
                group=f"template-{number % 40}",
                year=2007 + number % 9,
            )
        )
    return Dataset(tuple(made), labels, about={"source": "made in the test"})


def write_colour_model(path: Path) -> None:
    """A network whose three features are the means of red, green and blue."""
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("GlobalAveragePool", ["pixels"], ["features"])],
        "colours",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, 16, 16])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, None)],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=9)
    path.write_bytes(model.SerializeToString())
