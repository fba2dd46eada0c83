"""A study as a user does it, and its transcript: each command, what it printed, what it made.

The transcript is compared with the golden file `golden/MODULE/TEST.txt`, which
`pytest tests/end_to_end --write-golden` writes anew. Read its diff before you commit it: it is what
users will see.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
from lxml import etree
from PIL import Image

from memeloc import __version__
from tests.conftest import Outcome

# What differs from run to run or from machine to machine, and what stands for it.
VOLATILE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", "<time>"),
    (r"\b\d{4}-\d\d-\d\d\b", "<date>"),
    (r"\b(marks|history):[0-9a-f]{2}\b", r"\1:<sum>"),  # of cells that have dates in them
    (r"127\.0\.0\.1:\d+", "<server>"),
    (r"\b\d+(\.\d+)? m?s\b", "<seconds>"),
    (r'"seconds": [\d.e-]+', '"seconds": "<seconds>"'),
    (re.escape(__version__), "<version>"),
)
# The last digits of fractions differ between processors.
FRACTIONS = re.compile(r"\d+\.\d{7,}(e-?\d+)?")
# Hashes and drawn ids: the same one has the same number all through a transcript.
IDS = re.compile(r"\b[0-9a-f]{12,64}\b")


class Study:
    """A folder in which commands run, and the transcript of what they gave.

    Args:
        folder: where the study stands, which is the working directory; its path is `~` in the
            transcript.
        golden: the file of the transcript.
        command: runs `memeloc` with arguments, in this process.
        write: whether the golden file is written and not compared with.
    """

    def __init__(
        self, folder: Path, golden: Path, command: Callable[..., Outcome], *, write: bool
    ) -> None:
        self.folder = folder
        self._golden = golden
        self._command = command
        self._write = write
        self._lines: list[str] = []
        paths = [(re.escape(str(folder)), "~"), (re.escape(str(folder.parent)), "~/..")]
        self._volatile = [*paths, *VOLATILE]

    def hide(self, pattern: str, stands_for: str) -> None:
        """Replace a pattern that differs from run to run in what follows."""
        self._volatile.insert(2, (pattern, stands_for))

    def run(self, *arguments: object, status: int = 0) -> Any:
        """Run a command that ends with a status; return its output, of `--json` as values."""
        line = " ".join(_quoted(str(argument)) for argument in arguments)
        outcome = self._command(*arguments)
        self.note(f"$ memeloc {line}")
        self.note(_rounded(outcome.out))
        self.note("".join(f"! {text}\n" for text in outcome.err.splitlines()))
        if outcome.status:
            self.note(f"exit status {outcome.status}")
        assert outcome.status == status, outcome.err or outcome.out
        return json.loads(outcome.out) if "--json" in arguments and outcome.out else outcome.out

    def note(self, text: str) -> None:
        """Add lines to the transcript."""
        if text.strip():
            self._lines += text.rstrip().splitlines()

    def show(self, name: str, value: Any) -> None:
        """Add a value that the Python API gave: a data frame, or what JSON can say."""
        self.note(f"# {name}")
        if isinstance(value, pd.DataFrame):
            self.note(value.to_csv(index=False, float_format="%.6g"))
        else:
            self.note(_rounded(json.dumps(value, ensure_ascii=False, indent=1, default=str)))

    def file(self, path: str | Path) -> str:
        """Add a file as a person or a program reads it; return that text."""
        path = Path(self.folder, path)
        text = _read(path)
        self.note(f"# {path.relative_to(self.folder).as_posix()}")
        self.note(text)
        return text

    def files(self, folder: str | Path = ".", pattern: str = "**/*") -> list[str]:
        """Add the names of the files in a folder; return them."""
        root = Path(self.folder, folder)
        names = sorted(
            path.relative_to(root).as_posix() for path in root.glob(pattern) if path.is_file()
        )
        self.note(f"# files in {root.relative_to(self.folder).as_posix()}")
        self.note("\n".join(names))
        return names

    def check(self) -> None:
        """Compare the transcript with the golden file, or write that."""
        text = "\n".join(self._lines) + "\n"
        text = FRACTIONS.sub(lambda match: f"{float(match[0]):.6g}", text)
        for pattern, stands_for in self._volatile:
            text = re.sub(pattern, stands_for, text)
        ids: dict[str, str] = {}
        text = IDS.sub(lambda match: ids.setdefault(match[0], f"<id {len(ids) + 1}>"), text)
        if self._write:
            self._golden.parent.mkdir(parents=True, exist_ok=True)
            self._golden.write_text(text, encoding="utf-8")
            return
        golden = self._golden.read_text(encoding="utf-8")
        diff = difflib.unified_diff(
            golden.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=2
        )
        assert text == golden, "\n".join(diff)


def fill_in(path: Path, answers: Iterable[Mapping[str, str]], *, by: Iterable[str]) -> None:
    """Fill in a CSV sheet or an xlsx workbook as a person does.

    Args:
        path: the sheet, which is changed in place.
        answers: what is typed: columns by heading, of which those in `by` say which row is meant.
        by: the headings that tell rows apart.
    """
    keys = list(by)
    typed = {tuple(answer[key] for key in keys): answer for answer in answers}
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        for sheet in book:
            heading = {cell.value: cell.column for cell in sheet[1]}
            for row in sheet.iter_rows(min_row=2) if set(keys) <= set(heading) else ():
                place = tuple(str(row[heading[key] - 1].value or "") for key in keys)
                for name, text in typed.get(place, {}).items():
                    sheet.cell(row[0].row, heading[name]).value = text
        book.save(path)
        return
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        rows, columns = list(reader), reader.fieldnames or []
    for row in rows:
        row |= typed.get(tuple(row[key] for key in keys), {})
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)


def _quoted(argument: str) -> str:
    return f"'{argument}'" if re.search(r"[\s?*{}|]", argument) else argument


def _rounded(text: str) -> str:
    """JSON with six digits of each fraction, for the last ones differ between processors."""
    try:
        value = json.loads(text, parse_float=lambda digits: float(f"{float(digits):.6g}"))
    except ValueError:
        return text
    return json.dumps(value, ensure_ascii=False, indent=1)


def _read(path: Path) -> str:
    """A file as text: tables as CSV, XML indented, pictures as their size."""
    match path.suffix:
        case ".xlsx":
            return "\n".join(_worksheets(path))
        case ".parquet":
            return pd.read_parquet(path).to_csv(index=False, float_format="%.6g")
        case ".xliff" | ".xlf" | ".xml":
            return etree.tostring(etree.parse(path), pretty_print=True, encoding="unicode")
        case ".zip":
            return "\n".join(sorted(zipfile.ZipFile(path).namelist()))
        case ".jpg" | ".png" | ".webp":
            with Image.open(path) as image:
                return f"{image.format} {image.mode} {image.width} x {image.height}"
        case ".json":
            return _rounded(path.read_text(encoding="utf-8"))
        case _:
            return path.read_text(encoding="utf-8-sig")


def _worksheets(path: Path) -> Iterable[str]:
    for sheet in openpyxl.load_workbook(path):
        yield f"[{sheet.title}]"
        for row in sheet.iter_rows(values_only=True):
            yield "\t".join("" if cell is None else str(cell) for cell in row).rstrip()
