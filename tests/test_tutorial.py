"""The tutorial's commands print what the page says, and the notebook's cells run."""

from __future__ import annotations

import re

import pytest

from tools.make_tutorial import NOTEBOOK, PAGE, run_notebook, write_tutorial

CHANGING = re.compile(r"\d[\d.,]* (?:s|pictures a second|MB)\b|\d{4}-\d{2}-\d{2}|[0-9a-f]{24,32}.*")
"""Times, speeds, sizes, dates; and from ids that are made by chance to the end of the line."""


def _lasting(page: str) -> list[str]:
    return [" ".join(CHANGING.sub("…", line).split()) for line in page.splitlines()]


@pytest.mark.slow
def test_every_command_prints_what_the_page_says() -> None:
    assert _lasting(write_tutorial(PAGE)) == _lasting(PAGE.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_cell_of_the_notebook_runs() -> None:
    cells = run_notebook(NOTEBOOK).cells
    assert all(cell.outputs for cell in cells if cell.cell_type == "code" and cell is not cells[1])
