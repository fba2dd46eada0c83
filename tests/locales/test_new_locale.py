"""The example that adds a language really draws in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PIL import Image

EXAMPLE = Path(__file__).parents[2] / "examples" / "new_locale.py"


def test_the_example_draws_a_meme_in_the_new_language(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLE), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    picture = Path(run.stdout.strip())
    assert picture.parent == tmp_path / "out"
    with Image.open(picture) as image:
        image.load()
        assert image.format == "JPEG"
        colours = image.convert("L").histogram()
    assert sum(colours[:20]) > 1000  # the outline
    assert sum(colours[240:]) > 1000  # the letters
