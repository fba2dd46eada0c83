"""Make memeloc/locales/data/exemplars.json. In: CLDR's JSON from npm. Out: letters by language.

Run `python tools/make_exemplars.py` (needs npm and a network, or `--package FILE.tgz`). The package
is cldr-misc-full; of each language's characters.json it keeps the main exemplar characters: those
that the language's ordinary words are written with. Sets are UnicodeSet patterns (UTS #35 part 1,
"Unicode Sets"): CLDR's exemplars use single characters, ranges, `{clusters}` and escapes, and
nothing else; anything else stops the run.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "cldr-misc-full"
VERSION = "48.2.0"
OUT = Path(__file__).parent.parent / "memeloc" / "locales" / "data" / "exemplars.json"

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|\{(?P<cluster>(?:\\.|[^}\\])+)\}"
    r"|\\u(?P<u>[0-9A-Fa-f]{4})|\\U(?P<U>[0-9A-Fa-f]{8})|\\u\{(?P<braced>[0-9A-Fa-f]+)\}"
    r"|\\(?P<escaped>.)"
    r"|(?P<range>-)"
    r"|(?P<plain>[^\[\]{}&$^\\])",
    re.DOTALL,
)


def expand(pattern: str) -> list[str]:
    r"""The members of a UnicodeSet pattern in its own order, without repetition.

    Raises ValueError for what CLDR's exemplars do not use: nested sets, properties, operators.

    >>> expand("[a-c {ch} \\u00E9 \\-]")
    ['a', 'b', 'c', 'ch', 'é', '-']
    """
    if not (pattern.startswith("[") and pattern.endswith("]")):
        raise ValueError(f"not a UnicodeSet: {pattern[:60]!r}")
    members: list[str] = []
    open_range = False
    for token in _tokens(pattern[1:-1]):
        if token is None:
            if open_range or not members or len(members[-1]) != 1:
                raise ValueError(f"a range without a beginning in {pattern[:60]!r}")
            open_range = True
        elif open_range:
            first = ord(members[-1])
            if len(token) != 1 or ord(token) <= first:
                raise ValueError(f"a range that does not ascend in {pattern[:60]!r}")
            members.extend(map(chr, range(first + 1, ord(token) + 1)))
            open_range = False
        else:
            members.append(token)
    if open_range:
        raise ValueError(f"a range without an end in {pattern[:60]!r}")
    return list(dict.fromkeys(members))


def _tokens(body: str) -> Iterator[str | None]:
    """The characters and clusters of a set's body; None stands for the range operator."""
    at = 0
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None:
            raise ValueError(f"unsupported UnicodeSet syntax at {body[at : at + 20]!r}")
        at = match.end()
        kind, text = match.lastgroup, match[match.lastgroup or 0]
        if kind == "range":
            yield None
        elif kind in ("u", "U", "braced"):
            yield chr(int(text, 16))
        elif kind == "cluster":
            yield "".join(part for part in _tokens(text) if part is not None)
        elif kind != "space":
            yield text


def read_package(package: Path) -> dict[str, str]:
    """Main exemplar characters, separated by spaces, by tag; no regional or empty ones.

    A language in its usual script is kept under both tags when CLDR has both (`zh`, `zh-Hans`),
    since the longer is what memeloc's locale is called.
    """
    characters: dict[str, str] = {}
    with tarfile.open(package) as archive:
        for member in archive:
            match = re.fullmatch(
                r"package/main/([a-z]{2,3}(?:-[A-Z][a-z]{3})?)/characters\.json", member.name
            )
            stream = archive.extractfile(member) if match else None
            if match is None or stream is None:
                continue
            tag = match[1]
            pattern = json.load(stream)["main"][tag]["characters"]["exemplarCharacters"]
            if members := expand(pattern):
                characters[tag] = " ".join(members)
    return dict(sorted(characters.items()))


def main() -> None:
    """Fetch the package unless given, and write the generated file."""
    parser = argparse.ArgumentParser(description="Make memeloc/locales/data/exemplars.json.")
    parser.add_argument("--package", type=Path, help=f"{PACKAGE}-{VERSION}.tgz, already fetched")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        package = arguments.package or fetch(PACKAGE, VERSION, Path(folder))
        content = {
            "source": f"CLDR {VERSION}, npm package {PACKAGE}, main exemplar characters",
            "licence": "Unicode-3.0",
            "made_by": "tools/make_exemplars.py",
            "characters": read_package(package),
        }
    write(OUT, content)
    sys.stdout.write(f"{OUT}: {len(content['characters'])} languages\n")


def fetch(package: str, version: str, folder: Path) -> Path:
    """Fetch a package's archive from npm's registry into `folder`."""
    command = ["npm", "pack", "--silent", f"{package}@{version}"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / f"{package}-{version}.tgz"


def write(path: Path, content: object) -> None:
    """Write JSON readably and atomically: a temporary file beside it, then a rename."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(
        json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )
    temporary.replace(path)


if __name__ == "__main__":
    main()
