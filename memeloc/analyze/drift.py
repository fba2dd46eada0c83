"""Whether answers change over time. In: `Answers` with times. Out: a `Section`.

Two things may drift: which labels a culture gives, as weeks pass; and how far people agree with the
others, as they go on answering. Items come at different times, too, so only answers to the same
item are compared: an item is a stratum, and within it later answers are set against earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from memeloc.agreement.others import agreement_by_label
from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.errors import InputError
from memeloc.reports.sections import Lines, Section, Table
from memeloc.statistics.significance import holm, p_text, two_sided

_PARTS = 10
"""Parts with as many answers each that a culture's time is divided into, for tables and plots."""
_MOST_LABELS = 4
"""Labels with a plot of their own: those given most."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a value changes within strata.

    Attributes:
        slope: the change of the value per unit of the time, the same in all strata.
        z: its correlation statistic, of a standard normal distribution without a trend.
    """

    slope: float
    z: float


def within_trend(strata: Ints, time: Floats, value: Floats) -> Trend:
    """Whether a value rises with time within strata.

    The stratified permutation test of Mantel (1963), the correlation statistic of the generalised
    Cochran-Mantel-Haenszel tests (Landis, Heyman and Koch 1978): in each stratum the values are
    permuted over the times, which gives mean and variance of the sum of products.

    Args:
        strata: by answer its stratum, from 0.
        time, value: by answer.

    Returns:
        NaN where no stratum has different times and different values.
    """
    sizes = np.bincount(strata)
    with np.errstate(invalid="ignore", divide="ignore"):
        times = time - (np.bincount(strata, time) / sizes)[strata]
        values = value - (np.bincount(strata, value) / sizes)[strata]
        of_time, of_value = (np.bincount(strata, some**2) for some in (times, values))
        variance = float((of_time * of_value / (sizes - 1))[sizes > 1].sum())
    together = float((times * values).sum())
    if variance < 1e-18:
        return Trend(float("nan"), float("nan"))
    return Trend(together / float(of_time.sum()), together / np.sqrt(variance))


def drift(answers: Answers, settings: Settings) -> Section:
    """Trends of labels, and of the agreement with the others.

    Raises:
        InputError: the answers have no times, or all the same.
    """
    table = _timed(answers)
    trends, parts, gaps = [], [], []
    for culture in answers.cultures:
        of_culture = table[table["culture"] == culture]
        if of_culture["time"].nunique() < 2:
            gaps.append(f"The answers of {culture} have no times that differ.")
            continue
        data = _Culture.of(of_culture, answers.labels)
        trends += [(culture, *row) for row in data.trends()]
        parts += [(culture, *row) for row in data.parts()]
        if data.position is None:
            gaps.append(
                f"People of {culture} gave all their answers at one time, so whether they agree "
                "less as they go on is not known."
            )
    columns = ["culture", "what", "answers", "slope", "z"]
    frame = pd.DataFrame(trends, columns=columns)
    frame["p"] = [two_sided(z) for z in frame["z"]]
    frame["p_holm"] = holm(frame["p"])
    shares = [f"share of {label}" for label in answers.labels]
    fixed = ["culture", "part", "from", "to", "answers", "agreement"]
    by_part = pd.DataFrame(parts, columns=[*fixed, *shares])
    return Section(
        name="drift",
        title="Drift over time",
        tables=(_trends_table(frame), _parts_table(by_part, shares)),
        plots=tuple(_plots(by_part, shares)),
        sentences=tuple(_sentences(frame, 1 - settings.confidence)),
        figures={
            "trends": int(frame["p"].notna().sum()),
            "significant": int((frame["p_holm"] < 1 - settings.confidence).sum()),
        },
        gaps=tuple(gaps),
    )


