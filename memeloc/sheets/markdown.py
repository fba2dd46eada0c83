"""The translator's guide without its markup. In: Markdown. Out: paragraphs for a cell or a note.

The guides use little of it: headings, lists, quotations, emphasis, code, tables and wrapped lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OWN_LINE = re.compile(r"\s*(#|[-*] |\d+\. |>|\|)")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_EMPHASIS = re.compile(r"\*\*(.+?)\*\*|(?<![\w*])\*(?!\s)(.+?)(?<!\s)\*(?![\w*])")
_CODE = re.compile(r"`+ ?(.+?) ?`+")


def paragraphs(markdown: str) -> Iterator[tuple[bool, str]]:
    """Yield each paragraph of a guide, and whether it is a heading.

    >>> list(paragraphs("# How\\n\\nRead it\\n**aloud**.\\n- pick `skip`"))
    [(True, 'How'), (False, 'Read it aloud.'), (False, '• pick skip')]
    """
    held: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        if held and (not line.strip() or _OWN_LINE.match(line)):
            yield _paragraph(" ".join(held))
            held = []
        if line.strip() and not (_RULE.match(line) and "-" in line):
            held.append(line.strip())


def _paragraph(text: str) -> tuple[bool, str]:
    heading = text.startswith("#")
    text = text.lstrip("#> ") if heading or text.startswith(">") else text
    text = re.sub(r"^[-*] ", "• ", text)
    if text.startswith("|"):
        text = ": ".join(cell.strip() for cell in text.strip("|").split("|"))
    text = _EMPHASIS.sub(lambda match: match[1] or match[2], text)
    return heading, _CODE.sub(r"\1", text)
