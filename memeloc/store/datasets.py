"""Where datasets were collected from. In: a dataset's name and folder. Out: the name it is kept by.

A folder keeps its name from one collection to the next; a name belongs to one folder, unless
somebody says that it has moved.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from memeloc.errors import InputError
from memeloc.store.queries import Repository, add_row, is_newest, two_columns
from memeloc.store.tables.items import datasets

_LONGEST_NAME = 200


class Datasets(Repository):
    """The datasets of a workspace."""

    def roots(self, source: str) -> dict[str, str]:
        """The folder that each dataset of a source was last collected from, by its name.

        It is relative to the workspace where it lies in it, with slashes.
        """
        query = select(datasets.c.name, datasets.c.root).order_by(datasets.c.id)
        query = query.where(is_newest(datasets, ("source", "name"), "id"))
        return two_columns(self.fetch(query.where(datasets.c.source == source)))

    def name_for(self, source: str, name: str, root: Path | None, chosen: str = "") -> str:
        """The name of a dataset: the one that was chosen, its folder's, or by default `name`.

        Raises:
            InputError: nobody chose a name, and the default one is that of another folder; or what
                was chosen is not a name.
        """
        if chosen:
            if not chosen.strip() or not chosen.isprintable() or len(chosen) > _LONGEST_NAME:
                raise InputError(f"a dataset's name has 1 to {_LONGEST_NAME} characters")
            return chosen.strip()
        where, roots = self._place(root), self.roots(source)
        if root is not None and where in roots.values():
            return next(key for key in reversed(roots) if roots[key] == where)
        if roots.get(name, where) != where:
            raise InputError(
                f"The dataset {name!r} of the source {source} was collected from {roots[name]}, "
                f"and this is {where}. Name it: `--dataset {name}` where it is the same one that "
                "has moved, and another name where it is another one."
            )
        return name

    def enter(self, source: str, name: str, root: Path | None) -> None:
        """Store where a dataset is, unless that is known."""
        where = self._place(root)
        if self.roots(source).get(name) != where:
            with self.database.write() as connection:
                add_row(connection, datasets, source=source, name=name, root=where)

    def _place(self, root: Path | None) -> str:
        if root is None:
            return ""
        top = self.root.resolve() if self.root else None
        inside = top is not None and root.is_relative_to(top)
        return (root.relative_to(top) if inside and top else root).as_posix()
