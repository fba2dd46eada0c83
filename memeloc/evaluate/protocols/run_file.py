"""Run files with further analyses. In: a TOML file. Out: `ProtocolRun`.

Each analysis is a table of its own in the run file of trained models; those that are not there are
not made. Shipped runs (`shipped/`) have those of the paper of their name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from memeloc.errors import InputError
from memeloc.evaluate.explaining.figures import WORDS
from memeloc.evaluate.explaining.local import SAMPLES
from memeloc.evaluate.explaining.regions import REGIONS
from memeloc.evaluate.shift.periods import HELD_OUT, PERIODS
from memeloc.evaluate.training.run_file import DataSettings, TrainingRun, absolute, read_run_as
from memeloc.evaluate.training.settings import Name, Settings
from memeloc.evaluate.training.splitting import SplitSettings
from memeloc.taxonomy import load_taxonomy

FOLDER = Path(__file__).with_name("shipped")


class ConfusionSettings(Settings):
    """Confusion, also among the harmful only and within a severity (charmemes B)."""

    severity: dict[str, str] = Field(
        default_factory=dict, description="by label its severity; empty: groups of the taxonomy"
    )
    harmless: tuple[str, ...] = Field(
        default=(), description="labels that harm nobody; empty: the taxonomy's of severity 0"
    )


class TargetSettings(Settings):
    """A second task: whom a harmful item harms (harmeme 4.2); learned from harmful items only."""

    column: str = Field(description="of the target; named in [data] other")
    harmless: tuple[str, ...] = Field(min_length=1, description="labels that harm nobody")
    order: tuple[str, ...] = Field(min_length=2, description="all targets, in order")
    map: dict[str, str] = Field(default_factory=dict, description="names in the table to targets")
    levels: dict[str, int] = Field(
        default_factory=dict, description="by target a number, for MAE and MMAE"
    )


class ExplainSettings(Settings):
    """What models go by: words, and a local linear surrogate of some items (harmeme 6.4)."""

    words: int = Field(default=WORDS, ge=1, le=100, description="most telling words a label")
    items: int = Field(
        default=4, ge=0, le=100, description="explained: half right, half wrong, drawn by the seed"
    )
    models: tuple[Name, ...] = Field(default=(), description="that are explained; empty: the best")
    samples: int = Field(
        default=SAMPLES, ge=10, le=100_000, description="how often a model is asked for an item"
    )
    regions: int = Field(default=REGIONS, ge=2, le=200, description="of a picture, at most")


class TemporalSettings(Settings):
    """Models of one period on another (charmemes 5.4); needs [data.columns] year."""

    periods: int = Field(
        default=PERIODS, ge=2, le=50, description="consecutive, near equal in size"
    )
    held_out: float = Field(
        default=HELD_OUT, gt=0, lt=1, description="share of its own period a model is tested on"
    )
    models: tuple[Name, ...] = Field(default=(), description="that are trained; empty: all")


class TransferTarget(Settings):
    """A dataset that the run's is compared with."""

    name: Name = Field(description="in the tables")
    dataset: str = Field(default="", description="its name in the label map; empty: its name here")
    window: tuple[int, int] | None = Field(
        default=None, description="years of the aligned sample, the first and the last"
    )
    data: DataSettings
    split: SplitSettings = SplitSettings()


class TransferSettings(Settings):
    """Models of one dataset on another (charmemes 5.3, Table 4)."""

    labels: str = Field(
        default="harmful", description="a shipped label map, or the TOML of one's own"
    )
    dataset: str = Field(description="the run's dataset, by its name in the label map")
    models: tuple[Name, ...] = Field(default=(), description="that are trained; empty: all")
    targets: tuple[TransferTarget, ...] = Field(min_length=1)


class ProtocolRun(TrainingRun):
    """A run of trained models with the analyses that it names."""

    confusion: ConfusionSettings | None = Field(default=None, description="where models go wrong")
    target: TargetSettings | None = Field(default=None, description="whom harmful items harm")
    explain: ExplainSettings | None = Field(default=None, description="what models go by")
    temporal: TemporalSettings | None = Field(default=None, description="models over time")
    transfer: TransferSettings | None = Field(default=None, description="models on other datasets")

    @model_validator(mode="after")
    def _check_analyses(self) -> ProtocolRun:
        names = {model.name for model in self.models}
        for analysis in (self.explain, self.temporal, self.transfer):
            if analysis is not None and (unknown := set(analysis.models) - names):
                raise ValueError(f"{min(unknown)} is no model of the run")
        if self.temporal is not None and self.data.table and "year" not in self.data.columns:
            raise ValueError("[temporal] needs the column of years in [data.columns] year")
        if self.target is not None and self.target.column not in self.data.other:
            raise ValueError(f"[target] needs {self.target.column!r} in [data] other")
        return self

    def with_paths(self, folder: Path) -> ProtocolRun:
        """The run with the paths of its transfer made absolute, relative to a folder."""
        if self.transfer is None:
            return self
        targets = [
            target.model_copy(update={"data": absolute(target.data, folder)})
            for target in self.transfer.targets
        ]
        changed: dict[str, Any] = {"targets": tuple(targets)}
        if (folder / self.transfer.labels).is_file():
            changed["labels"] = str(folder / self.transfer.labels)
        return self.model_copy(update={"transfer": self.transfer.model_copy(update=changed)})


def protocol_names() -> tuple[str, ...]:
    """Names of the shipped runs."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def read_protocol(run: str | Path) -> ProtocolRun:
    """A run of a file, or a shipped one by name, whose paths are relative to the current folder.

    Raises:
        InputError: there is none, or a setting is wrong.
    """
    path, folder = Path(run), Path(run).parent
    if not path.is_file() and str(run) in protocol_names():
        path, folder = FOLDER / f"{run}.toml", Path()
    elif not path.suffix and not path.is_file():
        raise InputError(f"There is no run file {run}; shipped are {', '.join(protocol_names())}.")
    return read_run_as(ProtocolRun, path, folder).with_paths(folder)


def severities_of(run: ProtocolRun, labels: tuple[str, ...]) -> dict[str, str] | None:
    """Return the severity of each label that is harmful, by the run or its taxonomy.

    It is empty where they have none; None where neither says what is harmless.

    Raises:
        InputError: a label has no severity.
    """
    settings = run.confusion or ConfusionSettings()
    group: Mapping[str, str] = settings.severity
    harmless = frozenset(settings.harmless)
    if run.labels.taxonomy:
        of_taxonomy = load_taxonomy(run.labels.taxonomy).of_role("vote")
        group = group or {label.id: label.group for label in of_taxonomy if label.group}
        harmless = harmless or frozenset(label.id for label in of_taxonomy if not label.severity)
    if not harmless:
        return None
    lacking = [label for label in labels if label not in group and label not in harmless]
    if group and lacking:
        raise InputError(f"[confusion.severity] says nothing of {', '.join(lacking)}.")
    return {label: group.get(label, "") for label in labels if label not in harmless}
