"""What memes mean, by a scripted model: statements, graphs, questions, what people find right.

The model is that of `examples/knowledge.sh`, behind a local server of the chat protocol.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from examples.scripted_model import FACTS, answer
from examples.simulated_team import Colleagues
from tests.chat_server import ChatServer
from tests.end_to_end.answering import CONTACT, answer_as_team, set_model
from tests.end_to_end.study import Study
from tests.worlds import STARTER, memeloc, read_rows, write_table

MEMES = list(FACTS)[:5]
ASKED = ("--collected", "none", "--pictures", "out", "--caption", "--statements-language", "en")


def scripted(number: int, body: dict[str, Any]) -> str:
    """Answer by the script."""
    content = next(each["content"] for each in body["messages"] if each["role"] == "user")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    return answer(text, any(part["type"] == "image_url" for part in parts))


def without_emotions(number: int, body: dict[str, Any]) -> str:
    """Answer by the script, but in a way that no program reads where emotions are asked about."""
    given = scripted(number, body)
    return "Joy." if '"feltBy"' in given and "owl" in given else given


def test_from_memes_to_a_benchmark(study: Study, chat: ChatServer) -> None:
    study.hide(r'"\[(system|user)\]\\n[^\n]*"', '"<question>"')
    chat.say = scripted
    rows = [row for row in read_rows(STARTER) if row["meme_id"] in MEMES]
    columns = ("meme_id", "template", "en", "de")
    captions = [{name: row[name] for name in columns} for row in rows]
    write_table(study.folder / "captions.csv", captions)
    study.run("init", ".", "--langs", "de")
    set_model(study.folder, model="scripted", price_in=2.0, price_out=8.0)
    study.run("import", "captions.csv")
    memeloc(study.folder, "render", "--langs", "en,de", "--max-side", 160, "--jobs", 1)

    study.run("knowledge", "status")
    study.run("knowledge", "ask", status=1)
    study.run("knowledge", "extract", "--recipe", "tea", status=1)
    study.run("knowledge", "extract", *ASKED, "--dry-run")
    study.run("knowledge", "extract", *ASKED, "--budget", 0.03, status=1)
    chat.say = without_emotions
    study.run("knowledge", "extract", *ASKED, "--json")
    study.run("knowledge", "status", "--json")
    study.run("knowledge", "extract", *ASKED, "--lang", "de")
    study.run("knowledge", "extract", *ASKED)
    study.run("knowledge", "status")

    study.run("knowledge", "status", "--check")
    study.run("knowledge", "status", "--check", "--json")
    for out, kind in (("memes.ttl", "ttl"), ("memes.jsonld", "jsonld"), ("memes.nq", "nquads")):
        study.run("knowledge", "export", out, "--to", kind)
    study.run("knowledge", "export", "tables", "--to", "parquet", "--json")
    statements = pd.read_parquet(study.folder / "tables" / "statements.parquet")
    own = statements[(statements["meme"] == MEMES[0]) & (statements["version"] == "en")]
    study.show("statements about one meme", own.drop(columns=["graph", "meme", "recipe", "prompt"]))
    values = "WHERE { ?s ml:value ?value } GROUP BY ?value ORDER BY ?value"
    count = f"SELECT ?value (COUNT(*) AS ?statements) {values}"
    texts = "SELECT ?text WHERE { ?s a ml:Statement ; ml:text ?text } ORDER BY ?text"
    study.run("knowledge", "query", count, "--json")
    (study.folder / "texts.rq").write_text(texts)
    study.run("knowledge", "query", "texts.rq", "--rows", 3)
    study.run("knowledge", "query", "texts.rq", "--out", "texts.csv")
    study.run("knowledge", "query", "SELECT ?tea WHERE", status=1)
    study.run("knowledge", "export", "pages", "--to", "pages", "--pictures", "out", "--json")
    study.files("pages")
    study.run("knowledge", "compare", "--langs", "en,de", "--out", "comparison")
    study.run("knowledge", "compare", "--langs", "en", status=2)

    study.run("knowledge", "ask", "--lang", "en", "--dry-run")
    study.run("knowledge", "questions", status=1)
    study.run("knowledge", "ask", "--lang", "en", "--json")
    study.run("knowledge", "ask", "--lang", "en")
    study.run("knowledge", "questions", "--lang", "en", "--out", "questions")
    study.run("knowledge", "questions", "--validity", "--lang", "en")
    study.run("knowledge", "export", "benchmark", "--to", "benchmark", "--lang", "en", status=1)
    judges = [{"participant": f"judge-{n}@team.example", "group": "judge"} for n in range(1, 4)]
    write_table(study.folder / "judges.csv", judges)
    stage = ("--sample", 2, "--cultures", "US", "--people", "judges.csv", "--lang", "en", "--stage")
    study.run("knowledge", "survey", "too-early", *stage, "others", status=1)
    study.run("knowledge", "survey", "toxic", *stage, "toxicity")
    judge(study, "toxic")
    built = study.run("knowledge", "survey", "others", *stage, "others", "--answers", 2, "--json")
    for survey in built["surveys"]:
        judge(study, survey["survey"], quietly=True)
    study.run("knowledge", "questions", "--validity", "--lang", "en", "--out", "validity")
    study.file("validity/tables/validity.csv")
    study.run("knowledge", "export", "benchmark", "--to", "benchmark", "--lang", "en", "--json")
    study.file("benchmark/questions.csv")

    examined = ("--data", "benchmark", "--model", "scripted", "--out", "exam")
    study.run("evaluate", "m-quest", *examined)
    study.file("exam/tables/dimensions.csv")
    stored = ("exam/answers.parquet", "--run", "m-quest", "--gold", "benchmark/questions.csv")
    study.run("evaluate", "score", *stored)
    study.run("knowledge", "questions", "--lang", "en", "--answers", "exam")
    study.check()


def judge(study: Study, name: str, *, quietly: bool = False) -> None:
    """Have a survey of judgements filled in, and settle it."""
    run = partial(memeloc, study.folder) if quietly else study.run
    run("survey", "export", name, "--to", "html", *CONTACT, "--set", "codes=false")
    answer_as_team(study.folder, name, name, seed=19, colleagues=Colleagues(agreement=0.95))
    run("survey", "import", name, name)
    run("survey", "check", name)
    run("survey", "settle", name)
