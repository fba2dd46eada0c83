"""Exporters and importers by name. In: a name, or a file. Out: who writes or reads it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from typing import Any

from memeloc.errors import InputError, MissingError
from memeloc.survey.targets.protocol import Exporter, Importer

EXPORTERS, IMPORTERS = "memeloc.exporters", "memeloc.importers"
"""The entry point groups; a value is a class that is made without arguments."""

_EXPORTERS = {
    "google-forms": "memeloc.survey.targets.google_forms.export:GoogleForms",
    "prolific": "memeloc.survey.targets.prolific.export:Prolific",
    "label-studio": "memeloc.survey.targets.label_studio.export:LabelStudio",
    "potato": "memeloc.survey.targets.potato.export:Potato",
    "html": "memeloc.survey.targets.html.export:HtmlSheets",
    "csv": "memeloc.survey.targets.csv.export:CsvSheets",
    "qsf": "memeloc.survey.targets.qualtrics.export:Qsf",
}
_IMPORTERS = {
    "google-forms": "memeloc.survey.targets.google_forms.back:GoogleFormsBack",
    "prolific": "memeloc.survey.targets.prolific.back:ProlificBack",
    "label-studio": "memeloc.survey.targets.label_studio.back:LabelStudioBack",
    "potato": "memeloc.survey.targets.potato.back:PotatoBack",
    "html": "memeloc.survey.targets.html.back:HtmlBack",
    "csv": "memeloc.survey.targets.csv.back:CsvBack",
    "qsf": "memeloc.survey.targets.qualtrics.back:QsfBack",
}


def exporter_names() -> tuple[str, ...]:
    """The names of all targets: the built-in ones, then those of other packages."""
    return _names(_EXPORTERS, EXPORTERS)


def importer_names() -> tuple[str, ...]:
    """The names of all kinds of file that can come back."""
    return _names(_IMPORTERS, IMPORTERS)


def exporter(name: str, options: Mapping[str, Any] | None = None) -> Exporter:
    """The exporter `name`, with its options: keyword arguments of its class.

    Raises:
        InputError: there is none of that name, or it has no such option.
        MissingError: what it needs is not installed.
    """
    found: Exporter = _load(name, _EXPORTERS, EXPORTERS, "target", options or {})
    return found


def importer(name: str, options: Mapping[str, Any] | None = None) -> Importer:
    """The importer `name`, with its options; raises as `exporter` does."""
    found: Importer = _load(name, _IMPORTERS, IMPORTERS, "kind of file", options or {})
    return found


def recognise(path: Path) -> Importer:
    """The importer that knows a file by its content.

    Raises:
        InputError: none does.
    """
    # Other packages are asked only about what none of ours knows: to list them takes a while.
    for name in chain(_IMPORTERS, _outside(_IMPORTERS, IMPORTERS)):
        found = importer(name)
        if found.recognises(path):
            return found
    raise InputError(
        "The file is of no kind that comes back from a survey; name its kind by --from, one of "
        f"{', '.join(importer_names())}.",
        file=path,
    )


def _names(built_in: dict[str, str], group: str) -> tuple[str, ...]:
    return (*built_in, *_outside(built_in, group))


def _outside(built_in: dict[str, str], group: str) -> Iterator[str]:
    """The names that other packages give, looked for when the first is wanted."""
    yield from sorted({entry.name for entry in entry_points(group=group)} - set(built_in))


def _load(
    name: str, built_in: dict[str, str], group: str, what: str, options: Mapping[str, Any]
) -> Any:
    if name in built_in:
        module, _, attribute = built_in[name].partition(":")
        return _made(getattr(import_module(module), attribute), name, options)
    found = list(entry_points(group=group, name=name))
    if not found:
        raise InputError(
            f"There is no {what} {name[:60]!r}; there are {', '.join(_names(built_in, group))}."
        )
    try:
        loaded = found[0].load()
    except ImportError as error:
        raise MissingError(f"{name!r} of {found[0].value} cannot be loaded: {error}") from error
    return _made(loaded, name, options)


def _made(kind: Any, name: str, options: Mapping[str, Any]) -> Any:
    known = list(inspect.signature(kind).parameters)
    for option in options:
        if option not in known:
            raise InputError(
                f"{name} has no option {option!r}; it has {', '.join(known) or 'none'}"
            )
    return kind(**options)
