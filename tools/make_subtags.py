"""Make memeloc/locales/data/subtags.json. In: CLDR's JSON from npm. Out: aliases, likely scripts.

Run `python tools/make_subtags.py` (needs npm and a network, or `--package FILE.tgz`). The package
is cldr-core; kept are the language aliases (`iw` is `he`, `deu` is `de`) and, for the languages
that two-letter codes or exemplars.json name, the script a language is usually written in, and the
regions that write it in another (`zh-TW`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from make_exemplars import OUT as EXEMPLARS
from make_exemplars import fetch, write

PACKAGE = "cldr-core"
VERSION = "48.2.0"
OUT = EXEMPLARS.with_name("subtags.json")


def read_package(package: Path, languages: set[str]) -> dict[str, dict[str, str]]:
    """`aliases`, `scripts` and `regions`, each from a subtag or tag to what it stands for."""
    with tarfile.open(package) as archive:
        aliases = _supplemental(archive, "aliases")["metadata"]["alias"]["languageAlias"]
        likely = _supplemental(archive, "likelySubtags")["likelySubtags"]
    scripts: dict[str, str] = {}
    regions: dict[str, str] = {}
    for key, value in likely.items():
        language, *rest = key.split("-")
        script = value.split("-")[1]
        if language not in languages:
            continue
        if not rest:
            scripts[language] = script
        elif re.fullmatch(r"[A-Z]{2}|[0-9]{3}", rest[-1]) and len(rest) == 1:
            regions[key] = script
    regions = {key: s for key, s in regions.items() if s != scripts.get(key.split("-")[0])}
    return {
        "aliases": {
            key: alias["_replacement"]
            for key, alias in sorted(aliases.items())
            if re.fullmatch("[a-z]{2,3}", key) and " " not in alias["_replacement"]
        },
        "scripts": dict(sorted(scripts.items())),
        "regions": dict(sorted(regions.items())),
    }


def _supplemental(archive: tarfile.TarFile, name: str) -> dict[str, Any]:
    stream = archive.extractfile(f"package/supplemental/{name}.json")
    if stream is None:
        raise ValueError(f"{name}.json is not a file of the package")
    content: dict[str, Any] = json.load(stream)["supplemental"]
    return content


def main() -> None:
    """Fetch the package unless given, and write the generated file."""
    parser = argparse.ArgumentParser(description="Make memeloc/locales/data/subtags.json.")
    parser.add_argument("--package", type=Path, help=f"{PACKAGE}-{VERSION}.tgz, already fetched")
    arguments = parser.parse_args()
    characters = json.loads(EXEMPLARS.read_text(encoding="utf-8"))["characters"]
    languages = {tag.split("-")[0] for tag in characters}
    with tempfile.TemporaryDirectory() as folder:
        package = arguments.package or fetch(PACKAGE, VERSION, Path(folder))
        tables = read_package(package, languages)
    content: dict[str, object] = {
        "source": f"CLDR {VERSION}, npm package {PACKAGE}, aliases and likely subtags",
        "licence": "Unicode-3.0",
        "made_by": "tools/make_subtags.py",
        **tables,
    }
    write(OUT, content)
    sys.stdout.write(f"{OUT}: {', '.join(f'{len(t)} {name}' for name, t in tables.items())}\n")


if __name__ == "__main__":
    main()
