"""The bench of extraction runs, on a tiny sample."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_extraction_and_the_client_send_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    from bench import knowledge

    figures = knowledge.measure(say=lambda _: None, memes=2)
    assert [figure.unit for figure in figures] == ["ms", "ms", "s"]
    assert all(figure.value > 0 for figure in figures)
