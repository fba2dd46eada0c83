"""Golden files and tests belong together: none is left over, none is missing."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_each_test_has_its_golden_file_and_no_other_is_there() -> None:
    expected = {
        f"{path.stem.removeprefix('test_')}/{name}.txt"
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def test_(\w+)\([^)]*: Study\b", path.read_text("utf-8"), re.M)
    }
    golden = {path.relative_to(HERE / "golden").as_posix() for path in HERE.rglob("golden/*/*")}
    assert golden == expected
