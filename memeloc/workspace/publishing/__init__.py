"""Publishing. In: a workspace. Out: its dataset as a `Release`, written into a folder.

`Publishing` is in publishing.py; gathering.py puts the release together: pictures, the tables of
tables.py and answers.py (surveys), and provenance.py. importing.py takes a release in.
"""

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.workspace.publishing.gathering import Scope as Scope
    from memeloc.workspace.publishing.gathering import gather as gather
    from memeloc.workspace.publishing.publishing import Publishing as Publishing

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
