"""Knowledge that tests of graphs are about."""

from __future__ import annotations

from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)

ANSWER = Provenance("tiny", "tiny-1", "ab" * 32, "2026-11-23T07:00:00+00:00", {"temperature": 0.0})


def tea(text: str = "चाय मेज़ पर है", meme: str = "tea", version: str = "hi") -> MemeKnowledge:
    """A meme with all that a graph can have: entities, a relation, statements, links, a gap."""
    return MemeKnowledge(
        meme,
        "c" * 64,
        version,
        "hi",
        "m-quest",
        "tiny",
        (
            DimensionKnowledge(
                "scene",
                "answered",
                (Entity("cup", "प्याला", "thing", "scene"), Entity("table", "मेज़", "", "scene")),
                (Relation("cup", "nextTo", "table", "scene"),),
                (Statement("scene-1", "scene", text, ("cup", "table")),),
                provenance=ANSWER,
            ),
            DimensionKnowledge("mood", "empty", provenance=ANSWER),
            DimensionKnowledge("emotion", "missing", reason="The answer was cut off."),
            DimensionKnowledge(
                "toxicity",
                "answered",
                statements=(
                    Statement("toxicity-1", "toxicity", "ताना", (), "abusive", ("scene-1",)),
                ),
                provenance=ANSWER,
            ),
        ),
        ANSWER,
    )
