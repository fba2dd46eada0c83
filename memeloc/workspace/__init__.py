"""The Python API. In: a folder with memeloc.toml. Out: `Workspace`, which joins stages and store.

    from memeloc import Workspace

    with Workspace.find() as workspace:          # from the working directory upwards
        workspace.import_captions("captions.csv")    # or a data frame; what it did comes back
        workspace.translate(["de", "hi"], translator="google")
        workspace.table("captions")              # a DataFrame

A module for each part of the work: captions, translating, correcting, rendering, collecting,
curating, surveys. Each has a class that takes what is in the folder (`WorkspaceFolder`: settings,
locales, templates, fonts, store) and that `Workspace` offers under the module's name. Functions
take plain values and callbacks and return frozen dataclasses or DataFrames; they print nothing.
The fields of a result are the fields of the same command's `--json`.

What means the same everywhere: `languages` are tags, None for all of the workspace's; `kind` is
what the texts are (captions, transcripts or the texts of surveys); `jobs` are processes, None for
one a usable processor; `on_progress` gets how many more are done and how many there are, in work of
several phases after the phase's name; `dry_run` stores nothing. An unknown name, tag or setting is
an InputError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.workspace.settings import Settings as Settings
    from memeloc.workspace.workspace import Workspace as Workspace

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
