"""Shares of codes and themes. In: reasons and their codes. Out: a `Section`, with the agreement.

multi3hate 4.3 gives each theme's share (Figure 5). Where a reason has several codes, or coders
differ, neither the paper nor its table says how they count; here every reason counts once, divided
evenly among its coders, and what a coder gave it evenly among the codes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memeloc.agreement import krippendorff_alpha, pairwise_kappa
from memeloc.analyze.codebook.book import NO_THEME, Codebook
from memeloc.analyze.codebook.coding import Coding
from memeloc.analyze.codebook.reasons import Reason
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Section, Table

if TYPE_CHECKING:
    import pandas as pd


def themes(reasons: Sequence[Reason], codings: Sequence[Coding], codebook: Codebook) -> Section:
    """The share of each code and theme, and how far the coders agree on both.

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
    method = (
        f"Of {total:,} of {len(reasons):,} reasons by "
        f"{len({reason.person for reason in reasons}):,} people, coded by {coders:,}; a reason "
        "counts once, divided evenly over its coders and the codes that each gave (multi3hate 4.3)."
    )
    codes = _codes(valid, codebook)
    by_theme = _themes(codes, codebook)
    tables = [
        Table("codebook-themes", "Themes", by_theme, _THEME_COLUMNS, method),
        Table("codebook-codes", "Codes", codes, _CODE_COLUMNS, method),
    ]
    gaps = []
    figures: dict[str, float | None] = {
        str(row["theme"]): float(row["share"]) for _, row in by_theme.iterrows()
    }
    sentences = [_sentence(by_theme, total)]
    if coders > 1:
        agreement = _agreement(valid, codebook)
        tables.append(
            Table("codebook-agreement", "Agreement of coders", agreement, _AGREEMENT, _HOW_AGREED)
        )
        alpha = krippendorff_alpha(_labels(valid, codebook.theme_of))
        figures["alpha of themes"] = alpha
        if alpha is not None:
            sentences.append(f"Coders agree on themes with Krippendorff's alpha {alpha:.3f}.")
    else:
        gaps.append("There is one coder, so no agreement: give a second one a sheet of codes.")
    new = sorted({code for coding in valid for code in coding.codes} - set(codebook.theme_of))
    if new:
        gaps.append(
            f"{counted(len(new), 'code is', 'codes are')} in no theme of the codebook "
            f"{codebook.name}: {', '.join(new[:5])}{' …' if len(new) > 5 else ''}."
        )
    if left := len(known) - total:
        gaps.append(f"{counted(left, 'reason has', 'reasons have')} no code.")
    bars = Bars(
        "codebook-themes",
        "Why labels differ",
        by_theme.set_index("theme")[["share"]],
        "share of reasons",
        method,
    )
    return Section(
        "codebook",
        "Why labels differ",
        tuple(tables),
        (bars,),
        tuple(sentences),
        figures,
        tuple(gaps),
    )


_THEME_COLUMNS = {"theme": "of the codebook", "reasons": "weighted count", "share": "0 to 1"}
_CODE_COLUMNS = {
    "theme": "of the codebook",
    "code": "of the codebook, or new",
    "reasons": "weighted count",
    "share": "of the reasons with a code, 0 to 1",
}
_AGREEMENT = {
    "of": "whether codes or themes are compared",
    "first": "coder",
    "second": "coder",
    "items": "reasons that both coded",
    "agreement": "share with the same codes or themes, 0 to 1",
    "kappa": "Cohen's kappa, -1 to 1",
}
_HOW_AGREED = (
    "Over the reasons that both coders gave codes; where one gave several, they agree when all are "
    "the same. Cohen's kappa (1960)."
)


def _codes(codings: Sequence[Coding], codebook: Codebook) -> pd.DataFrame:
    import pandas as pd

    by_reason = Counter(coding.reason for coding in codings)
    weights: defaultdict[str, float] = defaultdict(float)
    for coding in codings:
        for code in coding.codes:
            weights[code] += 1 / by_reason[coding.reason] / len(coding.codes)
    order = {theme.name: place for place, theme in enumerate(codebook.theme)}
    rows = [
        (codebook.theme_of.get(code, NO_THEME), code, weight, weight / len(by_reason))
        for code, weight in weights.items()
    ]
    rows.sort(key=lambda row: (order.get(row[0], len(order)), -row[2], row[1]))
    return pd.DataFrame(rows, columns=list(_CODE_COLUMNS))


def _themes(codes: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """All themes of the codebook, those without a reason, too; the largest first."""
    sums = codes.groupby("theme")[["reasons", "share"]].sum()
    names = [theme.name for theme in codebook.theme]
    names += [name for name in sums.index if name not in names]
    whole = sums.reindex(names, fill_value=0.0).rename_axis("theme").reset_index()
    return whole.sort_values("share", ascending=False, kind="stable", ignore_index=True)


def _agreement(codings: Sequence[Coding], codebook: Codebook) -> pd.DataFrame:
    import pandas as pd

    own = {code: code for coding in codings for code in coding.codes}
    frames = [
        pairwise_kappa(_labels(codings, names)).assign(of=kind)
        for kind, names in (("codes", own), ("themes", codebook.theme_of))
    ]
    return pd.concat(frames, ignore_index=True)[list(_AGREEMENT)]


def _labels(codings: Iterable[Coding], names: dict[str, str]) -> pd.DataFrame:
    """A long table of reason, coder, and all that the coder gave it as one label."""
    import pandas as pd

    rows = [
        (
            coding.reason,
            coding.coder,
            "; ".join(sorted({names.get(code, NO_THEME) for code in coding.codes})),
        )
        for coding in codings
    ]
    return pd.DataFrame(rows, columns=["item", "participant", "label"])


def _sentence(by_theme: pd.DataFrame, total: int) -> str:
    shown = [
        f"{row['theme']} {row['share']:.1%}" for _, row in by_theme.iterrows() if row["share"] > 0
    ]
    return f"Of {total:,} reasons why labels differ, the themes are: {', '.join(shown)}."
