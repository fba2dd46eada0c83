"""Annotators that stand out (charmemes 4.2 and E). In: `Answers`. Out: rows, one a person.

charmemes looked at kappa against the rest and excluded the person who lay far below. Kappa alone
depends on which items a person got, and on how many; so each person is compared with what anybody
in their place would reach (`memeloc.agreement.beside_others`). Nobody is excluded here.
"""

from __future__ import annotations

import pandas as pd

from memeloc.agreement import Ratings, against_rest, beside_others, fleiss_kappa, krippendorff_alpha
from memeloc.analyze.answers import Answers, Settings
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.significance import holm, scipy_stats

NAME = "standing-out"
_FEWEST = 10
"""Items that others answered, too, which a person needs to be tested."""
_METHOD = "permutation of the answers within items, Pearson type III, one-sided"


def standing_out(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return who agrees less with the others of their culture than anybody in their place would.

    By culture and person, those that agree least first: `agreement` with the others' answers,
    `expected` of somebody who answers as the others do, `difference` of both with 1.96 standard
    deviations of the permutation on each side, `z`, `p`, `p_holm`, `kappa` with the majority of the
    others, and whether the person `stands_out`; n are the items. By culture alpha and kappa of all,
    and without those that stand out. Raise InputError if no item was answered by two people of one
    culture; MissingError if scipy is not installed.
    """
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    people, cultures, gaps = [], [], []
    for culture in answers.cultures:
        of_culture = voting[voting["culture"] == culture]
        ratings = Ratings.of(of_culture)
        if not (ratings.counts.sum(axis=1) > 1).any():
            gaps.append(gap(NAME, f"No item was answered by two people of {culture}.", culture))
            continue
        table = beside_others(ratings).rename(columns={"participant": "item", "items": "n"})
        tested = (table["n"] >= _FEWEST) & table["z"].notna()
        p = scipy_stats().pearson3.cdf(table["z"], table.pop("skewness"))
        table["p"] = pd.Series(p, table.index).where(tested)
        table["p_holm"] = holm(table["p"])
        table["stands_out"] = table["p_holm"] < 1 - settings.confidence
        kappas = against_rest(ratings).set_index("participant")["kappa"]
        people.append(table.assign(group=culture, kappa=table["item"].map(kappas)))
        out = table.loc[table["stands_out"], "item"]
        row: dict[str, object] = {
            "group": culture,
            "annotators": len(table),
            "standing_out": len(out),
        }
        rest = Ratings.of(of_culture[~of_culture["participant"].isin(out)])
        for end, each in (("", ratings), ("_without", rest)):
            row |= {f"alpha{end}": krippendorff_alpha(each), f"fleiss{end}": fleiss_kappa(each)}
        cultures.append(row)
        if not tested.any():
            reason = (
                f"Nobody of {culture} could be tested: a person needs {_FEWEST} items that others "
                "answered, too, and not all in the same way."
            )
            gaps.append(gap(NAME, reason, culture))
    if not people:
        raise InputError("no item was answered by two people of one culture")
    frame = pd.concat(people).sort_values(["group", "z", "item"], na_position="last")
    away = frame["agreement"] - frame["expected"]
    reach = 1.96 * (away / frame["z"]).abs().where(frame["z"] != 0, 0.0)
    frame = frame.assign(difference=away, difference_low=away - reach, difference_high=away + reach)
    whole = pd.DataFrame({"annotators": [len(frame)], "tested": frame["p"].notna().sum()})
    whole["standing_out"] = frame["stands_out"].sum()
    parts = [whole, pd.DataFrame(cultures), frame]
    return joined([*(tidy(NAME, part, _METHOD) for part in parts), *gaps])
