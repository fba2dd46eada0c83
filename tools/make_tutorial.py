"""Writes guides/tutorial.md anew. In: the page itself. Out: its commands' output, and pictures.

Each block of commands is run as it stands, in one shell, and the block after it becomes what they
printed; a comment `<!-- page: FILE -->` (a browser's window), `phone` or `sheet` (LibreOffice's
first page) gets the picture after it, in docs/tutorial/. `make tutorial` runs it; a slow test
fails while what is printed differs.
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

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "guides" / "tutorial.md"
PICTURES = ROOT / "docs" / "tutorial"
COLUMNS = 110
_BLOCKS = re.compile(
    r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n.*?```\n)?"
    r"|<!-- (?P<kind>page|phone|sheet): (?P<file>\S+) -->\n(?:!\[.*?\n)?",
    re.DOTALL,
)
_WINDOWS = {"page": (1200, 800), "phone": (390, 780)}
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
            file = next((folder / "study").glob(block["file"]))
            picture = PICTURES / f"{file.parent.name if file.stem == 'index' else file.stem}.png"
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
        page.goto(file.as_uri())
        page.wait_for_load_state("networkidle")
        page.screenshot(path=picture)
        browser.close()


def _draw_sheet(file: Path, picture: Path, _kind: str) -> None:
    import pypdfium2

    with tempfile.TemporaryDirectory() as folder:
        convert = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
        command = [*convert, "--convert-to", "pdf", "--outdir", folder, str(file)]
        subprocess.run(command, check=True, capture_output=True)
        with pypdfium2.PdfDocument(Path(folder) / f"{file.stem}.pdf") as document:
            document[0].render(scale=1.5).to_pil().save(picture)


if __name__ == "__main__":
    PAGE.write_text(write_tutorial(PAGE, PICTURES), encoding="utf-8")
    print(f"Wrote {PAGE}")
