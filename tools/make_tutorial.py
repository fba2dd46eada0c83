"""Writes guides/tutorial.md and examples/tutorial.ipynb anew. In: both. Out: what they print.

Each block of commands is run as it stands, in one shell, and the block after it becomes what they
printed; a comment `<!-- page: FILE -->` (a browser's window), `phone`, `card` (of a dataset) or
`sheet` (LibreOffice's first page) gets the picture after it, in docs/tutorial/. The notebook's
cells are run in its folder. `make tutorial` runs it; a slow test fails while what is printed
differs. With a folder of examples' runs it draws the pictures of the other guides instead.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "guides" / "tutorial.md"
NOTEBOOK = ROOT / "examples" / "tutorial.ipynb"
PICTURES = ROOT / "docs" / "tutorial"
COLUMNS = 110
_BLOCKS = re.compile(
    r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n.*?```\n)?"
    r"|<!-- (?P<kind>page|phone|card|sheet): (?P<file>\S+) -->\n(?:!\[.*?\n)?",
    re.DOTALL,
)
_EXAMPLES = {
    "funnel": "finished.sh/set/funnel.html",
    "localised": "localise.sh/localised/index.html",
    "knowledge": "knowledge.sh/pages/memes/robot-chef-01-en-*.html",
    "evaluation": "knowledge.sh/examination/report.html",
    "training": "baselines.sh/report/report.html",
}
"""Pages that the other guides show, of what `examples/NAME FOLDER/NAME` leaves."""
_WINDOWS = {"page": (1200, 800), "phone": (390, 780), "card": (900, 1100)}
"""Pixels of a laptop's and of a phone's window."""
_BAR = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h(?:\x1b\[1A\x1b\[2K)?", re.DOTALL)
"""A bar of progress, which is gone in the end: from the cursor's hiding to its coming back."""
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_END = "what follows is the next block"


def write_tutorial(page: Path, pictures: Path | None = None) -> str:
    """Run the commands of a page and return it with what they print; draw its pictures, too, into
    a folder."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_BLOCKS.finditer(text))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        outputs = iter(_run([block["commands"] for block in blocks if block["commands"]], folder))
        parts, end = [], 0
        for block in blocks:
            parts.append(text[end : block.start()])
            end = block.end()
            if block["commands"]:
                output = next(outputs)
                parts.append(f"```sh\n{block['commands']}```\n")
                parts.append(f"\n```text\n{output}\n```\n" if output else "")
                continue
            file = folder / "study" / block["file"]
            named = file.parent if file.stem in ("index", "README") else file
            picture = PICTURES / f"{named.stem}.png"
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                draw = _draw_sheet if block["kind"] == "sheet" else _draw_page
                draw(file, pictures / picture.name, block["kind"])
            shown = f"![{file.name}](../docs/tutorial/{picture.name})"
            parts.append(f"<!-- {block['kind']}: {block['file']} -->\n{shown}\n")
    return "".join([*parts, text[end:]])


def _run(blocks: list[str], folder: Path) -> Iterator[str]:
    """Yield what each block of commands prints on a terminal; the first that fails ends all."""
    script = "set -e\n" + "".join(f"{block}echo {_END!r}\n" for block in blocks)
    (folder / "tutorial.sh").write_text(script, encoding="utf-8")
    ours, terminal = pty.openpty()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm",
        "NO_COLOR": "1",
    }
    command = ["bash", "tutorial.sh"]
    shell = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    printed = bytearray()
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the terminal is closed when the shell ends
            break
        if not piece:
            break
        printed += piece
    if shell.wait():
        sys.exit(f"The tutorial's commands failed:\n{printed.decode()[-12000:]}")
    text = _CODES.sub("", _BAR.sub("", printed.decode())).replace("\r", "")
    text = "\n".join(line.rstrip() for line in text.replace(f"{folder}/", "").split("\n"))
    for output in text.split(f"{_END}\n")[: len(blocks)]:
        yield output.strip("\n")


def _draw_page(file: Path, picture: Path, kind: str) -> None:
    from playwright.sync_api import sync_playwright

    width, height = _WINDOWS[kind]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto((_card_as_page(file) if kind == "card" else file).as_uri())
        page.wait_for_timeout(2000)  # of its pictures; networkidle fails for large pages
        page.screenshot(path=picture)
        browser.close()


def _card_as_page(card: Path) -> Path:
    """Write a card as a page beside its pictures, about as the Hub shows it."""
    from markdown_it import MarkdownIt

    text = card.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    page = card.with_suffix(".html")
    style = (
        "body { font: 16px/1.5 sans-serif; margin: 24px 40px } img { max-width: 100% }"
        "td, th { border: 1px solid #ccc; padding: 2px 10px } table { border-collapse: collapse }"
    )
    body = MarkdownIt("commonmark").enable("table").render(text)
    page.write_text(f"<meta charset=utf-8><style>{style}</style>{body}", encoding="utf-8")
    return page


def run_notebook(notebook: Path) -> nbformat.NotebookNode:
    """Return a notebook with what its cells print and show; warnings are left out.

    Raises:
        CellExecutionError: a cell failed.
    """
    from nbclient import NotebookClient

    book: nbformat.NotebookNode = nbformat.read(notebook, 4)  # type: ignore[no-untyped-call]
    os.environ["PYTHONPATH"] = str(ROOT)
    place = {"metadata": {"path": str(notebook.parent)}}
    NotebookClient(book, timeout=900, kernel_name="python3", resources=place).execute()
    for cell in (cell for cell in book.cells if cell.cell_type == "code"):
        cell.metadata = {}
        cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return book


def _draw_sheet(file: Path, picture: Path, _kind: str) -> None:
    import pypdfium2

    with tempfile.TemporaryDirectory() as folder:
        convert = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
        command = [*convert, "--convert-to", "pdf", "--outdir", folder, str(file)]
        subprocess.run(command, check=True, capture_output=True)
        with pypdfium2.PdfDocument(Path(folder) / f"{file.stem}.pdf") as document:
            document[0].render(scale=1.5).to_pil().save(picture)


def main() -> None:
    """Write the tutorial and the notebook; or draw the pages of a folder of examples' runs."""
    if len(sys.argv) > 1:
        for name, file in _EXAMPLES.items():
            (page,) = Path(sys.argv[1]).glob(file)
            _draw_page(page, ROOT / "docs" / "pictures" / f"{name}.png", "page")
        return
    PAGE.write_text(write_tutorial(PAGE, PICTURES), encoding="utf-8")
    nbformat.write(run_notebook(NOTEBOOK), NOTEBOOK)  # type: ignore[no-untyped-call]
    print(f"Wrote {PAGE} and {NOTEBOOK}")


if __name__ == "__main__":
    main()
