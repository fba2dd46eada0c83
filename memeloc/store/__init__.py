"""The store. In: a folder or a database's URL. Out: `Store`, with a repository for each kind.

What people typed is append-only: a newer row supersedes, and triggers in the database refuse to
change or delete one (tables/ says which). There is one schema, without migrations: a dump is the
way from one to another. Languages are exact tags of the locale registry; times are aware and in
UTC. What translating, correcting and the rest do with it stands in memeloc.workspace.
"""

from memeloc.store.database import WorkspaceError
from memeloc.store.records import FileRecord
from memeloc.store.store import Store

__all__ = ["FileRecord", "Store", "WorkspaceError"]
