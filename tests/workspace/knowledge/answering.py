"""What a simulated model answers about dimensions. In: a request. Out: JSON that fits its form."""

from __future__ import annotations

import json
from typing import Any


def text_of(body: dict[str, Any]) -> str:
    """The text of a request's second message, the question."""
    content = body["messages"][1]["content"]
    return content if isinstance(content, str) else str(content[0]["text"])


def dimension_of(body: dict[str, Any]) -> str:
    """The name of the dimension that is asked about; empty for the linking step."""
    text = text_of(body)
    return text.removeprefix("The dimension: ").partition(".")[0] if "The dimension" in text else ""


def found(**more: Any) -> str:
    """An answer with one entity and one statement about it; `more` replaces parts of it."""
    value = {
        "entities": [{"id": "grey-cat", "label": "a grey cat", "kind": ""}],
        "relations": [],
        "statements": [{"text": "A cat waits for tea.", "entities": ["grey-cat"]}],
    }
    return json.dumps({**value, **more}, ensure_ascii=False)


def right(number: int, body: dict[str, Any]) -> str:
    """A right answer to any question of the recipe m-quest."""
    dimension = dimension_of(body)
    if not dimension:
        return json.dumps({"links": [{"statement": "toxicity-1", "rests_on": ["scene-1"]}]})
    if dimension == "Toxicity":
        harm = {"text": "It mocks cats.", "entities": ["grey-cat"], "value": "harmful"}
        return found(statements=[harm])
    return found()


def asked(number: int, body: dict[str, Any]) -> str:
    """What the simulated model answers: statements, links or a question."""
    text = text_of(body)
    if "How a question" not in text:
        return right(number, body)
    name = text.removeprefix("The dimension is ").partition(":")[0]
    return json.dumps(
        {
            "question": f"What does the meme say by its {name.lower()}?",
            "correct": "Tea comes first",
            "plausible": "Work comes first",
            "implausible": "Trains are late",
            "explanation": "The cat waits for tea.",
        }
    )
