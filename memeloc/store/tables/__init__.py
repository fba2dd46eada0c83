"""The tables of a workspace, which an empty database gets whole. In: SQLAlchemy. Out: `Table`s."""

from memeloc.store.tables import captions, items, surveys
from memeloc.store.tables.types import metadata

__all__ = ["captions", "items", "metadata", "surveys"]
