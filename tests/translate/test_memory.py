"""The translation memory: exact fills, similar only when asked; TMX to and from other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rapidfuzz import fuzz
from translate.storage import tmx as toolkit

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.translate import (
    MemoryUnit,
    TranslationItem,
    TranslationMemory,
)
from memeloc.translate.memory import read_tmx, write_tmx

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
