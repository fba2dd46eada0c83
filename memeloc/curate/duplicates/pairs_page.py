"""Pairs as one page that works from disk. In: rows to review. Out: HTML with all that it needs.

Both pictures stand side by side, 1, 2 and 3 answer, and the browser keeps the answers until they
are saved as CSV, which `memeloc.curate.review.read_review` reads. The page asks nothing of
any network, and everything that came from elsewhere is only ever text to it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.review import ANSWER, HINT, SIDES, ReviewQuestion
from memeloc.pages import browser_store, fill_page, script_hash
from memeloc.sheets import write_sheet
from memeloc.tables import drawable

MOST_PAIRS = 1000
"""Pairs on one page, which holds all their pictures."""

_FOLDER = Path(__file__).parents[1] / "pages"


def write_pairs_page(
    question: ReviewQuestion, rows: Iterable[Mapping[str, Any]], path: Path, person: str
) -> Path:
    """Write a page; return where it is, see `memeloc.sheets`.

    Raises:
        InputError: it cannot be written.
    """
    text = pairs_page(question, list(rows), person)
    return write_sheet(path, lambda draft: draft.write_text(text, encoding="utf-8"))[0]


def pairs_page(question: ReviewQuestion, rows: Sequence[Mapping[str, Any]], person: str) -> str:
    """The page of at most `MOST_PAIRS` pairs, for the person who answers."""
    pictures: dict[str, str] = {}
    data = {
        "question": question.name,
        "person": drawable(person),
        "answers": dict(question.answers),
        "headings": ["question", "person", "subject", ANSWER, "comment", "content"],
        "rows": [_row(row, pictures) for row in rows],
        "pictures": pictures,
    }
    # Other pairs or pictures, or another person, have a store of their own in the browser.
    shown = (f"{row['subject']}|{row['content']}" for row in rows)
    named = "|".join([question.name, person, *shown])
    own = (_FOLDER / "pairs.js").read_text(encoding="utf-8")
    script = f'"use strict";\n{browser_store()}{own}'
    return fill_page(
        _FOLDER / "pairs.html",
        question=question,
        data=data,
        store=hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:16],
        script=script,
        script_hash=script_hash(script),
        style=(_FOLDER / "pairs.css").read_text(encoding="utf-8"),
    )


def _row(row: Mapping[str, Any], pictures: dict[str, str]) -> dict[str, Any]:
    return {
        "subject": drawable(row["subject"]),
        "sides": [_side([row[name] for name in names], pictures) for names in SIDES],
        "hint": drawable(row[HINT][0]),
        "scores": {name.replace("_", " "): round(each, 4) for name, each in row["scores"].items()},
        "answer": row[ANSWER],
        "comment": drawable(row["comment"]),
        "content": row["content"],
    }


def _side(cells: Sequence[Any], pictures: dict[str, str]) -> dict[str, str]:
    """Return a side; its picture is kept once, however many pairs it stands in."""
    key, (picture, text, (name, facts)) = "", cells
    if picture is not None and picture.is_file():
        content = picture.read_bytes()
        key = hashlib.sha256(content).hexdigest()[:16]
        pictures.setdefault(key, f"data:image/jpeg;base64,{base64.b64encode(content).decode()}")
    texts = {"name": name, "text": "" if text == name else text, "about": facts}
    return {"picture": key} | {field: drawable(own) for field, own in texts.items()}
