"""Say what tests execute of each package. In: nothing. Out: a table of percents, printed.

Runs the end-to-end studies alone, then with the tests of commands, the workspace and the studio.
What needs torch or Ray is run by `make test-all` alone, and counts as not executed here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "build" / "coverage"
STUDIES = ("tests/end_to_end",)
OUTSIDE = (*STUDIES, "tests/cli", "tests/workspace", "tests/studio", "tests/test_readme.py")
WORKERS = "3"


def measure(name: str, tests: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Run tests; return by package, and for `all`, how many statements they execute of how many."""
    report = REPORTS / f"{name}.json"
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", WORKERS, "--dist", "loadfile"]
    cover = ["--cov=memeloc", "--cov-report=", f"--cov-report=json:{report}"]
    subprocess.run([*pytest, *cover, *tests], cwd=ROOT, check=True)
    executed: dict[str, int] = defaultdict(int)
    statements: dict[str, int] = defaultdict(int)
    for path, file in json.loads(report.read_text(encoding="utf-8"))["files"].items():
        _, *folders, _ = Path(path).parts
        for package in (folders[0] if folders else "(top level)", "all"):
            executed[package] += file["summary"]["covered_lines"]
            statements[package] += file["summary"]["num_statements"]
    return {package: (executed[package], statements[package]) for package in statements}


def main() -> None:
    """Measure both, and print them beside each other."""
    alone, outside = measure("studies", STUDIES), measure("outside", OUTSIDE)
    print(f"{'package':18}{'statements':>12}{'studies':>10}{'with commands':>15}")
    for package, (_, statements) in sorted(outside.items(), key=lambda row: -row[1][1]):
        shares = (100 * counted[package][0] / max(statements, 1) for counted in (alone, outside))
        print(f"{package:18}{statements:12,}" + "{:9.1f}%{:14.1f}%".format(*shares))


if __name__ == "__main__":
    main()
