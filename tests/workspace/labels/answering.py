"""What simulated models answer. In: names of labels, a request. Out: JSON, the text sent."""

from __future__ import annotations

import json
from typing import Any


def labels(*named: str, caption: str | None = None) -> str:
    """An answer with labels such as `offensive/shock`."""
    given = []
    for name in named:
        category, _, kind = name.partition("/")
        given.append({"category": category, **({"subcategory": kind} if kind else {})})
    text = {} if caption is None else {"caption": caption}
    return json.dumps({**text, "labels": given})


def text_of(body: dict[str, Any]) -> str:
    """The text of a request's last message."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[0]["text"])
