"""A model that follows a script, behind the OpenAI protocol: what it knows stands in a file.

    python examples/scripted_model.py --ready address

It says of ten starter memes what knowledge_facts.toml has, writes questions of it, and answers
them: with a picture it knows the right option of four questions in five, without one it takes the
first. It knows a meme by its caption (`memeloc knowledge extract --caption`), in any language of
the starter set; of versions that are not English it does not find the community.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import tomllib
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FACTS = tomllib.loads((HERE / "knowledge_facts.toml").read_text("utf-8"))
DIMENSIONS = {
    "Textual Material": ("textual", "caption", "saidBy"),
    "Visual Material": ("visual", "object", "holds"),
    "Scene": ("scene", "situation", "takesPartIn"),
    "Background Knowledge": ("background", "concept", "refersTo"),
    "Overall Intent": ("intent", "purpose", "expresses"),
    "Emotion": ("emotion", "emotion", "feltBy"),
    "Target Community": ("community", "audience", "addresses"),
    "Semiotic Projection": ("semiotic", "role", "projectedOnto"),
    "Analogical Mapping": ("analogical", "quality", "mappedTo"),
    "Toxicity": ("toxicity", "element", "harms"),
}
"""By name its id, the kind of its entity, and a relation."""
IMPLAUSIBLE = "A penguin sells umbrellas to the moon."
_CAPTION = re.compile(r'quoted \(.*?\):\n("(?:[^"\\]|\\.)*")', re.DOTALL)
_OPTION = re.compile(r"^\s*\(?([A-D])[.):]\s*(.+?)\s*$", re.MULTILINE)


@cache
def captions() -> dict[str, tuple[str, str]]:
    """By caption its meme and language."""
    with (HERE / "starter" / "captions.csv").open(encoding="utf-8", newline="") as stream:
        return {
            row[language]: (row["meme_id"], language)
            for row in csv.DictReader(stream)
            if row["meme_id"] in FACTS
            for language in row
            if language not in ("meme_id", "template")
        }


def answer(text: str, with_picture: bool) -> str:
    """What the model answers to a question."""
    quoted = _CAPTION.search(text)
    known = captions().get(json.loads(quoted[1])) if quoted else None
    if known is None:
        return examined(text, with_picture)
    meme, language = known
    name = next((name for name in DIMENSIONS if f"dimension: {name}." in text), "")
    if name:
        return json.dumps(extracted(meme, language, name))
    if text.startswith("Statements of the dimension"):
        links = [{"statement": "toxicity-1", "rests_on": [f"{_basis(meme)}-1"]}]
        return json.dumps({"links": links})
    name = next(name for name in DIMENSIONS if f"dimension is {name}:" in text)
    return json.dumps(question(meme, name))


def extracted(meme: str, language: str, name: str) -> dict[str, Any]:
    """Entities, relations and statements of a dimension."""
    id, kind, relation = DIMENSIONS[name]
    facts = FACTS[meme]
    if id == "textual":
        text = next(text for text, known in captions().items() if known == (meme, language))
        parts = [part.strip() for part in text.split("//") if part.strip()]
        return {
            "entities": [
                {"id": f"text-{n}", "label": part, "kind": kind} for n, part in enumerate(parts, 1)
            ],
            "relations": [],
            "statements": [
                {"text": f"The text reads: {part}", "entities": [f"text-{n}"]}
                for n, part in enumerate(parts, 1)
            ],
        }
    if id not in facts or (id == "community" and language != "en"):
        return {"entities": [], "relations": [], "statements": []}
    label, sentence, *value = facts[id].split(" | ")
    own = {"id": id, "label": label, "kind": kind}
    if id == "visual":
        held = {"id": "held", "label": facts["holds"], "kind": "object"}
        entities, ends = [{**own, "kind": "character"}, held], ("visual", "held")
    else:
        outward = relation in ("takesPartIn", "refersTo", "expresses", "addresses", "mappedTo")
        entities, ends = [own], ("visual", id) if outward else (id, "visual")
    return {
        "entities": entities,
        "relations": [{"source": ends[0], "relation": relation, "target": ends[1]}],
        "statements": [
            {"text": sentence, "entities": [id], **({"value": value[0]} if value else {})}
        ],
    }


def question(meme: str, name: str) -> dict[str, str]:
    """A question about a dimension, whose wrong answer is the right one of another meme."""
    id = DIMENSIONS[name][0]
    right = _sentence(meme, id)
    others = sorted(
        (each for each in FACTS if each != meme and id in FACTS[each] | {"textual": ""}),
        key=lambda each: sha256(f"{meme} {each} {id}".encode()).digest(),
    )
    return {
        "question": f"{name}: what holds for this meme about {FACTS[meme]['about']}?",
        "correct": right,
        "plausible": _sentence(others[0], id),
        "implausible": IMPLAUSIBLE,
        "explanation": f"The script has it of {meme}: {right}",
    }


def examined(text: str, with_picture: bool) -> str:
    """The letter of an option: the right one of most questions, if there is a picture."""
    options = _OPTION.findall(text)
    right = {
        _sentence(meme, id)
        for meme in FACTS
        for id, *_ in DIMENSIONS.values()
        if f"about {FACTS[meme]['about']}?" in text
    }
    knows = with_picture and sha256(text[-300:].encode()).digest()[0] % 5 > 0
    letters = [letter for letter, option in options if knows and option in right]
    return f"{(letters or ['A'])[0]}. That is what the script says."


def _sentence(meme: str, id: str) -> str:
    if id == "textual":
        text = next(t for t, known in captions().items() if known == (meme, "en"))
        return f"It reads: {' / '.join(part.strip() for part in text.split('//') if part.strip())}"
    fact: str = FACTS[meme].get(id, "x | Nothing in it harms anybody.")
    return fact.split(" | ")[1]


def _basis(meme: str) -> str:
    """The dimension that a meme's toxicity rests on."""
    names = ("background", "intent", "scene", "visual")
    return names[sha256(meme.encode()).digest()[0] % len(names)]


class Handler(BaseHTTPRequestHandler):
    """Answers as a server of chat completions does."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a question."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
        parts = [{"type": "text", "text": asked}] if isinstance(asked, str) else asked
        text = "\n".join(part["text"] for part in parts if part["type"] == "text")
        given = answer(text, any(part["type"] == "image_url" for part in parts))
        content = json.dumps(
            {
                "choices": [{"index": 0, "message": {"role": "assistant", "content": given}}],
                "model": "scripted-1",
                "usage": {"prompt_tokens": 900, "completion_tokens": 90},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ready", type=Path, required=True, metavar="FILE")
    chosen = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    part = chosen.ready.with_name(f"{chosen.ready.name}.part")
    part.write_text(f"http://127.0.0.1:{server.server_port}/v1\n", encoding="utf-8")
    part.replace(chosen.ready)
    server.serve_forever()


if __name__ == "__main__":
    main()
