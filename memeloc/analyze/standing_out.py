"""Annotators that stand out (charmemes 4.2 and E). In: `Answers`. Out: a `Section`.

charmemes looked at kappa against the rest and excluded the person who lay far below. Kappa alone
depends on which items a person got, and on how many; so each person is compared with what anybody
in their place would reach (`memeloc.agreement.beside_others`). Nobody is excluded here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from memeloc.agreement import Ratings, against_rest, beside_others, fleiss_kappa, krippendorff_alpha
from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.reports.sections import Intervals, Section, Table
from memeloc.statistics.significance import holm, scipy_stats

_FEWEST = 10
"""Items that others answered, too, which a person needs to be tested."""
_SHOWN = 25
"""People in the plot: those that agree least."""


def standing_out(answers: Answers, settings: Settings) -> Section:
    """Who agrees less with the others of their culture than anybody in their place would.

    Raises:
        InputError: no item was answered by two people of one culture.
        MissingError: scipy is not installed.
    """
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    limit = 1 - settings.confidence
    people, cultures, gaps = [], [], []
    for culture in answers.cultures:
        ratings = Ratings.of(voting[voting["culture"] == culture])
        if not (ratings.counts.sum(axis=1) > 1).any():
            gaps.append(f"No item was answered by two people of {culture}.")
            continue
        table = _people(ratings, culture, limit)
        people.append(table)
        cultures.append(_culture(ratings, culture, table))
        if not table["p"].notna().any():
            gaps.append(
                f"Nobody of {culture} could be tested: a person needs {_FEWEST} items that others "
                "answered, too, and not all in the same way."
            )
    if not people:
        raise InputError("no item was answered by two people of one culture")
    frame = pd.concat(people, ignore_index=True)
    by_culture = pd.DataFrame(cultures)
    return Section(
        name="standing-out",
        title="Annotators that stand out",
        tables=(_people_table(frame, limit), _cultures_table(by_culture)),
        plots=(_plot(frame),),
        sentences=tuple(_sentences(frame, by_culture, limit)),
        figures={
            "annotators": len(frame),
            "tested": int(frame["p"].notna().sum()),
            "standing_out": int(frame["stands_out"].sum()),
            "participants": frame.loc[frame["stands_out"], "participant"].tolist(),
        },
        gaps=tuple(gaps),
    )


def _people(ratings: Ratings, culture: str, limit: float) -> pd.DataFrame:
    """The people of a culture, those that agree least first."""
    table = beside_others(ratings)
    table.insert(0, "culture", culture)
    tested = (table["items"] >= _FEWEST) & table["z"].notna()
    low = np.full(len(table), np.nan)
    low[tested] = scipy_stats().pearson3.cdf(table.loc[tested, "z"], table.loc[tested, "skewness"])
    table["p"] = low
    table["p_holm"] = holm(low)
    rest = against_rest(ratings).set_index("participant")
    table["kappa"] = rest["kappa"].reindex(table["participant"]).to_numpy()
    table["stands_out"] = table["p_holm"] < limit
    ordered = table.drop(columns="skewness").sort_values(["z", "participant"], na_position="last")
    return ordered.reset_index(drop=True)


def _culture(ratings: Ratings, culture: str, people: pd.DataFrame) -> dict[str, object]:
    """Agreement with everybody, and without those that stand out."""
    out = people.loc[people["stands_out"], "participant"]
    row: dict[str, object] = {
        "culture": culture,
        "annotators": len(people),
        "standing_out": len(out),
        "alpha": krippendorff_alpha(ratings),
        "fleiss": fleiss_kappa(ratings),
    }
    places = {name: place for place, name in enumerate(ratings.participants)}
    kept = ~np.isin(ratings.participant, [places[name] for name in out])
    rest = Ratings(
        ratings.items,
        ratings.participants,
        ratings.labels,
        *(values[kept] for values in (ratings.item, ratings.participant, ratings.label)),
    )
    return row | {"alpha_without": krippendorff_alpha(rest), "fleiss_without": fleiss_kappa(rest)}


def _people_table(frame: pd.DataFrame, limit: float) -> Table:
    method = (
        "Over the items that others of the same culture answered, too: agreement is the share of "
        "the others' answers that are the same, as a mean over items. Expected is that mean for "
        "somebody whose answer to an item is any of the item's answers with the same probability; "
        "z and p (one-sided: lower) are of that permutation within items, p by the Pearson type "
        "III distribution with its mean, variance and skewness (Mielke and Berry 2007); p_holm is "
        f"corrected for the people of the culture. Who is below {limit:g} stands out. Kappa is "
        "Cohen's, of the person and the majority of the others."
    )
    columns = {
        "culture": "the culture",
        "participant": "who",
        "items": "items answered that others answered, too",
        "agreement": "mean share of the others' answers that are the same, 0 to 1",
        "expected": "the same for somebody who answers as the others do",
        "z": "standard deviations above the expected (negative: below)",
        "p": f"one-sided p-value; of those with {_FEWEST} items",
        "p_holm": "the same, corrected for the number of people in the culture",
        "kappa": "Cohen's kappa with the majority of the others, -1 to 1",
        "stands_out": f"whether p_holm is below {limit:g}",
    }
    return Table("standing-out", "Annotators beside the others", frame, columns, method)


def _cultures_table(frame: pd.DataFrame) -> Table:
    method = (
        "Krippendorff's alpha (nominal) and Fleiss' kappa of all annotators of a culture, and "
        "without those that stand out, as charmemes (appendix E) reports."
    )
    columns = {
        "culture": "the culture",
        "annotators": "people who answered",
        "standing_out": "how many of them stand out",
        "alpha": "Krippendorff's alpha of all",
        "fleiss": "Fleiss' kappa of all",
        "alpha_without": "alpha without those that stand out",
        "fleiss_without": "kappa without them",
    }
    title = "Agreement without annotators that stand out"
    return Table("standing-out-cultures", title, frame.astype({"alpha": float}), columns, method)


def _plot(frame: pd.DataFrame) -> Intervals:
    """Agreement minus expectation, with what 95 % of others in that place would show."""
    shown = frame[frame["z"].notna()].sort_values(["z", "participant"], kind="stable")[:_SHOWN]
    away = shown["agreement"] - shown["expected"]
    spread = (away / shown["z"]).abs().where(shown["z"] != 0, 0.0)
    drawn = pd.DataFrame(
        {
            "label": shown["participant"] + " (" + shown["culture"] + ")",
            "value": away,
            "low": away - 1.96 * spread,
            "high": away + 1.96 * spread,
        }
    )
    return Intervals(
        "standing-out",
        f"The {len(drawn)} annotators that agree least with the others, for the items they had",
        drawn.reset_index(drop=True),
        "agreement with the others minus the expected",
        "the difference, with 1.96 standard deviations of the permutation within items on each "
        "side; 0 is somebody who answers as the others do",
    )


def _sentences(frame: pd.DataFrame, cultures: pd.DataFrame, limit: float) -> Iterator[str]:
    tested, out = int(frame["p"].notna().sum()), int(frame["stands_out"].sum())
    yield (
        f"Of {tested:,} annotators with at least {_FEWEST} items, {out:,} agree less with the "
        "others of their culture than a permutation of the answers within items explains "
        f"(one-sided, p < {limit:g} after Holm's correction in each culture)."
    )
    for row in cultures[cultures["standing_out"] > 0].itertuples():
        yield (
            f"Without {row.standing_out} of {row.annotators} annotators, Krippendorff's alpha of "
            f"{row.culture} is {row.alpha_without:.3f} instead of {row.alpha:.3f}."
        )
