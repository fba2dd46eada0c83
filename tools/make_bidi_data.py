"""Make memeloc/render/typesetting/bidi_data.py from the Unicode Character Database.

In: DerivedBidiClass.txt, BidiBrackets.txt and UnicodeData.txt as the Debian package unicode-data
installs them. Out: one Python module of constants: the Bidi_Class of every code point as ranges,
the paired brackets, and the characters that make a text more than plainly left-to-right.

Run it from the root of the repository: ``python tools/make_bidi_data.py``.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

UNICODE = Path("/usr/share/unicode")
TARGET = Path(__file__).parent.parent / "memeloc/render/typesetting/bidi_data.py"

# One letter a class, so that the rules of UAX #9 can be regular expressions over a byte string.
LETTERS = {
    "L": "L", "R": "R", "AL": "A", "EN": "E", "AN": "N", "ES": "+", "ET": "%", "CS": ",",
    "NSM": "M", "BN": "Z", "B": "B", "S": "S", "WS": "W", "ON": "O",
    "LRE": "a", "RLE": "b", "LRO": "c", "RLO": "d", "PDF": "p",
    "LRI": "x", "RLI": "y", "FSI": "z", "PDI": "i",
}  # fmt: skip
LONG_NAMES = {
    "Left_To_Right": "L",
    "Right_To_Left": "R",
    "Arabic_Letter": "AL",
    "European_Terminator": "ET",
}
DIRECTED = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def fields(path: Path) -> Iterator[list[str]]:
    """Give the fields of each data line of a file of the Unicode Character Database."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            data = line.partition("#")[0].strip()
            if data:
                yield [field.strip() for field in data.split(";")]


def code_points(field: str) -> range:
    """Give the code points that ``0041`` or ``0041..005A`` names."""
    first, _, last = field.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def bidi_classes(path: Path) -> list[str]:
    """Give the short name of the Bidi_Class of each of the 1,114,112 code points.

    The ``@missing`` comments give unassigned code points their class; data lines come after them.
    """
    classes = ["L"] * 0x110000
    for match in re.finditer(r"^# @missing: (\S+); (\w+)", path.read_text("utf-8"), re.MULTILINE):
        for code in code_points(match[1]):
            classes[code] = LONG_NAMES[match[2]]
    for span, name in fields(path):
        for code in code_points(span):
            classes[code] = name
    return classes


def class_ranges(classes: list[str]) -> tuple[list[int], str]:
    """Give where each range of one class starts, and the letter of each range's class."""
    starts: list[int] = []
    letters = ""
    for name, group in groupby(range(len(classes)), key=classes.__getitem__):
        starts.append(next(group))
        letters += LETTERS[name]
    return starts, letters


def directed_ranges(classes: list[str]) -> list[tuple[int, int]]:
    """Give ranges, both ends included, that hold every code point of a class of DIRECTED.

    Ranges in the blocks of right-to-left scripts are joined, for a regular expression tests the
    ranges beyond the Basic Multilingual Plane one by one. What is caught needlessly takes the slow
    way, with the same result; among General Punctuation nothing is joined, as all languages use it.
    """
    ranges: list[tuple[int, int]] = []
    for code, name in enumerate(classes):
        if name not in DIRECTED:
            continue
        # The gaps inside a script are marks and digits of that script.
        nearby = 0 if 0x2000 <= code < 0x2100 else 0x40
        if ranges and code - ranges[-1][1] <= max(1, nearby):
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return ranges


def bracket_pairs(path: Path) -> list[tuple[int, int]]:
    """Give the pairs of opening and closing brackets, in order of the opening one."""
    return [
        (int(opening, 16), int(closing, 16))
        for opening, closing, kind in fields(path)
        if kind == "o"
    ]


def canonical_brackets(path: Path, brackets: Iterable[int]) -> dict[int, int]:
    """Map each bracket that has a canonical singleton decomposition to what it decomposes to."""
    wanted = set(brackets)
    mapping = {}
    for row in fields(path):
        code, decomposition = int(row[0], 16), row[5]
        if code in wanted and re.fullmatch("[0-9A-F]+", decomposition):
            mapping[code] = int(decomposition, 16)
    return mapping


def escaped(code: int) -> str:
    """Write one character as it stands in a Python string, and safely in a character class."""
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wrapped(items: Iterable[str], width: int = 96) -> list[str]:
    """Join items into lines of at most width characters."""
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) > width:
            lines.append("")
        lines[-1] += item
    return lines


def string(items: Iterable[str]) -> str:
    """Write a long string as adjacent Python literals, one a line."""
    return "\n".join(f'    "{line}"' for line in wrapped(items, 90))


def module(folder: Path) -> str:
    """Give the text of bidi_data.py made from the database in folder."""
    derived = folder / "extracted/DerivedBidiClass.txt"
    first_line = derived.read_text("utf-8").partition("\n")[0]
    found = re.search(r"-(\d+\.\d+\.\d+)\.txt", first_line)
    if found is None:
        raise ValueError(f"{derived} does not name its version in its first line")
    version = found[1]
    classes = bidi_classes(derived)
    starts, letters = class_ranges(classes)
    pairs = bracket_pairs(folder / "BidiBrackets.txt")
    canonical = canonical_brackets(folder / "UnicodeData.txt", (code for p in pairs for code in p))
    directed = (
        escaped(first) + (f"-{escaped(last)}" if last > first else "")
        for first, last in directed_ranges(classes)
    )
    numbers = "\n".join(f"    {line.rstrip()}" for line in wrapped(f"{n:#x}, " for n in starts))
    names = "\n".join(f'    "{name}": "{letter}",' for name, letter in LETTERS.items())
    equivalents = "\n".join(
        f'    "{escaped(code)}": "{escaped(to)}",' for code, to in sorted(canonical.items())
    )
    return f'''"""Character properties for the Unicode Bidirectional Algorithm, Unicode {version}.

Generated by tools/make_bidi_data.py from extracted/DerivedBidiClass.txt, BidiBrackets.txt and
UnicodeData.txt of the Unicode Character Database {version} (Debian package unicode-data;
Unicode's licence for data files). Do not edit: change the tool and run it again.
"""

# fmt: off
UNICODE_VERSION = "{version}"

# The letter that stands for each Bidi_Class below and in bidi.py.
LETTERS = {{
{names}
}}

# Where each range of code points of one Bidi_Class starts, and the letters of those classes.
STARTS = (
{numbers}
)
CLASSES = (
{string(letters)}
)

# The inside of a regular expression's character class: whatever can raise a level in a
# left-to-right paragraph (R, AL, AN and explicit formatting), and a little around it.
DIRECTED = (
{string(directed)}
)

# Paired brackets: opening, closing, opening, closing, ...
BRACKETS = (
{string(escaped(code) for pair in pairs for code in pair)}
)

# Brackets that are canonically equivalent to another one.
CANONICAL = {{
{equivalents}
}}
'''


def main() -> None:
    """Write the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--unicode", type=Path, default=UNICODE, help="folder of the database")
    parser.add_argument("--out", type=Path, default=TARGET, help="the module to write")
    options = parser.parse_args()
    text = module(options.unicode)
    handle, name = tempfile.mkstemp(dir=options.out.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).chmod(0o644)
    Path(name).replace(options.out)


if __name__ == "__main__":
    main()
