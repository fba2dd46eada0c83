"""Rendering. In: a workspace's captions. Out: a parallel set of pictures, and its problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyarrow import parquet

from memeloc.engine import Engine
from memeloc.errors import InputError
from memeloc.files import paths_of
from memeloc.locales import Registry
from memeloc.locales.tags import listed_tags
from memeloc.render.sets.parallel_set import Progress, Summary, registry_of, render_table
from memeloc.render.sets.reading import Review, review
from memeloc.render.settings import RenderSettings
from memeloc.store.records import Accept
from memeloc.workspace.folder import Part


class Rendering(Part):
    """Pictures of the captions, and what their proofs say."""

    def render(
        self,
        out: str | Path,
        settings: RenderSettings = RenderSettings(),
        *,
        captions: Accept = "any",
        on_progress: Progress | None = None,
        engine: Engine | None = None,
        **options: Any,
    ) -> Summary:
        """Render the captions as they stand into the folder `out`. Run again, it renders only what
        has changed; with other languages it adds to the set.

        Args:
            settings: how, in which languages ("all" is the source and all of the workspace's);
                templates, fonts and locales come besides the workspace's. With `jobs` above 1 of
                this machine a script must call this under `if __name__ == "__main__":`.
            captions: which are rendered: `accepted`, `corrected` (these also) or `any` (but what is
                dropped); see `memeloc.store.captions.states`. The summary counts the others.
            engine: what spreads the work; None is memeloc.toml's.
            options: fields of `RenderSettings` in the place of those of `settings`.
        """
        workspace, stored = self._workspace, self._store.captions
        settings = replace(settings, **options)
        changes: dict[str, Any] = {"fonts": [*paths_of(settings.fonts), *workspace.asked_fonts]}
        if not isinstance(settings.templates, Mapping):
            changes["templates"] = [*workspace.folders("templates"), *paths_of(settings.templates)]
        if not isinstance(settings.locales, Registry):
            changes["locales"] = [*workspace.folders("locales"), *paths_of(settings.locales)]
        changes["source_language"] = settings.source_language or workspace.source.tag
        settings = replace(settings, **changes)
        rounds = workspace.settings.correction.rounds
        newest = self._store.captions.last()
        with TemporaryDirectory(prefix="memeloc-") as folder:
            table = Path(folder) / "captions.parquet"
            if not self._store.exports.write("captions", table, workspace.tags):
                raise InputError(
                    "The workspace has no captions yet; `memeloc import TABLE` brings some.",
                    file=workspace.root,
                )
            acceptance = stored.acceptance(captions, _tags(settings), rounds)
            if not acceptance.taken and acceptance.left_out:
                raise InputError(acceptance.nothing_taken(), file=workspace.root)
            try:
                summary = render_table(
                    table,
                    out,
                    settings,
                    left_out=stored.left_out(captions, rounds) if acceptance.left_out else {},
                    progress=on_progress,
                    shard_map=(engine or workspace.engine).map_shards,
                )
            except InputError as error:
                if error.file == str(table):  # nobody knows that file
                    (message,) = _by_meme([error.message], table)
                    raise InputError(message, file=workspace.root) from error
                raise
            if problems := summary.input_problems:
                summary.input_problems = [*map(InputError, _by_meme(map(str, problems), table))]
            summary.acceptance = acceptance
            rendered = [workspace.locale(name).tag for name in summary.languages]
            # What was dropped is none of the captions that pictures are made of.
            states = {tag: acceptance.left_out.get(tag, {}) for tag in rendered}
            left_out = {tag: sum(of.values()) - of.get("dropped", 0) for tag, of in states.items()}
            # Of which languages what the table skips is, nobody has counted: of all, it is right.
            left_out[rendered[0]] += summary.skipped + summary.failed
            notes = {tag: {"newest": newest, "left_out": left_out[tag]} for tag in rendered}
            self._store.progress.note("rendered", notes)
            return summary

    def proof(self, out: str | Path, languages: Sequence[str] | None = None) -> Review:
        """Return the problems of the set in `out`, worst first, and where languages differ most; of
        some columns (`languages`) or all."""
        return review(Path(out), languages)


def _tags(settings: RenderSettings) -> list[str] | None:
    if settings.languages == "all":
        return None
    registry, tags = registry_of(settings), listed_tags(settings.languages)
    # A tag that is unknown is left to the table, which says what it has.
    return [registry.get(tag).tag for tag in map(str.strip, tags) if tag in registry]


def _by_meme(sentences: Iterable[str], table: Path) -> list[str]:
    """Return sentences about a run's own table, which nobody sees, by its memes."""
    place = re.compile(re.escape(f"{table}, row ") + r"(\d+)(, column )?")
    meme_ids = parquet.read_table(table, columns=["meme_id"]).column(0)

    def meme(found: re.Match[str]) -> str:
        return f"Meme {meme_ids[int(found[1]) - 2]}{', ' if found[2] else ''}"  # row 1: the header

    return [place.sub(meme, sentence) for sentence in sentences]
