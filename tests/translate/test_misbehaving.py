"""Services that misbehave: nothing wrong is stored, nothing right is lost, and a next run goes on.

See tests/translate/misbehaving.py for the ways.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.translate.misbehaving import (
    BAD,
    PRICE,
    SERVICES,
    SOURCES,
    WAYS,
    Service,
    Way,
    make_workspace,
    outcome,
    right,
)

RIGHT = {f"m{n}": right(text) for n, text in enumerate(SOURCES)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("misbehaving"))


# All of them take half a minute.
CASES = [
    pytest.param(
        *(service, way),
        id=f"{way.name}, {service}",
        marks=[] if number % 6 == place else [pytest.mark.slow],
    )
    for number, way in enumerate(WAYS)
    for place, service in enumerate(SERVICES)
]


@pytest.mark.parametrize(("service", "way"), CASES)
def test_a_service_that_misbehaves(
    made: Path, tmp_path: Path, service: Service, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = outcome(made, tmp_path / "memes", service, way)
    summary, place = result.summary, SERVICES.index(service)
    # What is stored is right, and what is not is a failure or was not asked for.
    assert result.stored.items() <= RIGHT.items()
    assert len(RIGHT) - len(result.stored) == way.lost[place]
    assert len(summary.failures) + summary.left == way.lost[place]
    assert (summary.stopped is not None) is way.ends[place]
    if way.only:
        assert [failure.meme_id for failure in summary.failures] == [f"m{SOURCES.index(BAD)}"]
    # What is booked is what was billed, but for answers that never came whole.
    assert result.booked == pytest.approx(summary.cost, abs=0.005)
    if way.unanswered:
        assert result.booked >= result.billed
    else:
        assert result.booked == pytest.approx(result.billed - PRICE * result.lost)
    # The next run asks for what is missing, and for nothing else.
    assert sorted(result.later) == sorted(
        text for n, text in enumerate(SOURCES) if f"m{n}" not in result.stored
    )
    assert result.complete == RIGHT
