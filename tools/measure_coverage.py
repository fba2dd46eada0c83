"""Say what tests execute of each package. In: nothing. Out: a table of percents, printed.

Runs the end-to-end studies alone, then with the tests of commands, the workspace and the studio.
What needs torch or Ray is run by `make test-all` alone, and counts as not executed here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "build" / "coverage"
STUDIES = ("tests/end_to_end",)
COMMANDS = ("tests/cli", "tests/workspace", "tests/studio", "tests/test_readme.py")
WORKERS = "3"

Lines = dict[str, set[int]]
"""By file the numbers of its lines that are executed, or that could be."""


def measure(name: str, tests: tuple[str, ...]) -> tuple[Lines, Lines]:
    """Run tests; return the lines that they execute, and all that there are."""
    report = REPORTS / f"{name}.json"
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        WORKERS,
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
    ]
    cover = ["--cov=memeloc", "--cov-report=", f"--cov-report=json:{report}"]
    subprocess.run([*pytest, *cover, *tests], cwd=ROOT, check=True)
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    executed = {path: set(file["executed_lines"]) for path, file in files.items()}
    missing = {path: set(file["missing_lines"]) for path, file in files.items()}
    return executed, {path: executed[path] | missing[path] for path in files}


def count_by_package(lines: Lines) -> Counter[str]:
    """Count lines by package, and all of them."""
    counts: Counter[str] = Counter()
    for path, numbers in lines.items():
        _, *folders, _ = Path(path).parts
        for package in (folders[0] if folders else "(top level)", "all"):
            counts[package] += len(numbers)
    return counts


def main() -> None:
    """Measure the studies, then the others, and print what both execute."""
    studies, there = measure("studies", STUDIES)
    commands, _ = measure("commands", COMMANDS)
    both = {path: studies[path] | commands[path] for path in there}
    statements, alone, joined = map(count_by_package, (there, studies, both))
    print(f"{'package':18}{'statements':>12}{'studies':>10}{'with commands':>15}")
    for package, count in statements.most_common():
        shares = (100 * counts[package] / max(count, 1) for counts in (alone, joined))
        print(f"{package:18}{count:12,}" + "{:9.1f}%{:14.1f}%".format(*shares))


if __name__ == "__main__":
    main()
