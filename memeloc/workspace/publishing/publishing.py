"""Publishing. In: a workspace, a folder. Out: the workspace's dataset in it, for others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc.publish.folder import check_owner
from memeloc.publish.publishing import Published, publish
from memeloc.publish.release import Release
from memeloc.workspace.part import Part, Phases, silent
from memeloc.workspace.publishing.gathering import gather


class Publishing(Part):
    """What others get of the workspace: pictures, captions, answers, labels."""

    def gather(
        self,
        rendered: str | Path | None = None,
        *,
        with_pictures: bool = True,
        jobs: int = 1,
        on_progress: Phases = silent,
    ) -> Release:
        """What is to be published, see `memeloc.workspace.publishing.gathering.gather`."""
        return gather(
            self._workspace,
            rendered,
            with_pictures=with_pictures,
            jobs=jobs,
            on_progress=on_progress,
        )

    def publish(
        self,
        out: str | Path,
        to: str = "hf",
        *,
        rendered: str | Path | None = None,
        with_pictures: bool = True,
        options: Mapping[str, Any] | None = None,
        jobs: int = 1,
        on_progress: Phases = silent,
    ) -> Published:
        """Publish the workspace's dataset into a folder, in the place of an earlier release.

        Args:
            out: new, empty, or with a release that nobody has changed since.
            to: the layout: `hf`, `csv`, or another of `memeloc.publish.registry.PUBLISHERS`.
            rendered: a folder that `memeloc render` made; None renders the captions as they stand.
            with_pictures: False publishes hashes and addresses in the place of pictures, and a
                program that joins them again.
            options: of the layout, such as `{"pictures": "folder"}` of `hf`.
            jobs: processes that render; with more than 1 a script must call this under
                `if __name__ == "__main__":`.

        Raises:
            InputError: there is nothing to publish, settings or options are wrong, or the folder
                has files that memeloc did not write.
        """
        check_owner(Path(out))
        release = self.gather(
            rendered, with_pictures=with_pictures, jobs=jobs, on_progress=on_progress
        )
        return publish(release, Path(out), to, options=options, on_progress=on_progress)
