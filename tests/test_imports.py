"""Who imports whom: import-linter holds the layers (`make lint`), this that nothing circles."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp


def test_no_modules_import_each_other_even_for_types() -> None:
    graph = grimp.build_graph("memeloc", cache_dir=None)
    sorter = TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
