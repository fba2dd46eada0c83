"""`python -m bench`: measure everything, print a table, write bench/results.json.

Each part runs in a process of its own: what one keeps or sets does not reach the next, nor the peak
memory of what that one starts, which the system counts from that of the process that starts it.

It takes some twenty minutes. Only an otherwise idle machine gives true wall times.
`python -m bench.coverage` measures intervals and tests of the analysis, in some two hours.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from bench.figures import RESULTS, Figure, print_table, read_results, write_results
from bench.scenes import ROOT

PARTS: dict[str, tuple[str, ...]] = {
    "hashes": ("pictures",),
    "duplicates": (),
    "texts": (),
    "languages": (),
    "localising": ("pictures",),
    "quality": (),
    "command": ("full",),
}
"""Modules of the bench, in the order of the table, and the options that their `measure` takes."""


def main() -> int:
    """Measure; 1 when a bound is broken or a part failed, else 0."""
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="memory at 30,000 pictures, not 6,000",
    )
    parser.add_argument(
        "--pictures",
        type=int,
        help="finished memes that are localised, or hashes that are compared",
    )
    parser.add_argument("--only", choices=PARTS, help="one part; writes no results")
    parser.add_argument("--results", type=Path, help="the file that the results are written to")
    chosen = parser.parse_args()
    begin = time.monotonic()
    if chosen.only:
        figures, notes = _part(chosen.only, chosen)
    else:
        chosen.results = chosen.results or RESULTS
        figures, notes = _all(sys.argv[1:])
    print_table(figures, notes)
    if chosen.results:
        write_results(figures, notes, chosen.results)
        print(f"{time.monotonic() - begin:.0f} s; written to {chosen.results}")
    broken = [figure for figure in figures if figure.holds is False]
    if broken:
        print(f"{len(broken)} of {len(figures)} figures break their bound")
    return int(bool(broken))


def _part(part: str, chosen: argparse.Namespace) -> tuple[list[Figure], list[str]]:
    """What one part measured in this process, and what it could not measure."""
    begin = time.monotonic()

    def say(what: str) -> None:
        print(f"{time.monotonic() - begin:5.0f} s  {what}", file=sys.stderr, flush=True)

    given = {name: getattr(chosen, name) for name in PARTS[part]}
    options = {name: value for name, value in given.items() if value is not None}
    measured = import_module(f"bench.{part}").measure(say=say, **options)
    return measured if isinstance(measured, tuple) else (measured, [])


def _all(options: list[str]) -> tuple[list[Figure], list[str]]:
    """What all parts measured, each in a process of its own that gets these options."""
    figures: list[Figure] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        for part in PARTS:
            print(part, file=sys.stderr, flush=True)
            results = Path(folder) / f"{part}.json"
            own = ("--only", part, "--results", str(results))
            command = [sys.executable, "-m", "bench", *options, *own]
            subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
            if not results.exists():
                raise SystemExit(f"{part} ended with an error")
            measured, lacking = read_results(results)
            figures += measured
            notes += lacking
    return figures, notes


if __name__ == "__main__":
    sys.exit(main())
