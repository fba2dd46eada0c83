"""Deduplication on planted duplicates: what goes, what stays, what a person is asked."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.duplicates.dedup import (
    Deduplicated,
    Embedded,
    deduplicate,
    raw_text,
    what_stays,
)
from memeloc.curate.duplicates.grouping import DedupSettings, decisions
from memeloc.curate.duplicates.hashing import bits_between
from memeloc.curate.duplicates.texts import plain_text
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError
from memeloc.items import Item, Origin, Year

Hashes = dict[str, int]


def picture(name: str, file: str = "", text: str = "", **more: object) -> Item:
    sha = hashlib.sha256((file or name).encode()).hexdigest()
    size = {"width": 500, "height": 400, **more}
    return Item(
        name,
        "picture",
        Origin("test", name),
        parts=(text,) if text else (),
        picture=sha,
        path=Path("picture.jpg"),
        **size,  # type: ignore[arg-type]
    )


def caption(name: str, parent: str, *parts: str, votes: int | None = None) -> Item:
    return Item(name, "caption", Origin("test", name), parent=parent, parts=parts, votes=votes)


def template(name: str, **more: object) -> Item:
    sha = hashlib.sha256(name.encode()).hexdigest()
    return Item(name, "template", Origin("test", name), picture=sha, **more)  # type: ignore[arg-type]


def hashes_of(items: list[Item], values: list[int]) -> Hashes:
    return {item.picture: value for item, value in zip(items, values, strict=True)}


def by_item(done: Deduplicated) -> dict[str, str]:
    return {
        verdict.item: verdict.verdict
        if verdict.verdict == "keep"
        else f"{verdict.verdict} {verdict.evidence['kept']}"
        for verdict in done.verdicts
    }


def judged(first: str, second: str, answer: str, person: str = "anna") -> Judgement:
    return Judgement("|".join(sorted((first, second))), "duplicates", person, answer, "", 1)


def test_near_hashes_are_duplicates_only_with_the_same_text() -> None:
    items = [
        picture("large", text="Me on Monday", width=900),
        picture("small", text="ME, on monday!"),
        picture("other", text="What my friends think I do"),
        picture("far", text="Me on Monday"),
    ]
    hashes = hashes_of(items, [0, 2**16 - 1, 0b1, 2**17 - 1])
    done = deduplicate(items, DedupSettings(), hashes=hashes)
    assert by_item(done) == {
        "large": "keep",
        "small": "drop large",
        "other": "keep",
        "far": "drop large",
    }
    # `far` is 17 bits from `large`, and goes with `small`, 1 bit from it.
    far = next(verdict for verdict in done.verdicts if verdict.item == "far")
    assert (far.score, far.reason) == (1.0, "same picture")
    assert far.evidence["with"] == "small"
    alone = deduplicate([items[0], items[3]], DedupSettings(), hashes=hashes)
    assert by_item(alone) == {"large": "keep", "far": "keep"}
    narrow = deduplicate(items[:2], DedupSettings(text_distance=5), hashes=hashes)
    assert by_item(narrow) == {"large": "keep", "small": "keep"}


def test_a_text_of_many_pictures_says_little_of_each() -> None:
    items = [picture(f"p{at:02d}", text="lol") for at in range(25)]
    chance = np.random.default_rng(3)
    values = [int(value) for value in chance.integers(0, 2**63, 25)]
    values[1], values[2] = values[0] ^ 0b11111, values[0] ^ 0b11111111
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, values))
    assert {name for name, what in by_item(done).items() if what != "keep"} == {"p01", "p02"}
    values[2] = values[0] ^ (2**12 - 1)
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, values))
    assert {name for name, what in by_item(done).items() if what != "keep"} == {"p01"}


def test_a_similar_text_goes_to_a_person() -> None:
    items = [
        picture("a", text="Nobody will ever read this in 2019"),
        picture("b", text="Nobody will ever read this in 2020"),
        picture("c", text="Nobody will ever read these in 2019"),
        picture("d", text="Somebody shall have read it in 2019"),
    ]
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, [0, 0, 0, 0]))
    assert by_item(done) == {"a": "keep", "b": "ask a", "c": "ask a", "d": "keep"}


@pytest.mark.parametrize(
    "texts",
    [
        ("You can do this today", "You can't do this today"),
        ("This is legal in my office", "This is illegal in my office"),
        ("Tea is at four", "Tea is at four cats.example"),
    ],
)
def test_near_pictures_with_near_texts_are_asked(texts: tuple[str, str]) -> None:
    items = [picture("a", text=texts[0]), picture("b", text=texts[1])]
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, [0, 1]))
    assert by_item(done) == {"a": "keep", "b": "ask a"}


def test_a_text_with_a_watermark_goes_to_a_person() -> None:
    items = [
        picture("a", text="Me on Monday"),
        picture("b", text="Me on Monday cats.example"),
    ]
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, [0, 1]))
    assert by_item(done) == {"a": "keep", "b": "ask a"}
    reason = next(pair.reason for pair in done.pairs)
    assert reason.startswith("The pictures' hashes differ in 1 bit of 64. ")
    assert reason.endswith("One contains the other.")


def test_a_sites_name_is_no_difference_of_text() -> None:
    parts = ("Me on Monday",), ("Me on Monday", "imgflip.com"), ("imgflip.com",)
    items = [replace(picture(f"{n}", width=900 - n), parts=each) for n, each in enumerate(parts)]
    done = deduplicate(items, DedupSettings(), hashes=hashes_of(items, [0, 1, 2]))
    assert by_item(done) == {"0": "keep", "1": "drop 0", "2": "ask 0"}
    captions = [
        caption("a", "x", "hi"),
        caption("b", "x", "hi", "@cat_x"),
        caption("c", "x", "@cat_x"),
    ]
    done = deduplicate(captions, DedupSettings(), hashes={})
    assert by_item(done) == {"a": "keep", "b": "drop a", "c": "keep"}


def test_which_one_stays_is_a_rule_and_ties_are_settled() -> None:
    items = [
        picture("first", text="x y z", votes=1, created="2020"),
        picture("large", text="x y z", width=800, votes=0),
        picture("old", text="x y z", year=Year(2007, "data")),
        picture("loved", text="x y z", votes=9, created="2021-01-01T10:00:00+02:00"),
        picture("odd", text="x y z", created="yesterday"),
    ]
    hashes = hashes_of(items, [0] * 5)
    for rule, kept in (
        ("largest", "large"),
        ("oldest", "old"),
        ("votes", "loved"),
        ("first", "first"),
    ):
        done = deduplicate(items, DedupSettings(keep=rule), hashes=hashes)  # type: ignore[arg-type]
        assert [name for name, what in by_item(done).items() if what == "keep"] == [kept]
    twins = [picture("b", text="same"), picture("a", text="same")]
    done = deduplicate(twins, DedupSettings(), hashes=hashes_of(twins, [5, 5]))
    assert by_item(done) == {"b": "keep", "a": "drop b"}, "of equals, the one collected first"


def test_a_pair_called_different_is_not_joined_through_a_third() -> None:
    items = [picture(name, text="cat") for name in "abc"]
    hashes = hashes_of(items, [0, 0, 0])
    for rule in ("text", "paper"):
        settings = DedupSettings(rule=rule)  # type: ignore[arg-type]
        done = deduplicate(
            items, settings, hashes=hashes, judgements=[judged("a", "c", "different")]
        )
        assert by_item(done) == {"a": "keep", "b": "drop a", "c": "keep"}
    contrary = [judged("a", "b", "same"), judged("b", "c", "same"), judged("a", "c", "different")]
    done = deduplicate(items, DedupSettings(), hashes=hashes, judgements=contrary)
    assert done.contradictions == ["b|c"]
    assert by_item(done)["c"] == "keep"


def test_evenly_divided_people_decide_nothing() -> None:
    judgements = [judged("a", "b", "same"), judged("a", "b", "different", "ben")]
    assert decisions(judgements) == {}
    assert decisions([*judgements, judged("b", "a", "same", "cem")]) == {"a|b": "same"}
    items = [picture("a"), picture("b")]
    done = deduplicate(
        items, DedupSettings(), hashes=hashes_of(items, [0, 0]), judgements=judgements
    )
    assert [pair.outcome for pair in done.pairs] == ["ask"]


def test_a_crowd_without_texts_is_asked_about_little_by_little() -> None:
    items = [picture(f"p{number:04d}") for number in range(3000)]
    hashes = hashes_of(items, [7] * 3000)
    settings = DedupSettings(questions=2)
    done = deduplicate(items, settings, hashes=hashes)
    assert len(done.pairs) == 1 + 2 * 2998
    judgements = [judged("p0000", "p0002", "different"), judged("p0001", "p0002", "different")]
    again = deduplicate(items[:5], settings, hashes=hashes, judgements=judgements)
    asked = {pair.subject for pair in again.pairs}
    assert "p0000|p0002" not in asked
    assert "p0000|p0001" in asked
    more = deduplicate(
        items[:4],
        settings,
        hashes=hashes,
        judgements=[judged("p0000", "p0003", "different"), judged("p0001", "p0003", "different")],
    )
    assert "p0002|p0003" in {pair.subject for pair in more.pairs}, "the next ones are asked about"


def test_all_that_is_asked_about_a_picture_is_asked_at_once() -> None:
    texts = [f"Nobody will ever read this in {year}" for year in range(2010, 2019)]
    items = [picture(f"p{number}", text=text) for number, text in enumerate(texts)]
    done = deduplicate(items, DedupSettings(questions=2), hashes=hashes_of(items, [0] * 9))
    asked = [pair.subject.split("|") for pair in done.pairs]
    assert [second for _, second in asked] == sorted(second for _, second in asked)
    assert [first for first, second in asked if second == "p8"] == [f"p{n}" for n in range(8)]
    answers = [judged(first, second, "different") for first, second in asked]
    again = deduplicate(
        items, DedupSettings(questions=2), hashes=hashes_of(items, [0] * 9), judgements=answers
    )
    assert (again.pairs, len(what_stays(again.verdicts)[0])) == ([], 0)


def test_captions_of_templates_that_are_one_are_compared() -> None:
    items = [
        template("big", width=900, height=900),
        template("copy"),
        template("other"),
        caption("one", "big", "I have", "no idea"),
        caption("two", "copy", "i HAVE no", "idea..."),
        caption("three", "other", "I have", "no idea"),
        caption("four", "big", "I have no ideas", votes=7),
        caption("five", "big", "I have 3 ideas"),
        caption("six", "big", "???"),
        caption("seven", "big", "!!!"),
    ]
    hashes = hashes_of(items[:3], [0, 0b11, 2**63 - 1])
    done = deduplicate(items, DedupSettings(), hashes=hashes)
    assert by_item(done) == {
        "big": "keep",
        "copy": "drop big",
        "other": "keep",
        "four": "keep",
        "one": "ask four",
        "two": "drop one",
        "three": "keep",
        "five": "keep",
        "six": "keep",
        "seven": "keep",
    }
    everywhere = deduplicate(items, DedupSettings(scope="all", near_captions=1), hashes=hashes)
    assert by_item(everywhere)["three"] == "drop one"
    assert by_item(everywhere)["four"] == "keep"
    gone, doubtful = what_stays(done.verdicts)
    assert gone == {"copy": "big", "two": "one"}
    assert doubtful == {"one": "four"}


def embedded(vectors: dict[str, list[float]], texts: dict[str, list[float]]) -> Embedded:
    return Embedded(
        {key: np.array(value, dtype=np.float32) for key, value in vectors.items()},
        {key: np.array(value, dtype=np.float32) for key, value in texts.items()},
    )


def test_a_model_that_finds_all_similar_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memeloc.curate.duplicates.dedup._MOST", 20)
    items = [picture(f"p{number}", text=f"text {number}") for number in range(10)]

    def embed(left: list[Item]) -> Embedded:
        vectors = {item.picture: [1.0, 0.0] for item in left}
        return embedded(vectors, {raw_text(item.parts): [1.0] for item in left})

    with pytest.raises(InputError, match="does not tell pictures apart"):
        deduplicate(items, DedupSettings(), hashes={}, embed=embed)


WORDS = ["me on monday", "me on Monday!", "my friends", "me in 2019", "me in 2020", ""]


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0, 1, 0b111, 0b111111, 2**63, 2**18 - 1]), st.sampled_from(WORDS)
        ),
        max_size=14,
    ),
    paper=st.booleans(),
)
def test_groups_are_what_comparing_all_pairs_connects(
    rows: list[tuple[int, str]], paper: bool
) -> None:
    items = [picture(f"p{at:02d}", text=text) for at, (_, text) in enumerate(rows)]
    hashes = hashes_of(items, [value for value, _ in rows])
    settings = DedupSettings(rule="paper" if paper else "text", questions=50)
    done = deduplicate(items, settings, hashes=hashes)
    group = {item.id: {item.id} for item in items}
    open_: set[tuple[str, str]] = set()
    for first, second in itertools.combinations(items, 2):
        bits = bits_between(hashes[first.picture], hashes[second.picture])
        texts = plain_text(first.parts), plain_text(second.parts)
        equal = not paper and texts[0] == texts[1] != ""
        if bits > (16 if equal else 5):
            continue
        if paper or equal:
            whole = group[first.id] | group[second.id]
            for name in whole:
                group[name] = whole
        elif not all(texts):
            open_.add((first.id, second.id))
    expected = {item.id: min(group[item.id]) for item in items}
    gone, _ = what_stays(done.verdicts)
    assert {item.id: gone.get(item.id, item.id) for item in items} == expected
    between = {
        tuple(sorted((expected[first], expected[second])))
        for first, second in open_
        if expected[first] != expected[second]
    }
    asked = {
        tuple(sorted((expected[pair.first], expected[pair.second])))
        for pair in done.pairs
        if pair.outcome == "ask" and "known" in pair.reason
    }
    assert asked == between
    assert len(done.verdicts) == len(items)


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_name_a_stage_as_often_as_it_found_duplicates(seed: int) -> None:
    """A funnel counts by verdicts, `memeloc dedup` by stages: a picture that went by way of another
    of its group was counted for the stage that had made the two one."""
    chance, vectors = np.random.default_rng(seed), {}
    items, hashes, texts = [], {}, {}
    middles = chance.normal(size=(12, 16))
    seeds = chance.integers(1 << 62, size=25).tolist()
    for number in range(120):
        kind = int(chance.integers(25))
        flipped = sum({1 << int(bit) for bit in chance.integers(64, size=chance.integers(5))})
        text = f"so many cups of tea: {number % 9}"
        file, width = f"file {chance.integers(110)}", int(chance.integers(100, 900))
        items.append(picture(f"i{number:03}", file, text, width=width))
        hashes.setdefault(items[-1].picture, seeds[kind] ^ flipped)
        vector = middles[kind % 12] + chance.normal(scale=0.12, size=16)
        vectors.setdefault(items[-1].picture, vector.astype(np.float32))
        texts[text] = np.ones(4, dtype=np.float32)
    settings = DedupSettings(rule=("text", "paper")[seed % 2])
    embedded = Embedded(vectors, texts)
    done = deduplicate(items, settings, hashes=hashes, embed=lambda left: embedded)
    dropped = [verdict for verdict in done.verdicts if verdict.verdict == "drop"]
    named = Counter(verdict.evidence["stage"] for verdict in dropped)
    found = {stage["stage"]: stage["duplicates"] for stage in done.stages}
    assert found == {stage: named[stage] for stage in found}
    assert sum(found.values()) == len(dropped)
    files = len({item.picture for item in items})
    assert found["bytes"] == len(items) - files
