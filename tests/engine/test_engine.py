from __future__ import annotations

import pytest

from memeloc.cli.options import engine
from memeloc.engine import PROCESSES, EngineSettings, engine_of
from memeloc.errors import InputError, MissingError


def test_without_settings_work_stays_on_this_machine() -> None:
    assert engine_of(EngineSettings()) is PROCESSES
    assert not engine("").elsewhere


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(InputError, match=r"name of --engine.*'processes' or 'ray'"):
        engine("dask")


def test_without_ray_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[cluster\]'"):
        engine("ray")
