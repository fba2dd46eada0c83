"""Splits: no template in two, labels in the same shares, the same by the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.splits import split_memes

SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abc")), min_size=1, max_size=200))
def test_no_template_is_in_two_splits(memes: list[tuple[int, str]]) -> None:
    templates = {f"m{n}": f"t{template}" for n, (template, _) in enumerate(memes)}
    strata = {f"m{n}": label for n, (_, label) in enumerate(memes)}
    splits = split_memes(templates, strata, SHARES, seed=3)
    assert splits.keys() == templates.keys()
    by_template = {(templates[meme], split) for meme, split in splits.items()}
    assert len(by_template) == len(set(templates.values()))


def test_labels_have_the_shares_of_the_whole() -> None:
    templates = {f"m{n}": f"t{n % 60}" for n in range(600)}
    strata = {meme: "abc"[(int(meme[1:]) // 60) % 3] for meme in templates}
    splits = split_memes(templates, strata, SHARES)
    counts = Counter((split, strata[meme]) for meme, split in splits.items())
    of_label = Counter(strata.values())
    for (split, label), count in counts.items():
        assert count / of_label[label] == pytest.approx(SHARES[split], abs=0.04)


def test_each_split_has_memes_where_templates_suffice() -> None:
    templates = {f"m{n}": f"t{n // 12}" for n in range(36)}
    assert Counter(split_memes(templates, {}, SHARES).values()) == {
        "train": 12,
        "validation": 12,
        "test": 12,
    }


def test_near_duplicates_stay_together() -> None:
    templates = {f"m{n}": "" for n in range(100)}
    splits = split_memes(templates, {}, SHARES, together=[("m0", "m50"), ("m50", "m99")])
    assert splits["m0"] == splits["m50"] == splits["m99"]


def test_the_seed_decides_and_decides_alike() -> None:
    templates = {f"m{n}": "" for n in range(200)}
    first, again, other = (split_memes(templates, {}, SHARES, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert Counter(first.values()) == {"train": 160, "validation": 20, "test": 20}


def test_shares_must_be_above_zero() -> None:
    with pytest.raises(InputError, match="above 0"):
        split_memes({"m": "t"}, {}, {"train": 1.0, "test": 0.0})