@dataclass(frozen=True, eq=False)
class _Culture:
    """A culture's answers in the order of time.

    Attributes:
        item, label: by answer its place among the culture's items and among the labels.
        time: by answer its rank in the culture, 0 (the first) to 1 (the last).
        position: its rank among the person's own answers, 0 to 1; None if nobody's differ.
        agreement: of the other answers to the item, the share with the same label; NaN for none.
        days: when it was given.
    """

    labels: tuple[str, ...]
    item: Ints
    label: Ints
    time: Floats
    position: Floats | None
    agreement: Floats
    days: pd.Series[pd.Timestamp]

    @classmethod
    def of(cls, table: pd.DataFrame, labels: tuple[str, ...]) -> _Culture:
        table = table.sort_values(["time", "item", "participant"], ignore_index=True)
        item, names = pd.factorize(table["item"], sort=True)
        label = pd.Index(list(labels), dtype=object).get_indexer(
            pd.Index(table["label"].astype(object))
        )
        counts = np.bincount(item * len(labels) + label, minlength=len(names) * len(labels))
        scores = agreement_by_label(counts.reshape(len(names), len(labels)))
        by_person = table.groupby("participant")["time"]
        answered = by_person.transform("size")
        position = ((by_person.rank() - 1) / (answered - 1).clip(lower=1)).to_numpy(
            dtype=np.float64
        )
        differ = bool((by_person.transform("nunique") > 1).any())
        time = ((table["time"].rank() - 1) / max(len(table) - 1, 1)).to_numpy()
        return cls(
            labels,
            item.astype(np.int64),
            label.astype(np.int64),
            time.astype(np.float64),
            position.astype(np.float64) if differ else None,
            scores[item, label],
            table["time"],
        )

    def trends(self) -> Iterator[tuple[str, int, float, float]]:
        """What, answers, slope and z of each trend."""
        for place, label in enumerate(self.labels):
            trend = within_trend(self.item, self.time, (self.label == place).astype(float))
            yield f"share of {label}", len(self.item), trend.slope, trend.z
        shared = ~np.isnan(self.agreement)
        if self.position is not None and shared.any():
            trend = within_trend(self.item[shared], self.position[shared], self.agreement[shared])
            yield "agreement with the others", int(shared.sum()), trend.slope, trend.z

    def parts(self) -> Iterator[tuple[object, ...]]:
        """Number, first and last day, answers, agreement, and the labels' shares of each part."""
        for number, part in enumerate(np.array_split(np.arange(len(self.item)), _PARTS), 1):
            if not len(part):
                continue
            scores = self.agreement[part]
            known = scores[~np.isnan(scores)]
            shares = np.bincount(self.label[part], minlength=len(self.labels)) / len(part)
            first, last = self.days.iloc[part[0]], self.days.iloc[part[-1]]
            mean = float(known.mean()) if len(known) else float("nan")
            yield number, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}", len(part), mean, *shares


def _timed(answers: Answers) -> pd.DataFrame:
    """The answers that take part in the vote and have a time."""
    if "time" not in answers.table.columns:
        raise InputError("the answers have no column of times")
    table = answers.table[answers.table["label"].isin(answers.labels)]
    times = pd.to_datetime(table["time"], errors="coerce", utc=True, format="mixed")
    table = table.assign(time=times)[times.notna()]
    if table["time"].nunique() < 2:
        raise InputError("the answers have no times, or all the same")
    return table


def _trends_table(frame: pd.DataFrame) -> Table:
    method = (
        "Answers to the same item are compared, later with earlier ones: the correlation statistic "
        "of the generalised Cochran-Mantel-Haenszel tests (Mantel 1963; Landis, Heyman and Koch "
        "1978) with items as strata. Time is the answer's rank in the culture for labels, and "
        "among the person's own answers for the agreement with the others. p is two-sided; p_holm "
        "is corrected for all trends of the table. Where all people of a culture answered an item "
        "at nearly the same time, drift cannot be seen."
    )
    columns = {
        "culture": "the culture",
        "what": "what may change: a label's share, or the agreement with the others",
        "answers": "answers with a time",
        "slope": "estimated change from the first answer to the last, -1 to 1",
        "z": "standard deviations of the statistic without a trend",
        "p": "two-sided p-value",
        "p_holm": "the same, corrected for the number of trends",
    }
    return Table("drift", "Trends over time", frame, columns, method)


def _parts_table(frame: pd.DataFrame, shares: list[str]) -> Table:
    method = (
        f"The answers of a culture in the order of time, in {_PARTS} parts of as many answers. "
        "Shares are not corrected for the items, which change over time, too."
    )
    columns = {
        "culture": "the culture",
        "part": "number of the part",
        "from": "day of its first answer (UTC)",
        "to": "day of its last answer (UTC)",
        "answers": "answers in it",
        "agreement": "share of the other answers to the item that are the same, 0 to 1, as a mean",
        **{share: f"{share} among the answers, 0 to 1" for share in shares},
    }
    return Table("drift-parts", "Labels and agreement over time", frame, columns, method)


def _plots(frame: pd.DataFrame, shares: list[str]) -> Iterator[Lines]:
    if frame.empty:
        return
    given = (frame[shares].mul(frame["answers"], axis=0)).sum()
    most = given.sort_values(ascending=False, kind="stable").index[:_MOST_LABELS]
    wanted = {"agreement with the others": ("drift-agreement", "agreement")} | {
        str(share): (f"drift-label-{number}", str(share)) for number, share in enumerate(most, 1)
    }
    for what, (name, column) in wanted.items():
        lines = frame.pivot(index="part", columns="culture", values=column)
        lines.columns = [str(culture) for culture in lines.columns]
        lines.index.name = f"part of the answers, in the order of time (1 to {_PARTS})"
        title = f"{what[0].upper()}{what[1:]} over time"
        yield Lines(name, title, lines, what, f"{_PARTS} parts with as many answers each")


def _sentences(frame: pd.DataFrame, limit: float) -> Iterator[str]:
    tested = frame.dropna(subset=["p"])
    if tested.empty:
        return
    significant = tested[tested["p_holm"] < limit].sort_values("p", kind="stable")
    yield (
        f"Of {len(tested)} trends over time within items, {len(significant)} are significant "
        f"(p < {limit:g} after Holm's correction)."
    )
    for _, row in significant.head(3).iterrows():
        yield (
            f"In {row['culture']} the {row['what']} changes by {100 * row['slope']:+.1f} points "
            f"from the first answer to the last (z = {row['z']:.2f}, {p_text(row['p_holm'])} "
            "corrected)."
        )
