"""Writes the tables of guides/scale.md. In: bench/scale.json. Out: what sets of millions take.

Run by `make docs` after `python -m bench --only scale`; tests/test_docs.py fails while the page
differs. Prices are examples, see `PRICES`; your own: `python tools/make_scale_page.py --help`.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "scale.json"
TARGET = ROOT / "guides" / "scale.md"

SETS = (1_000_000, 10_000_000, 100_000_000)
"""Pictures."""
CORES = (16, 64, 256)
_BEGIN, _END = "<!-- written by tools/make_scale_page.py -->", "<!-- end -->"


class Prices(NamedTuple):
    """What is paid, in any currency.

    Attributes:
        core: an hour of one core.
        gigabyte: a month of a gigabyte in object storage.
    """

    core: float = 0.04
    gigabyte: float = 0.023


_EXAMPLES = Prices()


def tables(prices: Prices) -> str:
    """The measured figures, and the plan that is computed from them."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    figures = {f"{figure['group']}: {figure['name']}": figure for figure in results["figures"]}
    machine = results["machine"]
    head = (
        f"Measured {results['date'][:10]} on {machine['cores']} cores ({machine['processor']}). "
        f"{' '.join(results['notes'])} "
        f"Prices: {prices.core} for an hour of a core, {prices.gigabyte} for a gigabyte and month."
    )
    columns = [f"{pictures // 1_000_000:,} million" for pictures in SETS]
    plan = [["pictures", *columns], ["---", *["---:"] * len(columns)], *_plan(figures, prices)]
    measured = [["measured", "value"], ["---", "---:"]]
    for figure in results["figures"]:
        note = f" ({figure['note']})" if figure["note"] else ""
        value = f"{figure['value']:,.3g}" if figure["value"] < 100 else f"{figure['value']:,.0f}"
        measured.append([f"{figure['group']}: {figure['name']}{note}", f"{value} {figure['unit']}"])
    return "\n".join([head, "", *map(_line, plan), "", *map(_line, measured)])


def _plan(figures: dict[str, Any], prices: Prices) -> list[list[str]]:
    core = {name: figures[f"One core, for a plan: {name}"]["value"] for name in _ONE_CORE}
    joins = {
        int(figure["name"].split()[0].replace(",", "")): figure["value"]
        for figure in figures.values()
        if figure["group"].startswith("Near hashes") and figure["name"].endswith(" hashes")
    }
    driver = max(
        figure["value"] for name, figure in figures.items() if "CPU for 1,000 pictures" in name
    )
    rows: dict[str, list[str]] = {}

    def row(name: str, value: str) -> None:
        rows.setdefault(name, [name]).append(value)

    for pictures in SETS:
        painting = _hours(core["rendering --to webdataset, CPU"], pictures)
        planning = _hours(driver / 1e3, pictures)
        reading = _hours(core["reading by Tesseract, CPU"], pictures)
        hashing = _hours(core["hashing, CPU"], pictures)
        joining = _join_seconds(joins, pictures) / 3600
        row("rendering, hours of one core", f"{painting:,.0f}")
        for cores in CORES:
            at_least = max(planning, painting / cores)
            row(f"rendering on {cores} cores, hours", f"{at_least:,.1f}")
        row("of that what only one process does, hours", f"{planning:,.2f}")
        row("hashing, hours of one core", f"{hashing:,.1f}")
        row("comparing all hashes at 5 bits, hours of one core", f"{joining:,.2f}")
        row("reading by Tesseract, hours of one core", f"{reading:,.0f}")
        shards = core["--to webdataset, all files"] * pictures / 1e9
        row("shards with manifest, GB", f"{shards:,.0f}")
        row("manifest alone, GB", f"{core['a row of the manifest'] * pictures / 1e9:,.1f}")
        files = core["--to files, all files"] * pictures / 1e9
        row("single files with page and manifest, GB", f"{files:,.0f}")
        hours = painting + planning + hashing + joining
        row("cost of rendering and deduplication", f"{hours * prices.core:,.2f}")
        row("cost of reading", f"{reading * prices.core:,.2f}")
        row("cost of keeping the shards, a month", f"{shards * prices.gigabyte:,.2f}")
    feeds = core["rendering --to webdataset, CPU"] / (driver / 1e3)
    rows["feeds"] = ["cores that one driver keeps busy", *[f"{feeds:,.0f}"] * len(SETS)]
    return list(rows.values())


_ONE_CORE = (
    "rendering --to webdataset, CPU",
    "--to webdataset, all files",
    "--to files, all files",
    "a row of the manifest",
    "reading by Tesseract, CPU",
    "hashing, CPU",
)


def _hours(milliseconds: float, pictures: int) -> float:
    return milliseconds / 1e3 * pictures / 3600


def _join_seconds(measured: dict[int, float], hashes: int) -> float:
    """Of the comparison of hashes: as the two sizes that were measured grow, n to some power."""
    few, many = min(measured), max(measured)
    power = math.log(measured[many] / measured[few]) / math.log(many / few)
    return float(measured[many] * (hashes / many) ** power)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def page(prices: Prices = _EXAMPLES) -> str:
    """The whole of guides/scale.md."""
    text = TARGET.read_text(encoding="utf-8")
    before, rest = text.split(_BEGIN)
    return f"{before}{_BEGIN}\n\n{tables(prices)}\n\n{_END}{rest.split(_END)[1]}"


def main() -> None:
    """Write the page, or print the tables for other prices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", type=float, help="price of an hour of a core; prints only")
    parser.add_argument("--gigabyte", type=float, help="price of a GB and month; prints only")
    chosen = parser.parse_args()
    given = {name: value for name, value in vars(chosen).items() if value is not None}
    if given:
        print(tables(Prices(**given)))
    else:
        TARGET.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
