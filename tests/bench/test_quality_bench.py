"""Careful people are kept, careless ones are caught: the bounds of `bench/quality.py`."""

from __future__ import annotations

import pytest

from bench.quality import measure


@pytest.mark.slow
def test_careful_people_are_kept_and_careless_ones_caught() -> None:
    figures = measure(seeds=4, sheets=150)
    assert [figure.name for figure in figures if figure.holds is False] == []
