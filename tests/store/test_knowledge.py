from dataclasses import replace

from memeloc.knowledge.statements import KnowledgeAnswer
from memeloc.store import Store

ANSWER = KnowledgeAnswer(
    *("cat", "c" * 64, "de", "extract", "scene", "m-quest", "hi", "tiny", "p" * 64),
    status="answered",
    value={"statements": [{"text": "चाय मेज़ पर है"}]},
    settings={"temperature": 0.0},
    cost=0.5,
    currency="EUR",
)


def test_answers_come_back_as_they_went(store: Store) -> None:
    store.knowledge.add([ANSWER])
    (found,) = store.knowledge.find()
    assert found.created_at
    assert replace(found, created_at="") == ANSWER


def test_newest_answer_of_a_key_holds(store: Store) -> None:
    store.knowledge.add([replace(ANSWER, status="refused", value={}), ANSWER])
    store.knowledge.add([replace(ANSWER, step="ask"), replace(ANSWER, model="large")])
    found = store.knowledge.find(step="extract", model="tiny")
    assert [answer.status for answer in found] == ["answered"]
    assert len(store.knowledge.find()) == 3
