"""Line ends that hang are counted by their last word, the last line left out."""

from __future__ import annotations

from bench.hanging import hanging
from tests.each import each


@each(
    ("lines", "count"),
    [
        (["THE CAT ON", "THE MAT"], 1),
        (["the cat", "on the"], 0),
        (["un goût de l’", "eau"], 0),
        (["what is it for?", "nothing"], 0),
    ],
)
def test_lines_hang_that_end_with_a_word_of_the_list(lines: list[str], count: int) -> None:
    assert hanging(lines, {"on", "the", "for"}) == count
