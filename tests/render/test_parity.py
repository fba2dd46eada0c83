from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memeloc.render.sets.merging import common_sizes, relative_sizes

_SIZES = st.floats(8, 200) | st.just(0.0)


@given(st.lists(st.tuples(_SIZES, _SIZES), min_size=1, max_size=6))
def test_the_common_size_fits_all_and_is_taken_by_one(sizes: list[tuple[float, float]]) -> None:
    for part, common in enumerate(common_sizes(sizes)):
        written = [size[part] for size in sizes if size[part]]
        assert common == (min(written) if written else 0.0)


def test_parts_that_only_some_languages_have() -> None:
    assert common_sizes([(40.0,), (32.0, 20.0), (0.0, 24.0)]) == (32.0, 20.0)
    assert common_sizes([]) == ()


def test_relative_sizes_need_both_texts() -> None:
    assert relative_sizes((20.0, 0.0, 30.0), (40.0, 10.0, 30.0)) == [0.5, None, 1.0]
    assert relative_sizes((20.0, 30.0), ()) == [None, None]
    assert relative_sizes((), (40.0,)) == []
