"""Timestamps of any locale become moments, and unclear ones none."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.targets.files import read_column
from tests.each import each


def months(*cells: str) -> list[int | None]:
    return [moment and moment.month for moment in read_column(cells)]


@each(
    "text",
    [
        "2026/11/21 3:04:05 PM GMT+0",
        "2026/11/21 4:04:05 PM GMT+1",
        "2026/11/21 8:34:05 pm GMT+5:30",
        "21.11.2026 15:04:05",
        "21.11.2026, 15:04:05",
        "11/21/2026 15:04:05",
        "21/11/2026 3:04:05 p. m.",
        "٢١\u200f/١١\u200f/٢٠٢٦ ٣:٠٤:٠٥ م",
        "२१/११/२०२६ ३:०४:०५ अपराह्न",
        "๒๑/๑๑/๒๕๖๙, ๑๕:๐๔:๐๕",
        "21/11/2569 15:04:05",
        "2026/11/21 下午3:04:05",
        "2026. 11. 21 오후 3:04:05",
        "2026年11月21日 15:04:05",
        "21/11/2026 3:04:05 μ.μ.",
        "21.11.2026 kl. 15.04.05",
        "Nov 21, 2026, 3:04:05 PM",
        "2026-11-21T15:04:05Z",
        "Sun Nov 21 2026 3:04:05 PM",
        "2026-11-21T06:04:05-09:00",
    ],
)
def test_timestamps_of_any_locale(text: str) -> None:
    assert read_column([text]) == [datetime(2026, 11, 21, 15, 4, 5, tzinfo=UTC)]


def test_the_whole_column_decides_between_days_and_months() -> None:
    assert months("3/4/2026 1:00", "21/4/2026 1:00") == [4, 4]
    assert months("3/4/2026 1:00", "4/21/2026 1:00") == [3, 4]
    assert months("3.4.2026 1:00", "5/4/2026 1:00") == [4, 4]
    assert months("3/4/2026 1:00", "4/4/2026 1:00") == [None, 4]
    assert months("3/4/2026 1:00", "21/4/2026 1:00", "4/21/2026 1:00") == [None, 4, 4]


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    assert len(read_column([text])) == 1
