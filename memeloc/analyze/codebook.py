"""Reasons why labels of cultures differ. In: differing items. Out: sheets, and shares of themes.

The qualitative analysis of multi3hate 4.3: people who know both cultures give reasons, and coders
give these codes of a codebook, or new ones; no coder sees another's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from memeloc.agreement import krippendorff_alpha, pairwise_kappa
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.settings import read_toml, shipped_file, validate
from memeloc.sheets import (
    FilledRow,
    Listed,
    SheetColumn,
    SheetForm,
    all_records,
    read_form,
    write_form,
)
from memeloc.tables.cells import folded

NAME = "codebook"
FOLDER = Path(__file__).parent / "codebooks"
NO_THEME = "(not in the codebook)"
PAIR = "|"
"""Between the two cultures of a pair."""
_SHOWN = {"picture": ("picture", 34), "text": ("text", 24), "label": ("text", 12)}
"""Columns of both cultures before the reason: kinds and widths."""
_ASKED_REASONS = (
    "People of {first} and {second} label these memes differently. Why? Say it in your own words, "
    "in one or more sentences; leave a cell empty where you cannot tell."
)
_ASKED_CODES = (
    "Give each reason the code that says what it is about; the second worksheet lists them. "
    "Several are separated by a semicolon. Where none fits, write a new code in a few words."
)


class Theme(BaseModel):
    """Codes that have something in common; `about` says what, for coders."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    about: str = ""
    codes: tuple[str, ...] = ()


class Codebook(BaseModel):
    """The codes that reasons are given, by themes in the order in which coders see them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    source: str = ""
    theme: tuple[Theme, ...] = ()

    @cached_property
    def codes(self) -> dict[str, str]:
        """Return the code by its folded form."""
        return {folded(code): code for code in self.theme_of}

    @cached_property
    def theme_of(self) -> dict[str, str]:
        """Return the theme of each code."""
        return {code: theme.name for theme in self.theme for code in theme.codes}

    def code(self, text: str) -> str:
        """Return the code that a coder wrote as the codebook writes it, a new one as written."""
        return self.codes.get(folded(text), " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why two cultures differ on an item; `row` is that of a file, or 0."""

    item: str
    pair: tuple[str, str]
    person: str
    text: str
    labels: tuple[str, str] = ("", "")
    row: int = 0

    @property
    def key(self) -> str:
        """Return what codes name it by: the item and the person."""
        return f"{self.item}|{self.person}"


@dataclass(frozen=True, slots=True)
class Coding:
    """The codes that a coder gave a reason; `reason` is its `key`."""

    reason: str
    coder: str
    codes: tuple[str, ...]
    row: int = 0


def load_codebook(name: str | Path = "multi3hate") -> Codebook:
    """Return a shipped codebook by its name, or that of a TOML file. Raise InputError if there is
    no such codebook, its file is wrong, or it has a code twice."""
    path = shipped_file(name, FOLDER, "codebook")
    book = validate(Codebook, read_toml(path), "a codebook", file=path)
    counts = Counter(folded(code) for theme in book.theme for code in theme.codes)
    if twice := [code for code, count in counts.items() if count > 1]:
        raise InputError(f"has the code {twice[0][:80]!r} twice; keep one", file=path)
    return book


def write_reasons(
    path: str | Path, items: pd.DataFrame, pair: tuple[str, str], person: str
) -> Path:
    """Write the sheet that asks a person for reasons of `differing_items`, and return where. Raise
    InputError if no item differs, or the file has another ending."""
    if items.empty:
        raise InputError(f"no item has different labels in {pair[0]} and {pair[1]}")
    shown = {f"{culture} {side}": form for culture in pair for side, form in _SHOWN.items()}
    other_columns = [str(name) for name in items.columns if name not in {"item", *shown}]
    forms = {"item": ("", 14), **shown, "reason": ("answer", 48)}
    forms |= {**dict.fromkeys(other_columns, ("", 16)), "pair": ("", 9), "person": ("", 10)}
    columns = [SheetColumn(name, *form) for name, form in forms.items()]
    cells = items.assign(pair=PAIR.join(pair), person=person).to_dict("records")
    rows = [{str(name): cell for name, cell in row.items()} for row in cells]
    asked = _ASKED_REASONS.format(first=pair[0], second=pair[1])
    return write_form(Path(path), SheetForm("Reasons", tuple(columns), asked=asked), rows)


