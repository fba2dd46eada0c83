"""Labels of a dataset. In: names in a table, settings. Out: labels in order, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memeloc.errors import InputError
from memeloc.evaluate.training.run_file import LabelSettings
from memeloc.taxonomy import load_taxonomy


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels; see `Dataset`. Without `labels` they are those that occur, by the alphabet."""

    labels: tuple[str, ...]
    renamed: Mapping[str, str]
    levels: Mapping[str, int] = field(default_factory=dict)
    coarser: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def label_of(self, name: str) -> str | None:
        """The label that a table's cell names; empty to leave the row out, None for no label."""
        name = name.strip()
        if name in self.renamed:
            return self.renamed[name]
        if not self.labels or name in self.labels:
            return name
        plain = _plain(name)
        return next((label for label in self.labels if _plain(label) == plain), None)

    def of(self, used: Iterable[str]) -> LabelSet:
        """The set with its labels known, by those that rows have.

        Raises:
            InputError: there are fewer than two, or a level or mapping lacks a label.
        """
        labels = self.labels or tuple(sorted(set(used)))
        if len(labels) < 2:
            raise InputError(f"The dataset has {len(labels)} labels; two are needed at least.")
        for name, mapping in (("levels", self.levels), *self.coarser.items()):
            lacking = [label for label in labels if mapping and label not in mapping]
            if lacking:
                raise InputError(f"[labels] {name} says nothing of {', '.join(lacking)}.")
        return LabelSet(labels, self.renamed, self.levels, self.coarser)


def label_set(settings: LabelSettings) -> LabelSet:
    """The labels that settings name; those of a taxonomy have its severities and groups.

    A taxonomy's labels come from the least severe one on, with severities as levels, its groups as
    a coarser task, and harmful against harmless (severity 0) as another.

    Raises:
        InputError: there is no such taxonomy.
    """
    labels, levels, coarser = settings.order, settings.levels, settings.coarser
    if settings.taxonomy:
        votes = sorted(
            load_taxonomy(settings.taxonomy).of_role("vote"), key=lambda label: label.severity
        )
        labels = labels or tuple(label.id for label in votes)
        levels = levels or {label.id: label.severity for label in votes}
        if len(set(levels.values())) < 2:
            levels = {}
        groups = {label.id: label.group or label.id for label in votes}
        harm = {label.id: "harmful" if label.severity else label.id for label in votes}
        made = {f"{len(set(each.values()))} classes": each for each in (groups, harm)}
        coarser = coarser or {
            name: each for name, each in made.items() if len(set(each.values())) < len(labels)
        }
    return LabelSet(labels, settings.map, levels, coarser)


def _plain(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())
