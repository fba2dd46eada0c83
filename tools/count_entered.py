"""Count the functions of memeloc that three ways enter, and their files.

A sheet on its way to its picture: a sheet of one caption is filled in and imported (`correct
import`), its picture is drawn, and then the whole set is rendered (`render`). An answer on its way
to its label: one person's answer to one meme is imported, checked and settled (`--answer`). A
question on its way to its score: a model is asked one about a meme's picture, and its answer is
scored (`--question`).

The numbers are printed after each of these steps, that of the modules imported last. A function
counts once, however often it is called; bodies of modules and classes, comprehensions and lambdas
do not count, nor does what imports run. `--list` names the functions, in order of entry.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import memeloc

PACKAGE = Path(memeloc.__file__).parent


def import_sheet() -> None:
    """Import the sheet."""
    command("correct", "import", "sheet.xlsx")


def draw_picture() -> None:
    """Draw the picture of the caption that the sheet has brought."""
    with memeloc.Workspace.open(".") as workspace:
        caption = workspace.store.captions.current("de")["m1"].caption
        template = workspace.templates["robot-chef"]
        picture = workspace.renderer.render(template, caption, workspace.locale("de"))
        picture.image.save("picture.jpg")


def render_set() -> None:
    """Render all pictures of the workspace, into a folder with its page."""
    command("render", "--langs", "de", "--jobs", "1")


Steps = Mapping[str, Callable[[], None]]


SHEET: Steps = {
    "correct import": import_sheet,
    "and its picture": draw_picture,
    "and render": render_set,
}
ANSWER: Steps = {
    "survey import": lambda: command("survey", "import", "pilot", "answers.csv"),
    "and check": lambda: command("survey", "check", "pilot"),
    "and settle": lambda: command("survey", "settle", "pilot"),
}
QUESTION: Steps = {
    "evaluate": lambda: command("evaluate", "asked.toml", "--out", "asked"),
    "and its score": lambda: command("evaluate", "asked.toml", "--gold", "gold.csv"),
}
RUN = """
like = "multi3hate"
wordings = [1]
orders = [0]
[dataset]
path = "memes.csv"
columns = { item = "id", picture = "picture", text = "text" }
language = "en"
[[condition]]
name = "both"
[[model]]
model = "tiny"
base_url = "BASE_URL"
"""


class Chat(BaseHTTPRequestHandler):
    """A server whose model answers `a` to everything."""

    def do_POST(self) -> None:
        """Answer a question."""
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "a"}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def command(*words: str) -> None:
    """Run a command in this process."""
    from memeloc.cli import run

    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        status = run(list(words))
    assert status == 0, silent.getvalue()


def commands(folder: Path, *lines: str) -> None:
    """Run commands in processes of their own, so that nothing is kept here."""
    for line in lines:
        words = [sys.executable, "-m", "memeloc", *line.split()]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)


def prepare_sheet(folder: Path) -> None:
    """Make a workspace with one caption, and a sheet of it that is filled in."""
    import openpyxl

    export = "correct export --langs de --to anna --out sheet.xlsx"
    commands(folder, "init . --langs de", "import captions.csv", export)
    book = openpyxl.load_workbook(folder / "sheet.xlsx")
    open_cells = (cell for cell in book.worksheets[0][2] if not cell.protection.locked)
    next(open_cells).value = "Schon Montag"  # the first one is that of the text
    book.save(folder / "sheet.xlsx")


def prepare_answer(folder: Path) -> None:
    """Make a workspace with a survey of one meme, and the table of a person who answered it."""
    build = "survey build pilot --cultures US --size 1 --answers 1"
    build += " --set explicit=0 --set implicit=0"
    export = "survey export pilot --to csv --contact lab@university.example"
    render = "render --langs en --jobs 1"
    commands(folder, "init . --langs de", "import captions.csv", build, render, export)
    table = next((folder / "surveys" / "pilot" / "csv").glob("*.csv"))
    with table.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        for row in rows:
            answer = row["choose from"].split(" | ")[0]
            writer.writerow({**row, "participant": "p-1", "answer": answer})


def prepare_question(folder: Path) -> None:
    """Make a table of one meme, and a run that asks one question about it."""
    from PIL import Image

    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Image.new("RGB", (40, 30), "teal").save(folder / "m1.png")
    (folder / "memes.csv").write_text("id,text,picture\nm1,Monday again,m1.png\n", "utf-8")
    (folder / "gold.csv").write_text("id,US\nm1,1\n", "utf-8")
    address = f"http://127.0.0.1:{server.server_port}/v1"
    (folder / "asked.toml").write_text(RUN.replace("BASE_URL", address), "utf-8")


STEPS = {"sheet": SHEET, "answer": ANSWER, "question": QUESTION}
PREPARED = {"sheet": prepare_sheet, "answer": prepare_answer, "question": prepare_question}


@contextlib.contextmanager
def prepared(way: str) -> Iterator[None]:
    """Be in a new folder in which the first step of a way can be taken."""
    table = "meme_id,template,en,de\nm1,robot-chef,Monday // again,Montag // wieder\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "captions.csv").write_text(table, "utf-8")
        PREPARED[way](Path(folder))
        with contextlib.chdir(folder):
            yield


def measure(way: str, names: list[str]) -> dict[str, list[CodeType]]:
    """Return the functions that have been entered after each step, in order of entry."""
    for name in names:
        import_module(name)
    codes: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        # Bodies of modules and classes are frames, too, but their variables are a dictionary's.
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(str(PACKAGE)):
            codes[code] = None

    entered = {}
    with prepared(way):
        for name, step in STEPS[way].items():
            threading.setprofile(note)
            sys.setprofile(note)
            try:
                step()
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
            entered[name] = list(codes)
    return entered


def by_file(codes: list[CodeType]) -> dict[str, list[str]]:
    """Return the names of functions by their files, in order of entry."""
    files: dict[str, list[str]] = {}
    for code in codes:
        path = Path(code.co_filename).relative_to(PACKAGE.parent).as_posix()
        files.setdefault(path, []).append(code.co_qualname)
    return files


def main() -> None:
    """Print the numbers of functions and files after each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    for way in STEPS:
        parser.add_argument(
            f"--{way}", dest="way", action="store_const", const=way, default="sheet"
        )
    parser.add_argument("--list", action="store_true", help="name the functions by file")
    parser.add_argument("--modules", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.pop("MEMELOC_DATABASE_URL", None)
    if options.modules:
        with prepared(options.way):
            for step in STEPS[options.way].values():
                step()
        print("\n".join(name for name in sys.modules if name.split(".")[0] == "memeloc"))
        return
    modules = [sys.executable, __file__, "--modules", f"--{options.way}"]
    names = subprocess.run(modules, check=True, capture_output=True, text=True).stdout.split()
    seen: set[CodeType] = set()
    for name, codes in measure(options.way, names).items():
        if options.list:
            for path, functions in by_file([code for code in codes if code not in seen]).items():
                print(f"  {path} {len(functions)}: {', '.join(functions)}")
        seen |= set(codes)
        print(f"{name}: {len(codes)} functions in {len(by_file(codes))} files")
    print(f"{len(names)} modules imported")


if __name__ == "__main__":
    main()
