"""Annotation programs from PyPI, each in a virtual environment of its own, and a phone's screen.

`phone` is a real Chromium; errors that a page reports and dialogs that it opens fail the test.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

WIDTH, HEIGHT = 390, 844
"""Of a phone's screen, in CSS pixels."""
_PICTURES = """(pictures) => pictures.filter((each) => each.checkVisibility()).map((image) => ({
  alt: image.alt, width: image.naturalWidth, place: image.getBoundingClientRect().toJSON(),
}))"""
_BOX = """(place, [start, end]) => {
  const walk = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const letters = [];
  while (walk.nextNode()) {
    let at = 0;
    for (const letter of walk.currentNode.data) {
      letters.push([walk.currentNode, at, at += letter.length]);
    }
  }
  const range = document.createRange();
  range.setStart(letters[start][0], letters[start][1]);
  range.setEnd(letters[end - 1][0], letters[end - 1][2]);
  const {left, right, top, bottom} = range.getBoundingClientRect();
  return {left, right, middle: (top + bottom) / 2};
}"""


def installed(package: str, program: str) -> Path:
    """The program of a package; it is installed when it is not there yet."""
    folder = Path(os.environ.get("MEMELOC_TEST_VENVS", "/tmp")) / f"memeloc-{program}-venv"
    result = folder / "bin" / program
    if not (folder / "whole").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(folder / "bin/pip"), "install", "-q", package], check=True)
        (folder / "whole").touch()
    assert result.exists()
    return result


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def started(
    command: Sequence[str], folder: Path, address: str, environment: Mapping[str, str]
) -> Iterator[None]:
    """The program, from when it answers at an address until the end of the block."""
    log = folder / "program.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 600
        while not _answers(address):
            printed = log.read_text("utf-8", "replace")[-3000:]
            assert process.poll() is None, printed
            assert time.monotonic() < deadline, printed
            time.sleep(0.5)
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@contextmanager
def phone() -> Iterator[Callable[[], Page]]:
    """Opens empty pages on a phone's screen, each of another person."""
    errors: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )

        def opened() -> Page:
            size = {"width": WIDTH, "height": HEIGHT}
            context = chromium.new_context(viewport=size, has_touch=True)  # type: ignore[arg-type]
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
            return page

        yield opened
        chromium.close()
    assert errors == []


def drag_over(page: Page, place: Locator, span: str) -> None:
    """Mark letters of a text, such as `3-7`, as a finger does that is drawn over them."""
    place.scroll_into_view_if_needed()
    box = place.evaluate(_BOX, list(map(int, span.split("-"))))
    page.mouse.move(box["left"] + 1, box["middle"])
    page.mouse.down()
    page.mouse.move(box["right"], box["middle"], steps=5)
    page.mouse.up()
