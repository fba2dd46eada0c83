"""Survey targets by name. In: a name and options, or a file. Out: the target.

Another package adds a target through the entry point group `memeloc.targets`; a value is a class
whose keyword arguments are its options (see `protocol`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.plugins import Registry
from memeloc.survey.targets.protocol import Target

TARGETS: Registry[Target] = Registry(
    "memeloc.targets",
    {
        "google-forms": "memeloc.survey.targets.google_forms.target:GoogleForms",
        "prolific": "memeloc.survey.targets.prolific.target:Prolific",
        "label-studio": "memeloc.survey.targets.label_studio.target:LabelStudio",
        "potato": "memeloc.survey.targets.potato.target:Potato",
        "html": "memeloc.survey.targets.html.target:Html",
        "csv": "memeloc.survey.targets.csv.target:Csv",
        "qsf": "memeloc.survey.targets.qualtrics.target:Qsf",
    },
    "target",
)


def target_names() -> tuple[str, ...]:
    """The names of all targets: memeloc's own, then those of other packages."""
    return TARGETS.names()


def make_target(name: str, options: Mapping[str, Any] | None = None) -> Target:
    """The target `name`, with its options.

    Raises:
        InputError: there is no such target, or it has no such option.
        MissingError: what it needs is not installed.
    """
    return TARGETS.make(name, options)


def recognise(path: Path) -> Target:
    """The target that a file or folder came back from, by its content.

    Raises:
        InputError: none knows it.
    """
    # Other packages are asked only about what none of ours knows: to list them takes a while.
    for name in _own_first():
        target = TARGETS.make(name)
        if target.recognises(path):
            return target
    raise InputError(
        "The file is of no kind that comes back from a survey; name its kind by --from, one of "
        f"{', '.join(target_names())}.",
        file=path,
    )


def _own_first() -> Iterator[str]:
    yield from TARGETS.built_in
    yield from TARGETS.outside()
