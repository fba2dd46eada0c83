"""Writes the table of guides/statistics.md. In: the comparisons of the tests. Out: Markdown.

Run by `make docs` after a comparison was added; `tests/analyze/test_comparisons.py` fails while the
guide does not list it. Differences are shown as the next power of ten above the largest one, and
those of rounding as one, so that another machine changes nothing.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "guides" / "statistics.md"
BEGIN, END = "<!-- comparisons -->\n", "<!-- end of comparisons -->\n"
_ROUNDING = -12
"""The power of ten below which a difference is rounding."""
_HEAD = "| statistic | source | compared with | largest difference |\n| --- | --- | --- | ---: |\n"


def listed() -> list[tuple[str, str, str]]:
    """Statistic, source and peer of each row that stands in the guide."""
    rows = TARGET.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    cells = [line.strip("|").split("|") for line in rows.splitlines()[2:]]
    return [(row[0].strip(), row[1].strip(), row[2].strip()) for row in cells]


def table() -> str:
    """All comparisons, computed now, as a table."""
    sys.path.insert(0, str(ROOT))
    from tests.analyze.comparisons import COMPARISONS

    rows = (
        f"| {each.statistic} | {each.source} | {each.peer} | {shown(each.difference())} |\n"
        for each in COMPARISONS
    )
    return _HEAD + "".join(rows)


def shown(difference: float) -> str:
    """A difference as the power of ten that it is not above.

    >>> shown(0.0), shown(3.2e-16), shown(0.0004)
    ('< 1e-12', '< 1e-12', '< 1e-3')
    """
    power = math.floor(math.log10(difference)) + 1 if difference else _ROUNDING
    return f"< 1e{max(power, _ROUNDING)}"


def main() -> None:
    """Write the table between its marks."""
    before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    TARGET.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
