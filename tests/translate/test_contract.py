"""What every translator promises (memeloc.translate.protocol.Translator), held for each of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.translate import (
    Answer,
    Estimate,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    create,
    names,
    run,
)
from tests.chat_server import serve_chat
from tests.translate.google_server import serve_rest
from tests.translate.tiny_model import write_argos, write_pieces

Item = Callable[..., TranslationItem]

TEXTS = ["me // my code", "// only below", "two // parts // again", "one", "a\nb // c"]


@pytest.fixture(params=[name for name in names() if name != "memory"])
def translator(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Translator]:
    """Each translator that answers, as a user sets it up; services are local servers."""
    name = request.param
    if name == "google":
        with serve_rest() as google:
            yield create(name, {"endpoint": google.endpoint})
    elif name == "openai":
        with serve_chat() as chat:
            yield create(name, {"base_url": chat.url, "model": "tiny", "price_in": 1})
    elif name == "ctranslate2":
        write_argos(tmp_path / "en_de", "en", "de", write_pieces(tmp_path / "pieces"))
        yield create(name, {"models": str(tmp_path)})
    else:
        yield create(name)


def test_every_item_taken_gets_one_answer_with_its_parts(
    translator: Translator, item: Item
) -> None:
    items = [item(text) for text in TEXTS * 3]
    answers = list(translator.translate(items))
    assert sorted(answer.meme_id for answer in answers) == sorted(each.meme_id for each in items)
    sources = {each.meme_id: each.source for each in items}
    for answer in answers:
        assert isinstance(answer, Translation)
        assert (answer.language, answer.translator) == ("de", translator.name)
        source = sources[answer.meme_id]
        assert [bool(part) for part in answer.caption.parts] == [bool(p) for p in source.parts]
        assert answer.cost >= 0
        assert answer.characters >= 0


def test_items_are_taken_as_needed_from_the_callers_thread(
    translator: Translator, item: Item
) -> None:
    taken: list[str] = []
    threads = set()

    def coming() -> Iterator[TranslationItem]:
        for number in range(5000):
            threads.add(threading.get_ident())
            taken.append(str(number))
            yield item(TEXTS[number % len(TEXTS)], meme_id=str(number))

    answers = translator.translate(coming())
    next(answers)
    assert len(taken) < 5000
    answers.close()  # type: ignore[attr-defined]
    assert threads == {threading.get_ident()}


def test_an_estimate_is_a_sum_and_a_bound(translator: Translator, item: Item) -> None:
    items = [item(text) for text in TEXTS]
    whole = translator.estimate(items)
    assert whole == sum((translator.estimate([each]) for each in items), Estimate())
    assert whole.strings > 0
    assert whole.characters > 0
    assert whole.cost <= whole.most
    answers: list[Answer] = list(translator.translate(items))
    assert sum(answer.cost for answer in answers) <= whole.most
    assert translator.estimate([]) == Estimate()


def test_one_failure_does_not_stop_the_rest(translator: Translator, item: Item) -> None:
    # 6,000 letters are more than Google takes; a language without a model, unit or server answer
    # is not there for the others.
    items = [item("me // my code", "de", meme_id="good"), item(f"{'x' * 6000}", "hi", meme_id="x")]
    answers: list[Translation] = []
    summary = run(items, translator, on_answer=answers.append)
    assert "good" in {answer.meme_id for answer in answers}
    assert len(answers) + len(summary.failures) == 2
    assert all(isinstance(each, TranslationFailure) for each in summary.failures)
    assert summary.stopped is None
