"""The schema of memeloc 0.1.0, which later migrations go on from. In: nothing. Out: nothing.

An empty database gets the newest tables at once (`memeloc.store.migrating`).
"""

revision, down_revision, branch_labels, depends_on = "schema_1", None, None, None


def upgrade() -> None:
    """Nothing: no schema leads to the first."""
