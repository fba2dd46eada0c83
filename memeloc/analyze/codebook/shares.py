"""Shares of codes and themes. In: reasons and their codes. Out: rows, with the coders' agreement.

multi3hate 4.3 gives each theme's share (Figure 5). Where a reason has several codes, or coders
differ, neither the paper nor its table says how they count; here every reason counts once, divided
evenly among its coders, and what a coder gave it evenly among the codes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pandas as pd

from memeloc.agreement import krippendorff_alpha, pairwise_kappa
from memeloc.analyze.codebook.book import NO_THEME, Codebook
from memeloc.analyze.codebook.sheets import Coding, Reason
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy

NAME = "codebook"


def themes(
    reasons: Sequence[Reason], codings: Sequence[Coding], codebook: Codebook
) -> pd.DataFrame:
    """Return the share of each theme, and of each code in it, and how far coders agree on both.

    The group is a theme, the item empty or one of its codes: `reasons`, counted as above, and
    `share`. By two coders `agreement` and `kappa` on `codes` and `themes`; of all coders `alpha`.

    Args:
        codings: codes of any coders; those about other reasons do not count.

    Raises:
        InputError: no reason has a code.
    """
    known = {reason.key for reason in reasons}
    valid = [coding for coding in codings if coding.reason in known]
    if not valid:
        raise InputError("no reason has a code yet; give a coder a sheet of codes")
    total = len({coding.reason for coding in valid})
    coders = len({coding.coder for coding in valid})
    people = len({reason.person for reason in reasons})
    whole = {"reasons": total, "people": people, "coders": coders}
    method = "multi3hate 4.3"
    parts = [
        tidy(NAME, pd.DataFrame([whole]), "counted"),
        tidy(NAME, _shares(valid, codebook, total), method),
    ]
    if coders > 1:
        parts.append(_agreement(valid, codebook))
    else:
        reason = "There is one coder, so no agreement: give a second one a sheet of codes."
        parts.append(gap(NAME, reason))
    new = sorted({code for coding in valid for code in coding.codes} - set(codebook.theme_of))
    if new:
        named = f"{', '.join(new[:5])}{' …' if len(new) > 5 else ''}"
        are = counted(len(new), "code is", "codes are")
        parts.append(gap(NAME, f"{are} in no theme of the codebook {codebook.name}: {named}."))
    if left := len(known) - total:
        parts.append(gap(NAME, f"{counted(left, 'reason has', 'reasons have')} no code."))
    return joined(parts)


def _shares(codings: Sequence[Coding], codebook: Codebook, total: int) -> pd.DataFrame:
    """Return all themes of the codebook, the largest first, each before its codes."""
    by_reason = Counter(coding.reason for coding in codings)
    weights: defaultdict[str, float] = defaultdict(float)
    for coding in codings:
        for code in coding.codes:
            weights[code] += 1 / by_reason[coding.reason] / len(coding.codes)
    codes = pd.DataFrame(weights.items(), columns=["item", "reasons"])
    codes.insert(0, "group", [codebook.theme_of.get(code, NO_THEME) for code in codes["item"]])
    codes = codes.sort_values(["reasons", "item"], ascending=[False, True])
    sums = codes.groupby("group")["reasons"].sum()
    names = [theme.name for theme in codebook.theme]
    names += [name for name in sums.index if name not in names]
    by_theme = sums.reindex(names, fill_value=0.0).sort_values(ascending=False, kind="stable")
    frames = [
        pd.concat(
            [
                pd.DataFrame([{"group": theme, "item": "", "reasons": reasons}]),
                codes[codes["group"] == theme],
            ]
        )
        for theme, reasons in by_theme.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(share=frame["reasons"] / total, share_n=total)


def _agreement(codings: Sequence[Coding], codebook: Codebook) -> pd.DataFrame:
    """Return Cohen's kappa of each two coders, and Krippendorff's alpha of all on themes.

    Where a coder gave several codes, two agree when all are the same.
    """
    own = {code: code for coding in codings for code in coding.codes}
    themed = _labels(codings, codebook.theme_of)
    frames = [
        pairwise_kappa(labels).assign(item=kind)
        for kind, labels in (("codes", _labels(codings, own)), ("themes", themed))
    ]
    frame = pd.concat(frames, ignore_index=True).rename(columns={"items": "n"})
    frame.insert(0, "group", frame.pop("first") + BETWEEN + frame.pop("second"))
    alpha = pd.DataFrame([{"item": "themes", "alpha": krippendorff_alpha(themed)}])
    return joined([tidy(NAME, alpha, "Krippendorff 2011"), tidy(NAME, frame, "Cohen 1960")])


def _labels(codings: Sequence[Coding], names: Mapping[str, str]) -> pd.DataFrame:
    """Return a long table of reason, coder, and all that the coder gave it as one label."""
    rows = [
        (
            coding.reason,
            coding.coder,
            "; ".join(sorted({names.get(code, NO_THEME) for code in coding.codes})),
        )
        for coding in codings
    ]
    return pd.DataFrame(rows, columns=["item", "participant", "label"])
