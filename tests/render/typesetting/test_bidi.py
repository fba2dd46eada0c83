"""Held by Unicode's own conformance files, and by properties on texts made by hypothesis."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path

import bidi.algorithm as python_bidi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.render.typesetting import bidi_data
from memeloc.render.typesetting.bidi import (
    Base,
    Resolved,
    _resolve,
    bidi_class,
    level_runs,
    resolve,
    visual_order,
)
from tests import growth

UNICODE = Path("/usr/share/unicode")
TOOL = Path(__file__).parents[3] / "tools/make_bidi_data.py"
REMOVED = {"LRE", "RLE", "LRO", "RLO", "PDF", "BN"}  # X9
RESET = {"WS", "LRI", "RLI", "FSI", "PDI"} | REMOVED  # L1, and 5.2 for what X9 removes

PLAIN = "aZéя中 אבג اب 12 ١٢ ۳ +-$%,.:/\u0301\u05b0\u064b\u200c\u200d\t!?…😀\U0001e900"
BRACKETS = "()[]{}〈〉\u2329\u232a（）"
EXPLICIT = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
bases = st.sampled_from(["ltr", "rtl", None])
texts = st.one_of(
    st.text(max_size=40),
    st.text(alphabet=PLAIN, max_size=40),
    st.text(alphabet=PLAIN + BRACKETS + EXPLICIT + "\ud800\x1f\u2029", max_size=60),
)
line_of_levels = st.lists(st.integers(0, 126) | st.integers(0, 3), max_size=40)


def lines_of(name: str) -> Iterator[str]:
    """Give the lines of a conformance file that are not comments."""
    path = UNICODE / name
    if not path.is_file():
        pytest.fail(f"{path} is missing: install the Debian package unicode-data.")
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line[0] not in "#\n":
                yield line.rstrip("\n")


def order_of(levels: bytes, kept: list[int]) -> list[int]:
    """Give the display order of the characters that X9 keeps."""
    return [kept[at] for at in visual_order([levels[at] for at in kept])]


def line_levels(resolved: Resolved, names: list[str]) -> bytes:
    """The levels of a paragraph on one line, after rule L1."""
    levels = bytearray(resolved.levels)
    at_end = True
    for at in reversed(range(len(names))):
        at_end = names[at] in ("S", "B") or (at_end and names[at] in RESET)
        if at_end:
            levels[at] = resolved.level
    return bytes(levels)


@pytest.mark.slow
def test_every_case_of_bidi_test() -> None:
    # All the cases take ten to fifteen seconds, so none is left to the slow run.
    cases = 0
    wrong: list[tuple[str, Base, list[int]]] = []
    levels: list[str] = []
    for line in lines_of("BidiTest.txt"):
        if line[0] == "@":
            name, _, values = line.partition(":")
            if name == "@Levels":
                levels = values.split()
                kept = [at for at, level in enumerate(levels) if level != "x"]
                expected = bytes(int(level) for level in levels if level != "x")
            elif name == "@Reorder":
                # The order follows from the levels, which each case is held to.
                found_order = [kept[at] for at in visual_order(expected)]
                wrong += [(line, None, found_order)] * (
                    found_order != list(map(int, values.split()))
                )
            continue
        given_classes, _, bits = line.partition(";")
        names = given_classes.split()
        for bit, base in ((1, None), (2, "ltr"), (4, "rtl")):
            if int(bits, 16) & bit:
                cases += 1
                letters = "".join(bidi_data.LETTERS[name] for name in names).encode("ascii")
                result = line_levels(_resolve(letters, "", base), names)
                if len(result) != len(names) or bytes([result[at] for at in kept]) != expected:
                    wrong.append((line, base, list(result)))
    assert wrong[:10] == []
    assert cases > 700_000


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 9])
def test_every_case_of_bidi_character_test(step: int) -> None:
    cases = 0
    wrong = []
    for line in islice(lines_of("BidiCharacterTest.txt"), 0, None, step):
        cases += 1
        codes, direction, level, levels, order = line.split(";")
        text = "".join(chr(int(code, 16)) for code in codes.split())
        base: Base = (("ltr", "rtl", None))[int(direction)]
        resolved = resolve(text, base)
        names = [bidi_class(char) for char in text]
        result = line_levels(resolved, names)
        removed = [name in REMOVED for name in names]
        shown = ["x" if out else str(at) for out, at in zip(removed, result, strict=True)]
        kept = [at for at, out in enumerate(removed) if not out]
        if (
            resolved.level != int(level)
            or shown != levels.split()
            or order_of(result, kept) != [int(at) for at in order.split()]
        ):
            wrong.append((line, list(result)))
    assert wrong[:10] == []
    assert cases > 90_000 // step


def test_the_data_are_what_the_tool_makes() -> None:
    specification = importlib.util.spec_from_file_location("make_bidi_data", TOOL)
    assert specification
    assert specification.loader
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    next(lines_of("BidiBrackets.txt"))
    made = tool.module(UNICODE)
    if f'UNICODE_VERSION = "{bidi_data.UNICODE_VERSION}"' not in made:
        pytest.skip(f"this machine's Unicode data are not version {bidi_data.UNICODE_VERSION}")
    assert made == Path(str(bidi_data.__file__)).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("char", "name"),
    [("a", "L"), ("א", "R"), ("ا", "AL"), ("7", "EN"), ("٧", "AN"), ("\ud800", "L"),
     ("\u05ff", "R"), ("\u20cf", "ET"), ("\uffff", "BN"), ("\U0010ffff", "BN"), ("\ufe0f", "NSM"),
     ("\U0001f600", "ON"), ("\u061c", "AL"), ("\u200e", "L"), ("\u2029", "B")],
)  # fmt: skip
def test_class_of_assigned_and_unassigned_characters(char: str, name: str) -> None:
    assert bidi_class(char) == name


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        # Brackets around Latin after a Latin word belong to it, and the percentage follows suit.
        ("شغّل Chrome (v120) 50% الآن", [("شغّل ", 1), ("Chrome (v120) 50%", 2), (" الآن", 1)]),
        # After an Arabic word they are the paragraph's; numbers still follow the Latin (W7).
        ("شغّل (v120) 50%", [("شغّل (", 1), ("v120", 2), (") ", 1), ("50%", 2)]),
        ("בשעה 10:30!", [("בשעה ", 1), ("10:30", 2), ("!", 1)]),
        ("user_42 אמר 7", [("user_42 ", 0), ("אמר ", 1), ("7", 2)]),
    ],
)
def test_runs_of_a_mixed_caption(text: str, runs: list[tuple[str, int]]) -> None:
    cut = level_runs(resolve(text).levels)
    assert [(text[start:end], level) for start, end, level in cut] == runs


@given(texts, bases)
def test_the_fast_way_gives_what_the_whole_algorithm_gives(text: str, base: Base) -> None:
    quick = resolve(text, base)
    # A PDF that closes nothing changes nothing, but leaves no way but the whole one.
    whole = resolve(text + "\u202c", base)
    assert quick.level == whole.level
    assert quick.levels == whole.levels[:-1]


@given(st.text(alphabet=EXPLICIT + "aא1ا( )\u0301\t\u2029\ud800", max_size=400), bases)
def test_any_text_has_a_level_for_each_character(text: str, base: Base) -> None:
    resolved = resolve(text, base)
    assert len(resolved.levels) == len(text)
    assert resolved.level in ((0, 1) if base is None else (int(base == "rtl"),))
    assert all(resolved.level <= level <= 126 for level in resolved.levels)


@given(texts, bases)
def test_removed_characters_have_the_level_before_them(text: str, base: Base) -> None:
    resolved = resolve(text, base)
    before = resolved.level
    for char, level in zip(text, resolved.levels, strict=True):
        if bidi_class(char) in REMOVED:
            assert level == before
        before = level


def reordered(levels: list[int]) -> list[int]:
    """L2 word by word: swap the items of each stretch, level by level."""
    order = list(range(len(levels)))
    odd = [level for level in levels if level % 2]
    for lowest in range(max(levels, default=0), min(odd, default=1000) - 1, -1):
        done: list[int] = []
        for inside, stretch in groupby(order, key=lambda at: levels[at] >= lowest):
            items = list(stretch)
            done += reversed(items) if inside else items
        order = done
    return order


@given(line_of_levels)
def test_visual_order_is_rule_l2(levels: list[int]) -> None:
    order = visual_order(levels)
    assert sorted(order) == list(range(len(levels)))
    assert order == reordered(levels)


@given(line_of_levels)
def test_visual_order_of_runs_is_that_of_their_characters(levels: list[int]) -> None:
    runs = level_runs(bytes(levels))
    order = []
    for index in visual_order([level for _, _, level in runs]):
        start, end, level = runs[index]
        order += list(range(start, end))[:: -1 if level % 2 else 1]
    assert order == visual_order(levels)


_OTHER_UNITS = [
    "\u2068", "\u202bא\u202c", "(א)", "(1)", "א%", "א \t", "א\u0301(", "\u2067a\u202e", "א\u2029",
    "א\u200d", "a ",
]  # fmt: skip


@pytest.mark.parametrize(
    "unit",
    [
        *("א1ا٢ a", "\u2068a\u2069", "א(", "\ud800א"),
        *(pytest.param(unit, marks=pytest.mark.slow) for unit in _OTHER_UNITS),
    ],
)
def test_the_cost_of_many_characters_is_linear(unit: str) -> None:
    def order(length: int) -> None:
        text = unit * (length // len(unit))
        levels = resolve(text, "rtl").levels
        assert len(visual_order(levels)) == len(levels) == len(text)

    assert growth.is_linear(lambda length: growth.cpu(lambda: order(length)), 100_000)


@given(st.text(alphabet="abz אבג ابت 123 ١٢٣ +-$%,.:/!?\u0301", max_size=40), bases)
def test_levels_agree_with_python_bidi(text: str, base: Base) -> None:
    # The Python implementation of python-bidi knows neither isolates nor N0.
    storage = python_bidi.get_empty_storage()
    level = resolve(text, base).level
    storage["base_level"], storage["base_dir"] = level, "LR"[level]
    python_bidi.get_embedding_levels(text, storage)
    python_bidi.explicit_embed_and_overrides(storage)
    python_bidi.resolve_weak_types(storage)
    python_bidi.resolve_neutral_types(storage, False)
    python_bidi.resolve_implicit_levels(storage, False)
    assert list(resolve(text, base).levels) == [char["level"] for char in storage["chars"]]
