"""The page that shows a parallel set. In: OUT/manifest.parquet. Out: OUT/index.html.

The page works from disk, without server or network. Browsers do not let a page opened from disk
fetch files, so the data comes as scripts: the first memes stand in index.html itself, the others in
OUT/.memeloc/page/, in chunks of `CHUNK` memes, one file for the grid and one for the proofs of
each. Those files are named after their content and the old ones go last, so a page is whole at any
instant.

Captions are hostile until shown otherwise. They reach the page as JSON whose `<`, `>` and `&` are
escaped, become text nodes and never HTML, and a Content-Security-Policy lets run only the script
whose hash it carries, and what that script loads.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.render.proof import PROBLEMS
from memeloc.render.review import open_manifest

if TYPE_CHECKING:
    from memeloc.locales import Registry

CHUNK = 200
"""Memes a data file."""

_SOURCES = Path(__file__).parent / "page_files"
_SCRIPTS = ("data.js", "find.js", "grid.js", "view.js", "start.js")
_ROW = ("meme_id", "template", "language", "text", "problems", "width", "height", "path")
_PROOF = (
    "parts",
    "font_size",
    "size_share",
    "relative_size",
    "contrast",
    "fonts",
    "missing",
    "truncated",
    "coverage",
    "middle_coverage",
    "bytes",
    "sha256",
)
_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

Json = Any  # what json.dumps takes


def embed(value: Json) -> str:
    """`value` as JSON that is safe inside a script element and as JavaScript.

    >>> embed("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():  # much faster than str.translate
        text = text.replace(character, escape)
    return text


@dataclass(slots=True)
class _Index:
    """What a first reading of the manifest's narrow columns tells."""

    memes: dict[str, int] = field(default_factory=dict)  # id -> number, in the order of appearance
    pictures_of: Counter[int] = field(default_factory=Counter)  # chunk -> pictures in it
    templates: dict[str, set[str]] = field(default_factory=dict)  # name -> ids
    locales: dict[str, str] = field(default_factory=dict)  # language -> tag
    problems: Counter[str] = field(default_factory=Counter)  # kind -> pictures
    flagged: Counter[str] = field(default_factory=Counter)  # language -> pictures with problems
    pictures: int = 0
    suffix: str = "jpg"


def write_page(out: Path, registry: Registry | None = None) -> Path:
    """Write OUT/index.html from OUT/manifest.parquet and return its path.

    Memory stays flat in the number of pictures as long as the pictures of a meme stand near each
    other in the manifest; with any other order the page is the same, and the memory grows.

    Args:
        out: the folder that `memeloc render` wrote.
        registry: names and directions of the languages; the built-in locales when None. A tag it
            does not know is shown as it is, with the direction of its own letters.

    Raises:
        InputError: the manifest is missing or is none.
    """
    if registry is None:
        from memeloc.locales import default

        registry = default()
    index = _read_index(out)
    folder = out / ".memeloc" / "page"
    folder.mkdir(parents=True, exist_ok=True)
    chunks = -(-len(index.memes) // CHUNK)
    names: tuple[list[str], list[str]] = ([""] * chunks, [""] * chunks)
    first: list[Json] = []
    for chunk, rows, proofs in _read_chunks(out, index):
        if chunk == 0:
            first = rows
        else:
            names[0][chunk] = _write_data(folder, "rows", f"memelocRows({chunk},{embed(rows)})")
        names[1][chunk] = _write_data(folder, "proofs", f"memelocProofs({chunk},{embed(proofs)})")
    page = out / "index.html"
    about = _about(index, registry) | {"rows": names[0], "proofs": names[1]}
    _write(page, "".join(_fill(_title(out), about, first)))
    for stale in folder.iterdir():
        if stale.name not in {*names[0], *names[1]}:
            stale.unlink(missing_ok=True)
    return page


def _read_index(out: Path) -> _Index:
    index = _Index()
    columns = ["meme_id", "template", "language", "locale", "problems", "path"]
    with open_manifest(out) as manifest:
        for batch in manifest.iter_batches(batch_size=8192, columns=columns, use_threads=False):
            table = batch.to_pydict()
            if batch.num_rows and not index.pictures:
                index.suffix = PurePosixPath(table["path"][0]).suffix.lstrip(".")
            index.pictures += batch.num_rows
            index.locales.update(zip(table["language"], table["locale"], strict=True))
            for meme, template, language, problems in zip(
                table["meme_id"],
                table["template"],
                table["language"],
                table["problems"],
                strict=True,
            ):
                number = index.memes.setdefault(meme, len(index.memes))
                index.pictures_of[number // CHUNK] += 1
                index.templates.setdefault(template, set()).add(meme)
                if problems:
                    index.flagged[language] += 1
                    index.problems.update(set(problems))
    return index


def _read_chunks(out: Path, index: _Index) -> Iterator[tuple[int, list[Json], list[Json]]]:
    """Each chunk once all its pictures have come by: its number, its rows, its proofs."""
    languages = {language: i for i, language in enumerate(index.locales)}
    templates = {template: i for i, template in enumerate(sorted(index.templates))}
    left = Counter(index.pictures_of)
    rows: dict[int, dict[int, list[Json]]] = {}
    proofs: dict[int, dict[int, list[Json]]] = {}
    with open_manifest(out) as manifest:
        columns = [*_ROW, *_PROOF]
        # Few rows at a time and no threads, each of which would keep memory of its own.
        for batch in manifest.iter_batches(batch_size=256, columns=columns, use_threads=False):
            for picture in batch.to_pylist():
                meme = index.memes[picture["meme_id"]]
                chunk, language = meme // CHUNK, languages[picture["language"]]
                row = rows.setdefault(chunk, {}).setdefault(
                    meme, [picture["meme_id"], templates[picture["template"]], [0] * len(languages)]
                )
                row[2][language] = _cell(picture, index.suffix)
                proof = proofs.setdefault(chunk, {}).setdefault(meme, [0] * len(languages))
                proof[language] = _proof(picture)
                left[chunk] -= 1
                if not left[chunk]:
                    yield chunk, _in_order(rows.pop(chunk)), _in_order(proofs.pop(chunk))


def _in_order(found: dict[int, list[Json]]) -> list[Json]:
    return [found[number] for number in sorted(found)]


def _cell(picture: dict[str, Any], suffix: str) -> list[Json]:
    """What the grid needs of a picture; data.js names the places."""
    usual = f"{picture['language']}/{picture['template']}/{picture['meme_id']}.{suffix}"
    relative = [size for size in picture["relative_size"] or () if size]
    return [
        picture["text"],
        sum(1 << bit for bit, kind in enumerate(PROBLEMS) if kind in picture["problems"]),
        picture["width"],
        picture["height"],
        round(min(relative), 3) if relative else 0,
        0 if picture["path"] == usual else picture["path"],
    ]


def _proof(picture: dict[str, Any]) -> Json:
    """What the large view shows of a picture besides its cell."""
    columns = ("parts", "font_size", "size_share", "relative_size", "contrast")
    parts = zip(*(picture[name] for name in columns), strict=True)
    fonts: list[list[str]] = picture["fonts"]
    return {
        "parts": [
            [name, *(None if value is None else round(value, 4) for value in values), families]
            for (name, *values), families in zip(parts, fonts, strict=True)
        ],
        "missing": picture["missing"],
        "truncated": picture["truncated"],
        "coverage": round(picture["coverage"], 5),
        "middle": round(picture["middle_coverage"], 5),
        "bytes": picture["bytes"],
        "sha256": picture["sha256"],
    }


def _about(index: _Index, registry: Registry) -> dict[str, Json]:
    languages = []
    for language, tag in index.locales.items():
        name = native = language
        direction = "auto"
        with contextlib.suppress(InputError):
            locale = registry.get(tag)
            name, native, direction = locale.name, locale.native_name, locale.direction
        languages.append(
            {
                "language": language,
                "folder": language,
                "locale": tag,
                "name": name,
                "native": native,
                "direction": direction,
                "problems": index.flagged[language],
            }
        )
    return {
        "memes": len(index.memes),
        "pictures": index.pictures,
        "flagged": index.flagged.total(),
        "chunk": CHUNK,
        "suffix": index.suffix,
        "languages": languages,
        "templates": [
            {"name": name, "memes": len(index.templates[name])} for name in sorted(index.templates)
        ],
        "problems": [{"name": kind, "pictures": index.problems[kind]} for kind in PROBLEMS],
    }


def _title(out: Path) -> str:
    return out.resolve().name or "memeloc"


def _fill(title: str, about: Json, first: Json) -> Iterator[str]:
    """The page in pieces: what replaces a mark is never searched for marks itself."""
    style = (_SOURCES / "page.css").read_text("utf-8")
    scripts = [(_SOURCES / name).read_text("utf-8") for name in _SCRIPTS]
    script = '(() => {\n"use strict";\n' + "\n".join(scripts) + "})();\n"
    policy = (
        f"default-src 'none'; img-src 'self' file: data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)} 'strict-dynamic'; base-uri 'none'; form-action 'none'"
    )
    values = {
        "POLICY": html.escape(policy),
        "TITLE": html.escape(title),
        "STYLE": style,
        "ABOUT": embed(about),
        "FIRST": embed(first),
        "SCRIPT": script,
    }
    pieces = (_SOURCES / "index.html").read_text("utf-8").split("@@")
    for i, piece in enumerate(pieces):
        yield values[piece] if i % 2 else piece


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _write_data(folder: Path, kind: str, script: str) -> str:
    name = f"{kind}-{hashlib.sha256(script.encode()).hexdigest()[:16]}.js"
    if not (folder / name).exists():
        _write(folder / name, script)
    return name


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf-8", newline="\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
