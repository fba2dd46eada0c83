"""One test over many values: as items of their own they cost 6 ms each, and collecting them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from _pytest.mark import ParameterSet


def each(names: str | Iterable[str], values: Iterable[Any], ids: object = None) -> Any:
    """Run a test, or those of a class, for all values, each a subtest: `parametrize` as one item.

    Fixtures are made once for all values.
    """
    columns = names.replace(" ", "").split(",") if isinstance(names, str) else [*names]
    rows = [
        ParameterSet.extract_from(value, force_tuple=len(columns) == 1).values for value in values
    ]

    def decorate(test: Any) -> Any:
        if inspect.isclass(test):
            for name, method in vars(test).copy().items():
                if name.startswith("test"):
                    setattr(test, name, decorate(method))
            return test

        def run(*instance: object, subtests: Any, **fixtures: Any) -> None:
            if "subtests" in parameters:
                fixtures["subtests"] = subtests
            for row in rows:
                values = dict(zip(columns, row, strict=True))
                with subtests.test(**values):
                    test(*instance, **fixtures, **values)

        parameters = inspect.signature(test).parameters
        fixtures = [parameter for name, parameter in parameters.items() if name not in columns]
        if "subtests" not in parameters:
            fixtures.append(inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        run.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        return run

    return decorate
