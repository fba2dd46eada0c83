"""What becomes of collected items. In: a workspace. Out: `Curating`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.progress import Phases, silent

if TYPE_CHECKING:
    from memeloc.workspace.deduplicating import DedupResult
    from memeloc.workspace.filtering import FilterPlans, FilterResult, ItemVerdicts
    from memeloc.workspace.matching import Matches
    from memeloc.workspace.reviewing import ReviewExport, ReviewImport, ReviewStatuses
    from memeloc.workspace.selecting import SelectResult


class Curating:
    """Deduplicating, filtering, reviewing and selecting what was collected.

    Nothing is deleted: each step stores verdicts, pairs and answers, and the same step with other
    settings takes the place of what it said before. Settings of memeloc.toml (the table `curate`)
    hold where none are given.
    """

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace

    def deduplicate(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        images_model: str | None = None,
        texts_model: str | None = None,
        jobs: int | None = None,
        on_progress: Phases = silent,
    ) -> DedupResult:
        """Find duplicates among what was collected; store pairs and verdicts.

        Args:
            settings: of `memeloc.curate.dedup.DedupSettings`.
            images_model, texts_model: embedding models as KIND:WHERE, such as onnx:resnet50.onnx.
            jobs: processes for pictures; None is one a usable processor.
            on_progress: gets how many more pictures are hashed, or things embedded.

        Raises:
            InputError: a setting is wrong, or a model cannot be loaded.
        """
        from memeloc.workspace.deduplicating import find_duplicates

        return find_duplicates(
            self._workspace,
            settings or {},
            images_model=images_model,
            texts_model=texts_model,
            jobs=jobs,
            on_progress=on_progress,
        )

    def match(
        self, folders: Sequence[Path] = (), *, distance: int = 12, jobs: int | None = None
    ) -> Matches:
        """Find the template of each collected picture, and store it.

        Args:
            folders: of templates, besides the built-in, the workspace's and the collected ones.
            distance: bits of 64 that a caption may change.
            jobs: processes; None is one a usable processor.
        """
        from memeloc.workspace.matching import match_collected

        return match_collected(self._workspace, folders, distance=distance, jobs=jobs)

    def filter_names(self, names: Sequence[str] = ()) -> list[str]:
        """The filters that `filter` runs: those named, else those of memeloc.toml."""
        from memeloc.workspace.filtering import filter_names

        return filter_names(self._workspace, names)

    def filter(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
        budget: float | None = None,
        jobs: int | None = None,
        on_progress: Phases = silent,
    ) -> FilterResult:
        """Judge collected items; store a verdict each. What was judged before is passed over.

        Args:
            names: of filters; none are those of memeloc.toml.
            settings: by filter and setting.
            languages: tags of those to keep, for filters that look at languages.
            again: judge also what was judged before.
            model: name of the language model, for filters that ask one.
            budget: the most that it may cost.
            jobs: processes for pictures; None is one a usable processor.
            on_progress: gets the filter's name and how many more items are done.

        Raises:
            InputError: there is no such filter, or a setting is wrong.
        """
        from memeloc.workspace.filtering import run_filters

        return run_filters(
            self._workspace,
            names,
            settings,
            languages=languages,
            again=again,
            model=model,
            budget=budget,
            jobs=jobs,
            on_progress=on_progress,
        )

    def plan_filters(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
    ) -> FilterPlans:
        """What `filter` would judge, and ask a model; nothing is asked or stored."""
        from memeloc.workspace.filtering import plan_filters

        return plan_filters(
            self._workspace, names, settings, languages=languages, again=again, model=model
        )

    def explain(self, item: str) -> ItemVerdicts:
        """All verdicts and answers about an item.

        Raises:
            InputError: there is no such item.
        """
        from memeloc.workspace.filtering import explain_item

        return explain_item(self._workspace, item)

    def export_review(
        self,
        question: str,
        person: str,
        path: Path | None = None,
        *,
        only: str | Sequence[str] = "new",
        limit: int = 0,
        on_progress: Phases = silent,
    ) -> ReviewExport:
        """Write a sheet (xlsx, csv) or, for duplicates, a page (html) of one question.

        Args:
            question: its name; see `memeloc.curate.questions`.
            person: who is to answer.
            path: the file; None is review-QUESTION-PERSON.xlsx, or .html for duplicates.
            only: `new` (not answered by this person yet), `all`, or ids.
            limit: at most this many rows; 0 is no limit.
            on_progress: gets how many more rows are drawn.

        Raises:
            InputError: there is no such question or item, or the file's kind is another.
        """
        from memeloc.workspace.reviewing import export_review

        return export_review(
            self._workspace, question, person, path, only=only, limit=limit, on_progress=on_progress
        )

    def import_reviews(
        self, files: Sequence[Path], *, person: str = "", dry_run: bool = False
    ) -> ReviewImport:
        """Take in answers; what cannot be read is among the result's problems.

        Args:
            files: sheets (xlsx, ods, csv), and what pages saved.
            person: who answered, where a file does not say.
            dry_run: store nothing.
        """
        from memeloc.workspace.reviewing import import_reviews

        return import_reviews(self._workspace, files, person=person, dry_run=dry_run)

    def review_status(self, questions: Sequence[str] = ()) -> ReviewStatuses:
        """How far each question is; none named are all that anything is asked of."""
        from memeloc.workspace.reviewing import review_statuses

        return review_statuses(self._workspace, questions)

    def select(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        page: Path | None = None,
        dry_run: bool = False,
    ) -> SelectResult:
        """Choose what is worth translating, make memes of it, and write the funnel as a page.

        Args:
            settings: of `memeloc.curate.selection.SelectSettings`.
            page: where the page goes; None is funnel.html in the workspace.
            dry_run: store nothing, and write no page but one that is named.

        Raises:
            InputError: a setting is wrong.
        """
        from memeloc.workspace.selecting import select_memes

        return select_memes(self._workspace, settings or {}, page=page, dry_run=dry_run)
