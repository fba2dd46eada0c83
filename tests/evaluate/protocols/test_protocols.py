"""Runs with all analyses, on captions whose words tell their labels."""

from pathlib import Path

import pytest

from memeloc.evaluate.protocols import protocol_names, read_protocol


@pytest.mark.parametrize("name", protocol_names())
def test_shipped_runs_are_valid(name):
    run = read_protocol(name)
    assert {"charmemes", "harmeme", "araharmeme"} >= {name.partition("-")[0]}
    assert run.data.table == str(Path("memes.csv"))
