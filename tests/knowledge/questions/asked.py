"""Questions and statements as tests need them. In: a few values. Out: `MemeQuestion`s."""

from __future__ import annotations

from memeloc.knowledge.questions import MemeQuestion
from memeloc.knowledge.statements import DimensionKnowledge, MemeKnowledge, Statement


def question(meme: str, dimension: str = "toxicity", **values: object) -> MemeQuestion:
    """A question about a meme, with other values where they are given."""
    texts = {
        "question": f"What is the {dimension} of {meme}?",
        "correct": "It sleeps",
        "plausible": "It rests",
        "implausible": "It drives",
        "none": "None of the others",
        "explanation": "It lies on the keyboard.",
    }
    return MemeQuestion(
        **{"meme": meme, "version": "en", "dimension": dimension, "language": "en"}
        | texts
        | {"statements": (f"{dimension}-1",)}
        | values  # type: ignore[arg-type]
    )


def knowledge(meme: str, *statements: Statement) -> MemeKnowledge:
    """What was found in a meme, a dimension for each that a statement has."""
    dimensions = dict.fromkeys(each.dimension for each in statements)
    return MemeKnowledge(
        *(meme, "content", "en", "en", "m-quest", "tiny"),
        tuple(
            DimensionKnowledge(
                name, "answered", statements=tuple(s for s in statements if s.dimension == name)
            )
            for name in dimensions
        ),
    )