def read_reasons(path: str | Path, *, person: str = "") -> list[Reason]:
    """Read the reasons of a sheet that came back, of `person` where the sheet does not say. Raise
    InputError if a column is missing, a row cannot be read, or it names no pair or no person."""

    def reason(row: FilledRow) -> Reason | None:
        if not row["reason"].strip():
            return None
        first, bar, second = row["pair"].partition(PAIR)
        if not (first and bar and second):
            message = f"{row['pair'][:40]!r} is not a pair of cultures, such as US|IN"
            raise InputError(message, column="pair")
        who, labels = _who(row, "person", person), (row[f"{first} label"], row[f"{second} label"])
        return Reason(row["item"], (first, second), who, row["reason"].strip(), labels, row.number)

    columns = [*map(SheetColumn, ("item", "pair", "person")), SheetColumn("reason", "answer")]
    needed = [("item", "pair", "reason")]
    pairs = {row["pair"] for row in read_form(Path(path), columns, needed=needed).rows}
    cultures = sorted({culture for pair in pairs for culture in pair.split(PAIR)})
    columns += [SheetColumn(f"{culture} label") for culture in cultures]
    return all_records(read_form(Path(path), columns, needed=needed), reason)


def write_coding(
    path: str | Path,
    reasons: Sequence[Reason],
    codebook: Codebook,
    coder: str,
    *,
    texts: Mapping[str, str] | None = None,
) -> Path:
    """Write the sheet that asks a coder for codes; `texts` are captions by item; return where.
    Raise InputError if there are no reasons, or the file has another ending."""
    if not reasons:
        raise InputError("there are no reasons yet; import them first")
    widths = {"coder": 10, "item": 16, "person": 10, "labels": 24}
    columns = [
        *(SheetColumn(name, width=width) for name, width in widths.items()),
        SheetColumn("text", "text", width=36),
        SheetColumn("reason", "text", width=60),
        SheetColumn("codes", "answer", width=44, choices=tuple(codebook.theme_of)),
    ]
    rows = []
    for reason in sorted(reasons, key=lambda reason: (reason.item, reason.person)):
        labels = zip(reason.pair, reason.labels, strict=True)
        row = {"coder": coder, "item": reason.item, "person": reason.person, "reason": reason.text}
        row["labels"] = ", ".join(f"{culture}: {label}" for culture, label in labels if label)
        rows.append({**row, "text": (texts or {}).get(reason.item, "")})
    listed = [
        (theme.name, code, theme.about if place == 0 else "")
        for theme in codebook.theme
        for place, code in enumerate(theme.codes)
    ]
    second = Listed("Codebook", ("theme", "code", "about"), listed)
    form = SheetForm("Codes", tuple(columns), asked=_ASKED_CODES, listed=second)
    return write_form(Path(path), form, rows)


def read_coding(path: str | Path, codebook: Codebook, *, coder: str = "") -> list[Coding]:
    """Read the codes of a sheet that came back, of `coder` where the sheet does not say. Raise
    InputError if a column is missing, a row cannot be read, or it names no coder."""

    def coding(row: FilledRow) -> Coding | None:
        written = [part for part in row["codes"].replace("\n", ";").split(";") if part.strip()]
        codes = tuple(dict.fromkeys(map(codebook.code, written)))
        if not codes:
            return None
        key = f"{row['item']}|{row['person']}"
        return Coding(key, _who(row, "coder", coder), codes, row.number)

    columns = [*map(SheetColumn, ("coder", "item", "person")), SheetColumn("codes", "answer")]
    return all_records(read_form(Path(path), columns, needed=[("item", "person", "codes")]), coding)


def _who(row: FilledRow, column: str, person: str) -> str:
    """Return who filled in a row."""
    if who := row[column] or person:
        return who
    message = f"it does not say who filled it in; fill in the column, or name the {column}"
    raise InputError(message, column=column)


