"""The schema of memeloc 0.1.0. In: an empty database. Out: the tables; later migrations go on.

Empty databases get the newest tables at once (`memeloc.store.migrating`), so nothing runs this.
"""

revision, down_revision, branch_labels, depends_on = "schema_1", None, None, None


def upgrade() -> None:
    """There is no schema before the first."""
    raise NotImplementedError("No schema leads to schema_1.")
