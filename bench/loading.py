"""What is read before the first picture. In: locales, templates, a captions table. Out: figures.

Each is a ratio to the least that must be done for it: parsing the same TOML, or the same CSV. Both
are measured in turns; times are CPU times.
"""

from __future__ import annotations

import csv
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from bench.command import make_table
from bench.figures import Figure, of_rounds

_GROUP = "Before the first picture"
_TURNS = 7
_CAPTIONS = 100_000


def measure(say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """All of them.

    Args:
        say: gets what is being measured.
    """
    from memeloc import locales as locales_package
    from memeloc import resources
    from memeloc.locales import Registry
    from memeloc.templates import load_templates

    say("loading locales and templates")
    locales = sorted(Path(locales_package.__path__[0], "data").glob("*.toml"))
    templates = sorted(resources.folder("templates").glob("*/template.toml"))
    return [
        _over(
            f"all {len(locales)} locales, over parsing their TOML",
            lambda: list(Registry.load()),
            lambda: _parse(locales),
        ),
        _over(
            f"all {len(templates)} templates, over parsing their TOML",
            load_templates,
            lambda: _parse(templates),
        ),
        _captions(say),
    ]


def _captions(say: Callable[[str], None]) -> Figure:
    from memeloc.captions import read_captions
    from memeloc.templates import load_templates

    say(f"reading {_CAPTIONS:,} captions")
    by_name, _ = load_templates()
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        table = Path(folder) / "captions.csv"
        make_table(table, _CAPTIONS)

        def read() -> None:
            captions = read_captions(table, by_name, None)
            captions_read = sum(len(row.captions) for row in captions.rows(lambda problem: None))
            if captions_read != _CAPTIONS:
                raise RuntimeError(f"{captions_read} captions were read instead of {_CAPTIONS}")

        def parse() -> None:
            with table.open(encoding="utf-8", newline="") as stream:
                for _ in csv.reader(stream):
                    pass

        return _over(f"{_CAPTIONS:,} captions of a CSV, checked, over parsing it", read, parse)


def _parse(paths: Sequence[Path]) -> None:
    for path in paths:
        with path.open("rb") as stream:
            tomllib.load(stream)


def _over(name: str, work: Callable[[], object], floor: Callable[[], object]) -> Figure:
    """How many times as long the work takes as its floor."""
    work()
    floor()
    pairs = [(_cpu(work), _cpu(floor)) for _ in range(_TURNS)]
    note = " over ".join(f"{1e3 * median(times):.0f} ms" for times in zip(*pairs, strict=True))
    return of_rounds(_GROUP, name, [took / least for took, least in pairs], "x", note=note)


def _cpu(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return process_time() - begin
