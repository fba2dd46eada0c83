"""`make demo`. In: a captions table and a folder. Out: the parallel set, and where to look."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memeloc.render.review import read_pictures, review


def main() -> None:
    """Render the table given in every language, and name the page and one picture."""
    table, out = sys.argv[1], Path(sys.argv[2])
    render = [sys.executable, "-m", "memeloc", "render", table, "--langs", "all", "--out", str(out)]
    status = subprocess.run(render).returncode
    if status:
        sys.exit(status)
    seen = review(out)
    sample = next(picture["path"] for picture in read_pictures(out, ["path"]))
    print()
    print(f"Contact sheet: {out / 'index.html'}")
    print(f"One picture:   {out / sample}")
    print(
        f"{seen.pictures} pictures of {seen.memes} memes in {len(seen.languages)} languages, "
        f"{len(seen.flaws)} with problems"
    )


if __name__ == "__main__":
    main()
