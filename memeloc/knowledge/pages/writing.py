"""Pages of memes as files. In: `MemeKnowledge`s with their pictures. Out: a folder to open.

`index.html` lists the memes, `memes/` has a page of each. They need no network and no scripts;
every text is escaped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import MemelocError
from memeloc.files import replacing
from memeloc.knowledge.dimensions import Dimension
from memeloc.knowledge.pages.drawing import draw, hues_of
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.pages import fill_page
from memeloc.tables.cells import drawable

_MEME_PAGE = Path(__file__).with_name("meme.html")
_INDEX_PAGE = Path(__file__).with_name("index.html")
_UNSAFE = re.compile(r"[^\w-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class KnowledgePages:
    """The pages that were written.

    Attributes:
        index: open this.
        without_picture: memes whose picture could not be read, or is not known.
    """

    index: Path
    memes: int
    without_picture: int


def write_pages(
    memes: Iterable[MemeKnowledge],
    out: Path,
    *,
    inputs: Mapping[tuple[str, str], MemeInput],
    dimensions: Mapping[str, Dimension],
    on_progress: Callable[[int], None] = lambda more: None,
) -> KnowledgePages:
    """Write an index and a page a meme and version.

    Args:
        out: a folder; files of the same names in it are replaced.
        inputs: by id and version what the model was given of a meme: its picture and text.
        dimensions: by id, for their names and definitions.
        on_progress: gets how many pages more are written.

    Raises:
        InputError: a file cannot be written.
    """
    entries = []
    for knowledge in memes:
        given = inputs.get((knowledge.meme, knowledge.version))
        name = _name(knowledge)
        picture = _write_picture(given, out, name)
        ids = [each.dimension for each in knowledge.dimensions]
        names = {id: dimensions[id].name if id in dimensions else id for id in ids}
        statements = {each.id: each for each in knowledge.statements()}
        page = fill_page(
            _MEME_PAGE,
            knowledge=knowledge,
            picture=f"../{picture}" if picture else "",
            text=given.text if given else "",
            drawing=draw(knowledge, names),
            hues=hues_of(knowledge),
            names=names,
            dimensions=dimensions,
            entities=knowledge.entities(),
            statements=statements,
        )
        _write(out / "memes" / f"{name}.html", page)
        entries.append(
            {
                "file": f"memes/{name}.html",
                "meme": drawable(knowledge.meme),
                "version": knowledge.version,
                "language": knowledge.language,
                "statements": len(statements),
                "missing": sum(each.state == "missing" for each in knowledge.dimensions),
                "picture": picture,
                "text": drawable(given.text) if given else "",
            }
        )
        on_progress(1)
    _write(out / "index.html", fill_page(_INDEX_PAGE, entries=entries))
    without = sum(not entry["picture"] for entry in entries)
    return KnowledgePages(out / "index.html", len(entries), without)


def _write_picture(given: MemeInput | None, out: Path, name: str) -> str:
    """The picture's path in `out`; empty where there is none."""
    if given is None or given.picture is None:
        return ""
    try:
        content = given.picture.read()
    except MemelocError:
        return ""  # it was there when the model was asked; the page is worth having without it
    path = f"pictures/{name}.jpg"
    with replacing(out / path) as temporary:
        temporary.write_bytes(content)
    return path


def _name(knowledge: MemeKnowledge) -> str:
    """A name that every file system takes, and that is another one for another graph."""
    key = repr((knowledge.meme, knowledge.version, knowledge.language))
    start = _UNSAFE.sub("-", f"{knowledge.meme}-{knowledge.version}".strip("-"))[:60]
    return f"{start}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(drawable(text), encoding="utf-8", newline="\n")
