"""Make what memeloc knows of languages. In: CLDR's JSON from npm. Out: memeloc/locales/data/*.json.

Run `python tools/make_exemplars.py` (needs npm and a network, or `--packages FOLDER` with the
archives). exemplars.json: from cldr-misc-full each language's main exemplar characters, those that
its ordinary words are written with. These are UnicodeSet patterns (UTS #35 part 1, "Unicode Sets");
CLDR's exemplars use single characters, ranges, `{clusters}` and escapes, and nothing else; anything
else stops the run. subtags.json: from cldr-core what tags are matched with, the language aliases
(`iw` is `he`, `deu` is `de`) and, for the languages that have exemplars, the script each is usually
written in and the regions that write it in another (`zh-TW`). languages.json: of these languages
the English and the own name (cldr-localenames-full), the likely country, and ISO 639-3's code.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

VERSION = "48.2.0"
OUT = Path(__file__).parent.parent / "memeloc" / "locales" / "data"

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


def read_exemplars(package: Path) -> dict[str, str]:
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


def read_subtags(package: Path, languages: set[str]) -> dict[str, dict[str, str]]:
    """`aliases`, `scripts` and `regions`, each from a subtag or tag to what it stands for."""
    aliases, likely = _subtag_tables(package)
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


def read_languages(names: Path, core: Path, tags: Iterable[str]) -> dict[str, str]:
    """By tag, with semicolons between: English and own name, country, ISO 639-3's code."""
    aliases, likely = _subtag_tables(core)
    codes = {
        alias["_replacement"]: key
        for key, alias in aliases.items()
        if alias["_reason"] == "overlong"
    }
    with tarfile.open(names) as archive:
        members = {member.name: member for member in archive}

        def names_in(tag: str) -> dict[str, str]:
            member = members.get(f"package/main/{tag}/languages.json")
            stream = archive.extractfile(member) if member else None
            main = json.load(stream)["main"] if stream else {tag: {}}
            languages: dict[str, str] = main[tag].get("localeDisplayNames", {}).get("languages", {})
            return languages

        english = names_in("en")
        return {
            tag: ";".join(
                [
                    english.get(tag, english.get(language, "")),
                    own.get(tag, own.get(language, "")),
                    likely.get(tag, likely.get(language, "")).rpartition("-")[2],
                    codes.get(language, language if len(language) == 3 else ""),
                ]
            )
            for tag in tags
            for language, own in [(tag.split("-")[0], names_in(tag))]
        }


def _subtag_tables(core: Path) -> tuple[dict[str, Any], dict[str, str]]:
    with tarfile.open(core) as archive:
        aliases = _supplemental(archive, "aliases")["metadata"]["alias"]["languageAlias"]
        return aliases, _supplemental(archive, "likelySubtags")["likelySubtags"]


def _supplemental(archive: tarfile.TarFile, name: str) -> dict[str, Any]:
    stream = archive.extractfile(f"package/supplemental/{name}.json")
    if stream is None:
        raise ValueError(f"{name}.json is not a file of the package")
    content: dict[str, Any] = json.load(stream)["supplemental"]
    return content


def main() -> None:
    """Fetch the packages unless given, and write the generated files."""
    parser = argparse.ArgumentParser(description="Make the locales' letters, subtags and names.")
    parser.add_argument("--packages", type=Path, help="a folder with the fetched archives")
    given: Path | None = parser.parse_args().packages
    with tempfile.TemporaryDirectory() as temporary:
        folder = given or Path(temporary)
        letters, core, names = (
            folder / f"{package}-{VERSION}.tgz" if given else fetch(package, folder)
            for package in ("cldr-misc-full", "cldr-core", "cldr-localenames-full")
        )
        characters = read_exemplars(letters)
        tables = read_subtags(core, {tag.split("-")[0] for tag in characters})
        languages = read_languages(names, core, characters)
    write("exemplars.json", "cldr-misc-full, main exemplar characters", {"characters": characters})
    write("subtags.json", "cldr-core, aliases and likely subtags", tables)
    source = "cldr-localenames-full, names of languages; cldr-core, likely regions and aliases"
    write("languages.json", source, {"languages": languages})


def fetch(package: str, folder: Path) -> Path:
    """Fetch a package's archive from npm's registry into `folder`."""
    command = ["npm", "pack", "--silent", f"{package}@{VERSION}"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / f"{package}-{VERSION}.tgz"


def write(name: str, source: str, tables: Mapping[str, Mapping[str, object]]) -> None:
    """Write a generated file atomically (a temporary one, then a rename) and say how large."""
    path = OUT / name
    content: dict[str, object] = {
        "source": f"CLDR {VERSION}, npm package {source}",
        "licence": "Unicode-3.0",
        "made_by": "tools/make_exemplars.py",
        **tables,
    }
    temporary = path.with_suffix(".tmp")
    temporary.write_text(
        json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )
    temporary.replace(path)
    counts = ", ".join(f"{len(table)} {key}" for key, table in tables.items())
    sys.stdout.write(f"{path}: {counts}\n")


if __name__ == "__main__":
    main()
