"""Survey targets by name. In: a name and options, or a file. Out: the target.

Another package adds a target through the entry point group `memeloc.targets`; a value is a class
whose keyword arguments are its options (see `protocol`).
"""

from __future__ import annotations

from pathlib import Path

from memeloc.errors import InputError
from memeloc.plugins import Registry
from memeloc.survey.targets.files import refuse_other_exports
from memeloc.survey.targets.protocol import Target

TARGETS: Registry[Target] = Registry(
    "memeloc.targets",
    {
        "google-forms": "memeloc.survey.targets.google_forms.target:GoogleForms",
        "prolific": "memeloc.survey.targets.prolific.target:Prolific",
        "label-studio": "memeloc.survey.targets.label_studio:LabelStudio",
        "html": "memeloc.survey.targets.html.target:Html",
        "csv": "memeloc.survey.targets.csv:Csv",
        "qsf": "memeloc.survey.targets.qualtrics.target:Qsf",
    },
    "target",
)
target_names = TARGETS.names
make_target = TARGETS.make


def recognise(path: Path, likely: str = "") -> Target:
    """Return the target that a file or folder came back from, by its content.

    `likely` names the one to ask first, such as that of the file before, which changes nothing but
    the time.

    Raises:
        InputError: none knows it, or it is another export than the one that is read.
    """
    refuse_other_exports(path)
    # Other packages are asked only about what none of ours knows: to list them takes a while.
    first = (lambda: [likely]) if likely else list
    for names in (first, TARGETS.built_in.keys, TARGETS.outside):
        for name in names():
            target = TARGETS.make(name)
            if target.recognises(path):
                return target
    raise InputError(
        "The file is of no kind that comes back from a survey; name its kind by --from, one of "
        f"{', '.join(target_names())}.",
        file=path,
    )
