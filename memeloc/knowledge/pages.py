"""Pages of memes. In: `MemeKnowledge`s with their pictures. Out: a folder of HTML to open.

`index.html` lists the memes, `memes/` has a page of each: picture, graph, and every statement with
where it comes from. Pages need no network; every text is escaped. The graph is drawn by
Cytoscape.js 3.30.2 (MIT, js.cytoscape.org), which is put into the folder; a browser that runs no
scripts has the statements in their sections.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from memeloc.errors import MemelocError
from memeloc.files import replacing
from memeloc.knowledge.dimensions import Dimension
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.prompts import MemeInput
from memeloc.pages import encode_json, fill_page, script_hash
from memeloc.tables.cells import drawable

LIBRARY = "cytoscape.min.js"
_PAGES = Path(__file__).with_name("page")


def write_pages(
    memes: Iterable[MemeKnowledge],
    out: Path,
    *,
    inputs: Mapping[tuple[str, str], MemeInput],
    dimensions: Mapping[str, Dimension],
    on_progress: Callable[[int], None] = lambda more: None,
) -> dict[str, Any]:
    """Write an index and a page a meme and version. Raise InputError if a file cannot be written.

    Args:
        out: a folder; files of the same names in it are replaced.
        inputs: by id and version what the model was given of a meme: its picture and text.
        dimensions: by id, for their names and definitions.
        on_progress: gets how many pages more are written.

    Returns:
        `index`, the page to open, the number of `memes`, and of those `without_picture`, whose
        picture could not be read, or is not known.
    """
    script = (_PAGES / "graph.js").read_text(encoding="utf-8")
    entries = []
    for knowledge in memes:
        shown = inputs.get((knowledge.meme, knowledge.version))
        text = drawable(shown.text) if shown else ""
        # A name that every file system takes, and that is another one for another graph.
        key = repr((knowledge.meme, knowledge.version, knowledge.language))
        start = f"{knowledge.meme}-{knowledge.version}".strip("-")
        name = re.sub(r"[^\w-]+", "-", start, flags=re.ASCII)[:60]
        name += f"-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        picture = _write_picture(shown, out, f"pictures/{name}.jpg")
        statements = {each.id: each for each in knowledge.statements()}
        page = fill_page(
            _PAGES / "meme.html",
            knowledge=knowledge,
            picture=picture,
            text=text,
            graph=encode_json(graph(knowledge)),
            script=script,
            hash=script_hash(script),
            hues=_hues(knowledge),
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
                "text": text,
            }
        )
        on_progress(1)
    index = out / "index.html"
    _write(index, fill_page(_PAGES / "index.html", entries=entries))
    with replacing(out / LIBRARY) as temporary:
        shutil.copyfile(_PAGES / LIBRARY, temporary)
    without = sum(not entry["picture"] for entry in entries)
    return {"index": index, "memes": len(entries), "without_picture": without}


def _write_picture(shown: MemeInput | None, out: Path, path: str) -> str:
    """Write a meme's picture; return its path in `out`, empty where there is none."""
    try:
        content = shown.picture.read() if shown and shown.picture else b""
    except MemelocError:
        content = b""  # it was there when the model was asked; the page is worth having without it
    if content:
        with replacing(out / path) as temporary:
            temporary.write_bytes(content)
    return path if content else ""


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(drawable(text), encoding="utf-8", newline="\n")


def _hues(knowledge: MemeKnowledge) -> dict[str, int]:
    """Return a colour for each dimension, as an angle of the wheel of colours."""
    ids = [each.dimension for each in knowledge.dimensions]
    return {id: 360 * place // len(ids) for place, id in enumerate(ids)}


def graph(knowledge: MemeKnowledge) -> list[dict[str, Any]]:
    """Return the nodes and edges of a meme's graph, as Cytoscape takes them.

    Statements stand in a column, by dimension; entities in another beside it, in the order of the
    mean row of the statements about them. An edge says what a statement is `about` or `rests` on,
    or is a `relation` of entities.
    """
    statements, entities, hues = (
        list(knowledge.statements()),
        knowledge.entities(),
        _hues(knowledge),
    )
    rows = {each.id: row for row, each in enumerate(statements)}
    about = [(each.id, id) for each in statements for id in each.entities if id in entities]
    last = len(rows)

    def mean_row(id: str) -> float:
        return fmean([rows[source] for source, target in about if target == id] or [last])

    order = {id: row for row, id in enumerate(sorted(entities, key=mean_row))}
    nodes = [
        ("statement", each.id, each.text, hues[each.dimension], rows[each.id])
        for each in statements
    ]
    nodes += [
        ("entity", f"entity {each.id}", each.label, hues.get(each.dimension, 0), order[each.id])
        for each in entities.values()
    ]
    edges = [("about", source, f"entity {target}", "") for source, target in about]
    edges += [("rests", s.id, id, "") for s in statements for id in s.rests_on if id in rows]
    edges += [
        ("relation", f"entity {each.source}", f"entity {each.target}", each.name)
        for part in knowledge.dimensions
        for each in part.relations
        if each.source in entities and each.target in entities
    ]
    of_node, of_edge = ("kind", "id", "text", "hue", "row"), ("kind", "source", "target", "text")
    return [{"data": dict(zip(of_node, node, strict=True))} for node in nodes] + [
        {"data": dict(zip(of_edge, edge, strict=True))} for edge in edges
    ]
