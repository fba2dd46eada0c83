"""The translation memory: exact fills, similar only when asked; TMX to and from other programs."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rapidfuzz import fuzz
from translate.storage import tmx as toolkit

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.translate import (
    Answer,
    Estimate,
    MemoryUnit,
    Translation,
    TranslationFailure,
    TranslationItem,
    TranslationMemory,
    Translator,
    create,
    names,
    run,
)
from memeloc.translate.memory import read_tmx, write_tmx
from tests.chat_server import serve_chat
from tests.translate.google_server import serve_rest
from tests.translate.tiny_model import write_argos, write_pieces

Item = Callable[..., TranslationItem]


def _memory(*pairs: tuple[str, str], language: str = "de") -> TranslationMemory:
    return TranslationMemory(
        MemoryUnit("en", language, Caption.parse(source).parts, Caption.parse(target).parts)
        for source, target in pairs
    )


def test_a_similar_match_fills_only_when_asked(item: Item) -> None:
    memory = _memory(
        ("when the build passes // on the first try", "A // B"),
        ("when the build fails // on the last try", "C // D"),
    )
    asked = item("when the build passes // on the third try")
    assert memory.find(asked) is None
    match = memory.find(asked, 0.9)
    assert match is not None
    assert match.texts == ("A", "B")
    joined = "when the build passes // on the {} try"
    letters = fuzz.ratio(joined.format("first"), joined.format("third")) / 100
    expected = (2 * 7 / (8 + 8) + letters) / 2
    assert match.score == pytest.approx(expected)
    assert match.mark == f"fuzzy {int(expected * 100) / 100:.2f}"
    assert memory.find(asked, 0.99) is None
    assert memory.find(item("when the build passes on the third try"), 0.5) is None


UNITS = [
    MemoryUnit("en", "de", ("me & <you>", "my code"), ("ich & <du>", "mein Code"), "corrected"),
    MemoryUnit("en", "ar", ("my code",), ("الكود الخاص بي 😀",), "settled"),
    MemoryUnit("en", "zh-Hans", ("two\nlines",), ("两\n行",), ""),
]


def test_tmx_comes_back_whole_and_another_program_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "memes.tmx"
    assert write_tmx(UNITS, path, source_language="en") == 3
    back = list(read_tmx(path))
    assert [(unit.source, unit.target, unit.language) for unit in back] == [
        (unit.source, unit.target, unit.language) for unit in UNITS
    ]
    assert not list(tmp_path.glob(".*"))
    for unit in UNITS:
        store = toolkit.tmxfile(path.open("rb"), sourcelanguage="en", targetlanguage=unit.language)
        read = {unit.source: unit.target for unit in store.units if unit.target}
        assert read[" // ".join(unit.source)] == " // ".join(unit.target)


FOREIGN = """<?xml version="1.0" encoding="UTF-16"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header creationtool="X" creationtoolversion="1" segtype="sentence"
 o-tmf="x" adminlang="en-US" srclang="EN-US" datatype="html"/>
<body>
<tu><note>n</note>
 <tuv xml:lang="EN-US"><seg>Press <bpt i="1">&lt;b&gt;</bpt>the <hi>red</hi><ept i="1">&lt;/b&gt;</ept> button<ph>&lt;br/&gt;</ph>!</seg></tuv>
 <tuv xml:lang="DE-AT"><seg>Drück den roten Knopf!</seg></tuv>
 <tuv lang="zh_TW"><seg>按下紅色按鈕！</seg></tuv>
 <tuv xml:lang="tlh"><seg>leQ yI'uy</seg></tuv></tu>
<tu srclang="fr"><tuv xml:lang="fr"><seg>Bonjour</seg></tuv><tuv xml:lang="en"><seg>Hello</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>a // b</seg></tuv><tuv xml:lang="de"><seg>nur eins</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>ohne Quelle</seg></tuv></tu>
</body></tmx>"""  # noqa: E501


def test_foreign_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "foreign.tmx"
    path.write_bytes(FOREIGN.encode("utf-16"))
    skipped = Counter[str]()
    units = list(read_tmx(path, skipped=skipped))
    assert [(unit.source_language, unit.language, unit.source, unit.target) for unit in units] == [
        ("en", "de", ("Press the red button!",), ("Drück den roten Knopf!",)),
        ("en", "zh-Hant", ("Press the red button!",), ("按下紅色按鈕！",)),
        ("fr", "en", ("Bonjour",), ("Hello",)),
    ]
    assert skipped == {
        "the language tlh is not known": 1,
        "its languages have not the same number of parts": 1,
        "it has no text in the source language": 1,
    }
    only = list(read_tmx(path, source_language="en"))
    assert [(unit.source, unit.language) for unit in only][-1] == (("Hello",), "fr")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE tmx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tmx><body/></tmx>', "entities"),
        (
            '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
            '<tmx><body><tu><tuv xml:lang="en"><seg>&a;</seg></tuv></tu></body></tmx>',
            "entities",
        ),
        ("<xliff/>", "not <tmx>"),
        ("<tmx><body>", "not well-formed"),
        ("", "not well-formed"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.tmx"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        list(read_tmx(path))
    assert caught.value.file == str(path)


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
