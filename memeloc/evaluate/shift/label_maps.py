"""Label maps. In: a TOML. Out: by dataset and label the label that datasets share.

Datasets name what they call harmful differently; a model of the first is tested on the second in
labels that both have, such as `harmful` and `safe` (charmemes 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate

REST = "*"
"""Stands for every label of a dataset that its map does not name."""
FOLDER = Path(__file__).with_name("maps")

_Label = Annotated[str, StringConstraints(max_length=200)]


class LabelMap(BaseModel):
    """Labels that datasets share, and which of each dataset's are which."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Label = Field(description="of the map")
    labels: tuple[_Label, ...] = Field(min_length=2, description="that datasets share, in order")
    maps: Mapping[_Label, Mapping[_Label, _Label]] = Field(
        description="by dataset, its label and the shared one, empty where items are left out"
    )

    def of(self, dataset: str, label: str) -> str:
        """The shared label; empty where items of that label are left out.

        Raises:
            InputError: the dataset is not in the map, or its label is not.
        """
        if (mapping := self.maps.get(dataset)) is None:
            known = ", ".join(self.maps)
            raise InputError(
                f"The label map {self.name} has no dataset {dataset!r}; it has {known}."
            )
        shared = mapping.get(label, mapping.get(REST))
        if shared is None:
            raise InputError(
                f"The label map {self.name} does not say what {label!r} of {dataset} is. Add it "
                f'to [maps.{dataset}], with "" to leave its items out.'
            )
        return shared


def load_label_map(name: str) -> LabelMap:
    """A shipped map by name, or one of a file.

    Raises:
        InputError: there is none, or the file is wrong.
    """
    shipped = FOLDER / f"{name}.toml"
    path = shipped if name.isidentifier() and shipped.is_file() else Path(name)
    labels = validate(LabelMap, read_toml(path), "the label map", file=path)
    for dataset, mapping in labels.maps.items():
        for label, shared in mapping.items():
            if shared and shared not in labels.labels:
                raise InputError(
                    f"maps {label!r} of {dataset} to {shared!r}, which is not in labels", file=path
                )
    return labels