def themes(
    reasons: Sequence[Reason], codings: Sequence[Coding], codebook: Codebook
) -> pd.DataFrame:
    """Return the share of each theme, and of each code in it, and how far coders agree on both.

    The group is a theme, the largest first, the item empty or one of its codes: `reasons` and
    `share`. By two coders `agreement` and `kappa` on `codes` and `themes`, where all of a reason
    are the same; of all coders `alpha` on themes. Codes about other reasons do not count.

    Where a reason has several codes, or coders differ, neither the paper nor its table (Figure 5)
    says how they count; here every reason counts once, divided evenly among its coders, and what a
    coder gave it evenly among the codes. Raise InputError if no reason has a code.
    """
    reason_keys = {reason.key for reason in reasons}
    coded = pd.DataFrame(
        [(each.reason, each.coder, code) for each in codings for code in each.codes],
        columns=["item", "participant", "label"],
    )
    coded = coded[coded["item"].isin(reason_keys)]
    if coded.empty:
        raise InputError("no reason has a code yet; give a coder a sheet of codes")
    coded["theme"] = coded["label"].map(codebook.theme_of).fillna(NO_THEME)
    coders = coded.groupby("item")["participant"].transform("nunique")
    codes = coded.groupby(["item", "participant"])["label"].transform("size")
    sums = (1 / coders / codes).groupby([coded["theme"], coded["label"]]).sum()
    table = sums.rename_axis(["group", "item"]).reset_index(name="reasons")
    table = table.sort_values(["reasons", "item"], ascending=[False, True])
    names = dict.fromkeys([*(theme.name for theme in codebook.theme), *table["group"]])
    by_theme = sums.groupby(level=0).sum().reindex(list(names), fill_value=0.0)
    by_theme = by_theme.sort_values(ascending=False, kind="stable").rename_axis("group")
    places = {name: place for place, name in enumerate(by_theme.index)}
    table = pd.concat([by_theme.reset_index(name="reasons").assign(item=""), table])
    table = table.sort_values("group", key=lambda column: column.map(places), kind="stable")
    total, people = coded["item"].nunique(), len({reason.person for reason in reasons})
    count = coded["participant"].nunique()
    whole = pd.DataFrame([{"reasons": total, "people": people, "coders": count}])
    table = table.assign(share=table["reasons"] / total, share_n=total)
    parts = [tidy(NAME, whole, "counted"), tidy(NAME, table, "multi3hate 4.3")]
    if count > 1:
        by_coder = coded.groupby(["item", "participant"], sort=False)
        columns = {
            name: by_coder[name].agg(lambda values: "; ".join(sorted(set(values))))
            for name in ("label", "theme")
        }
        sets = pd.DataFrame(columns).reset_index()
        themed = sets[["item", "participant"]].assign(label=sets.pop("theme"))
        kappas = [pairwise_kappa(each) for each in (sets, themed)]
        pairs = pd.concat(kappas, keys=["codes", "themes"], names=["item"]).reset_index(level=0)
        pairs = pairs.rename(columns={"items": "n"})
        pairs.insert(0, "group", pairs.pop("first") + BETWEEN + pairs.pop("second"))
        alpha = pd.DataFrame([{"item": "themes", "alpha": krippendorff_alpha(themed)}])
        parts += [tidy(NAME, alpha, "Krippendorff 2011"), tidy(NAME, pairs, "Cohen 1960")]
    else:
        reason = "There is one coder, so no agreement: give a second one a sheet of codes."
        parts.append(gap(NAME, reason))
    if new := sorted(set(coded["label"]) - set(codebook.theme_of)):
        named = f"{', '.join(new[:5])}{' …' if len(new) > 5 else ''}"
        are = counted(len(new), "code is", "codes are")
        parts.append(gap(NAME, f"{are} in no theme of the codebook {codebook.name}: {named}."))
    if left := len(reason_keys) - total:
        parts.append(gap(NAME, f"{counted(left, 'reason has', 'reasons have')} no code."))
    return joined(parts)
