"""The bench of the client asks, is killed and goes on, on a tiny sample."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_small_run_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    from bench import model_client

    monkeypatch.setattr(model_client, "MEMES", 2)
    model_client.make_pictures(tmp_path, 2)
    with model_client.chat_server() as url:
        for _ in range(2):
            process = model_client._client(url, tmp_path, "kept.sqlite")
            assert '"cpu"' in process.communicate()[0]
        assert model_client._count(url) == (12, 12)
    figures = model_client._memory(200, lambda _: None)
    assert [figure.unit for figure in figures] == ["MB"]
