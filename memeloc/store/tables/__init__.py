"""The tables of a workspace, which an empty database gets whole. In: SQLAlchemy. Out: `Table`s."""

from memeloc.store.tables import (
    captions,
    deciding,
    erasures,
    items,
    knowledge,
    labelling,
    serving,
    surveys,
)
from memeloc.store.tables.columns import metadata

__all__ = [
    "captions",
    "deciding",
    "erasures",
    "items",
    "knowledge",
    "labelling",
    "metadata",
    "serving",
    "surveys",
]
