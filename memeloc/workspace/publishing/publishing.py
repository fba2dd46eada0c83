"""Publishing. In: a workspace, a folder. Out: the workspace's dataset in it, for others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc.object_storage import folder_at
from memeloc.publish.checks import Finding, check
from memeloc.publish.folder import check_owner
from memeloc.publish.publishing import Published, publish
from memeloc.publish.release import Release
from memeloc.workspace.folder import Part, Phases, silent
from memeloc.workspace.publishing.gathering import Scope, gather
from memeloc.workspace.publishing.importing import FolderImport, import_folder
from memeloc.workspace.publishing.pictures import check_rendered
from memeloc.workspace.publishing.private import private_of


class Publishing(Part):
    """What others get of the workspace: pictures, captions, answers, labels."""

    def gather(self, rendered: str | Path | None = None, **options: Any) -> Release:
        """Return what is to be published; `options` are those of
        `memeloc.workspace.publishing.gathering.gather`."""
        return gather(self._workspace, rendered, **options)

    def import_folder(
        self,
        folder: str | Path,
        *,
        options: Mapping[str, Any] | None = None,
        on_progress: Phases = silent,
    ) -> FolderImport:
        """Take in what was published; see `memeloc.workspace.publishing.importing`."""
        return import_folder(self._workspace, folder, options=options, on_progress=on_progress)

    def publish(
        self,
        out: str | Path,
        to: str = "hf",
        *,
        rendered: str | Path | None = None,
        with_pictures: bool = True,
        scope: Scope | None = None,
        options: Mapping[str, Any] | None = None,
        check: bool = False,
        jobs: int = 1,
        on_progress: Phases = silent,
    ) -> Published:
        """Publish the workspace's dataset into a folder, in the place of an earlier release.

        Args:
            out: new, empty, or with a release that nobody has changed since; a folder, or its
                address in object storage.
            to: the layout: `hf`, `csv`, `webdataset`, or another of
                `memeloc.publish.publishing.PUBLISHERS`.
            rendered: a folder that `memeloc render` made; None renders the captions as they stand.
            with_pictures: False publishes hashes and addresses in the place of pictures, and a
                program that joins them again.
            scope: the part of the workspace that goes out; None is all.
            options: of the layout, such as `{"pictures": "folder"}` of `hf`.
            check: whether all rules of `memeloc.publish.checks` are run before anything is written,
                and not only that of private files.
            jobs: processes that render; with more than 1 a script must call this under
                `if __name__ == "__main__":`.

        Raises:
            InputError: there is nothing to publish, settings or options are wrong, the folder has
                files that memeloc did not write, or a rule refuses something.
        """
        place = folder_at(out)
        check_rendered(rendered)
        check_owner(place)
        release = self.gather(
            rendered, with_pictures=with_pictures, scope=scope, jobs=jobs, on_progress=on_progress
        )
        newest = self._store.progress.newest_version()
        published = publish(
            release,
            place,
            to,
            options=options,
            private=private_of(self._workspace),
            checked=check,
            on_progress=on_progress,
        )
        self._store.progress.note("published", {str(out): {"newest": newest}})
        return published

    def check(self, rendered: str | Path | None = None, **options: Any) -> tuple[Finding, ...]:
        """Return what must not go out, and what the team should know; writes no release.

        `options` are those of `gather`.
        """
        return check(self.gather(rendered, **options), private_of(self._workspace))
